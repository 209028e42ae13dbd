import {formatRate} from '../columns/figures.js';
import {formatSize} from '../payload/bytes.js';
import {toCsv} from './csv.js';
import {widthOf, wrapIndented} from './terminal.js';

/** @import {Choice} from '../expect/choose.js' */

/**
 * Prints which transports sustain a rate: the question, and a sentence for each.
 * @param {{rate: number, p99Ms: number, payloadBytes: number}} asked per second, in ms
 * @param {readonly Choice[]} choices
 * @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>} stream
 */
export function showChoice({rate, p99Ms, payloadBytes}, choices, stream) {
  const width = widthOf(stream);
  const question = `Which transport sustains ${formatRate(rate)}/s of ${formatSize(payloadBytes)} with a p99 of at most ${p99Ms} ms?`;
  const lines = [
    question,
    ...choices.map(({sentence}) => sentence),
    ...(choices.length === 0 ? ['No transport was measured.'] : []),
  ];
  stream.write(`\n${lines.flatMap((line) => wrapIndented(line, width)).join('\n')}\n`);
}

/** The same as comma-separated values. @param {readonly Choice[]} choices @param {string} separator */
export function choicesCsv(choices, separator) {
  return toCsv(
    [
      ['cell', ({cell}) => cell],
      ['outcome', ({outcome}) => outcome],
      ['sentence', ({sentence}) => sentence],
    ],
    choices,
    separator,
  );
}
