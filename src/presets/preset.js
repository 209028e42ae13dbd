/**
 * @import {WarmUp} from '../measure/warm-up.js'
 * @import {DocumentName, PublishedFigure} from '../results/published/figures.js'
 */

/**
 * The workload of a published benchmark. To add one, declare it in a file here and list it in index.js.
 *
 * @template [Own=Readonly<Record<string, unknown>>]
 * @typedef {object} Preset
 * @property {string} name
 * @property {DocumentName} document whose figures are shown next to the measured ones
 * @property {string} summary what it reproduces
 * @property {readonly string[]} differs sentences: what cannot be compared, and what is assumed where the text is silent
 * @property {(payloadBytes: readonly number[]) => string[]} [notesOn] further sentences of that kind, on the measured sizes
 * @property {readonly string[]} needs transports that it cannot do without
 * @property {Own} settings by the option's key, instead of defaults
 * @property {Own} [today] what differs in a second set of cells, which the same battle runs: the same workload as a competent user runs it today
 * @property {(cell: PresetCell) => PresetLength} lengthOf of a trial
 * @property {string} [dataFile] the name, without its ending, of the data file in which the benchmark itself keeps these results
 * @property {Comparison} comparison how a record becomes figures of the text's kind
 */

/**
 * @typedef {{workload: string, payloadBytes: number}} PresetCell
 * @typedef {{samples: number, warmUp: WarmUp}} PresetLength
 *
 * @typedef {object} Comparison
 * @property {'mean' | 'rate' | 'bands' | 'total'} figure mean: round-trip time in ms; rate: per second; bands: µs of the fastest per
 *   cent; total: ms for a number of messages
 * @property {string} what was asked
 * @property {string} [unit] of a rate
 * @property {boolean} [hasCpu] whether the text also gives the CPU of the processes, in per cent of one core
 * @property {number} [messages] of a total; a run with another number is scaled to it
 * @property {(figure: PublishedFigure) => boolean} isShown whether a figure of the text
 *   belongs to this preset
 */

/**
 * Declares a preset. Its settings keep their inferred type, so that they can be checked against the options.
 * @template {Readonly<Record<string, unknown>>} const Own
 * @param {Preset<Own>} declared @returns {Preset<Own>}
 */
export function preset(declared) {
  return declared;
}

/** @param {number} count of messages that do not count @returns {WarmUp} */
export function warmUpOf(count) {
  return {kind: 'count', count};
}
