/** @import {CompletedRecord} from './record-schema.js' */

/**
 * The rates of a record that other measurements can be compared with. Parts that follow each other, such as those of a queue, have one each.
 * A sender that timed itself until the reply to its last message has the only one: published benchmarks time the sender.
 *
 * @param {Pick<CompletedRecord, 'phases' | 'throughput'>} record
 * @returns {{part: string | null, messagesPerSecond: number}[]} part: null for the whole
 */
export function comparableRates({phases, throughput}) {
  const {sender, ...parts} = phases;
  if (sender) return [{part: null, messagesPerSecond: sender.messagesPerSecond}];
  const rates = Object.entries(parts).map(([part, {messagesPerSecond}]) => ({part, messagesPerSecond}));
  return rates.length > 0 ? rates : [{part: null, messagesPerSecond: throughput.messagesPerSecond}];
}
