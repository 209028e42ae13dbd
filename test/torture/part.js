/**
 * A part of the torture: it does something bad to perf-battle many times, or for long, and counts what happened.
 *
 * @typedef {object} Part
 * @property {string} name
 * @property {string} summary what it does, in one line
 * @property {(torture: Torture) => Promise<Outcome>} run
 *
 * @typedef {object} Torture
 * @property {boolean} isLong the long form, by `npm run torture`; otherwise the short one, in `npm test`
 * @property {number} seed of all that is random
 * @property {number | undefined} [count] how often a part that repeats one thing does it; its default makes it long
 * @property {number | undefined} [atOnce] how many of these run at the same time; default 1
 * @property {(line: string) => void} log progress
 *
 * @typedef {object} Outcome
 * @property {Record<string, number | string>} counts by what was counted, in the order in which they are printed
 * @property {readonly string[]} failures what must not happen and did, one line each
 */

export {};
