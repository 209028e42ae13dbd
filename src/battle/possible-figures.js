import {RunError} from '../errors.js';
import {mistakeInEncoded} from '../stats/histogram.js';

/**
 * @import {Counts, Timed} from '../measure/counts.js'
 * @import {Result} from '../protocol.js'
 * @import {EncodedHistogram} from '../stats/histogram.js'
 */

/**
 * Refuses figures that nobody could read again, before they are stored: the reader of the journal would skip them.
 * @param {{counts: Counts, phases: Record<string, Timed>, wallMs: number}} trial
 * @param {readonly Pick<Result, 'encoded' | 'windows'>[]} results of the clients
 * @throws {RunError} PB_RUN, with the field
 */
export function refuseImpossible({counts, phases, wallMs}, results) {
  const mistakes = [
    ...results.flatMap(({encoded, windows}) => [
      encoded && mistakeInEncoded(encoded),
      mistakeInWindows(windows ?? []),
    ]),
    ...Object.entries(counts).map(([name, count]) => mistakeInCount(`counts.${name}`, count)),
    ...Object.entries(phases).flatMap(([name, {messages, ms}]) => [
      mistakeInCount(`phases.${name}.messages`, messages),
      ms > 0 && Number.isFinite(ms) ? null : `phases.${name}.ms: it is ${ms}`,
    ]),
    wallMs >= 0 && Number.isFinite(wallMs) ? null : `wallMs: it is ${wallMs}`,
  ];
  const mistake = mistakes.find((one) => one !== null);
  if (mistake) throw new RunError(`The roles measured what cannot be true: ${mistake}.`);
}

/** @param {string} name @param {number} count @returns {string | null} */
function mistakeInCount(name, count) {
  return Number.isSafeInteger(count) && count >= 0 ? null : `${name}: it is ${count}`;
}

/** @param {readonly number[]} windows @returns {string | null} */
function mistakeInWindows(windows) {
  const wrong = windows.find((mean) => !(Number.isFinite(mean) && mean >= 0));
  return wrong === undefined ? null : `windows: one is ${wrong}`;
}
