import {outcomes} from '../measure/message-log.js';

/** @import {Log} from '../measure/message-log.js' */

/**
 * A load over time, in parts of equal length.
 * @typedef {object} Timeline
 * @property {number} partMs
 * @property {boolean} isConfirmed whether replies are counted; otherwise sends
 * @property {number[]} goodPerSecond good replies in each part: confirms, or right replies; where nothing is confirmed, sends
 * @property {(number | null)[]} worstMs of each part: the longest time from when a message was due to its reply; null without a reply
 * @property {{fromMs: number, untilMs: number}[]} faults since the start: when each was done, and when what it hit was there again
 */

const partsAtMost = 60;
const leastPartMs = 100;

/**
 * @param {Log} log
 * @param {readonly {fromMs: number, untilMs: number}[]} strikes by the monotonic clock of the host
 * @returns {Timeline}
 */
export function timelineOf(log, strikes) {
  const {messages, startMs, rate, settles: isConfirmed, outcomes: all, sentMs, settledMs} = log;
  const lastMs = sentMs.subarray(0, messages).reduce((last, at) => Math.max(last, at), 0);
  const partMs = Math.max(leastPartMs, Math.ceil(lastMs / partsAtMost / leastPartMs) * leastPartMs);
  // The last part is not whole.
  const parts = Math.max(1, Math.floor(lastMs / partMs));
  const counts = new Array(parts).fill(0);
  /** @type {(number | null)[]} */
  const worstMs = new Array(parts).fill(null);
  for (let sequence = 0; sequence < messages; sequence += 1) {
    if (isConfirmed && all[sequence] !== outcomes.taken) continue;
    const at = isConfirmed ? settledMs[sequence] : sentMs[sequence];
    const part = Math.floor(at / partMs);
    if (part >= parts) continue;
    counts[part] += 1;
    if (isConfirmed) worstMs[part] = Math.max(worstMs[part] ?? 0, at - (sequence * 1000) / rate);
  }
  return {
    partMs,
    isConfirmed,
    goodPerSecond: counts.map((count) => (count * 1000) / partMs),
    worstMs,
    faults: strikes.map(({fromMs, untilMs}) => ({fromMs: fromMs - startMs, untilMs: untilMs - startMs})),
  };
}
