/** @import {CompletedRecord} from '../results/record-schema.js' */

/**
 * How the length of the measured battles differs from that of the published benchmark. All texts ran everything once.
 * @param {readonly CompletedRecord[]} records
 * @returns {string[]} sentences
 */
export function lengthNotes(records) {
  if (records.length === 0) return [];
  const rounds = Math.max(...records.map(({trials}) => trials.length));
  const scales = records.map(({config: {scale = 1}}) => Number(scale)).filter((scale) => scale !== 1);
  return [
    rounds === 1
      ? 'The text ran everything once, as here. A single trial has no interval; --rounds 5 gives one and takes five times as long.'
      : `The text ran everything once. Here there are ${rounds} rounds, which give an interval.`,
    ...(scales.length === 0
      ? []
      : [
          `With --scale ${[...new Set(scales)].join(' or ')} each trial and each counted warm-up had that share of its messages. The numbers of messages in this list are not scaled.`,
        ]),
  ];
}
