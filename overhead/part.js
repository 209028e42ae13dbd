/**
 * @import {Broker, BrokerSettings} from '../src/brokers/kind.js'
 * @import {BattlesToRun} from './verdict/battles.js'
 */

/**
 * A part of the bench: one question about the harness, with its bounds. To add a part, write a file with such a declaration and list it in
 * index.js.
 *
 * @typedef {object} Part
 * @property {string} name value of --only
 * @property {string} title
 * @property {string} [needs] requirements in addition to the packages of the repository; the part then runs only on request
 * @property {boolean} [isOptIn] whether it runs only on request for another reason, such as its duration
 * @property {(bench: Bench) => AsyncIterable<Row>} measure
 */

/**
 * The argument of a part.
 *
 * @typedef {object} Bench
 * @property {Extent} extent
 * @property {string} matching only comparisons of round trips whose names contain this text run
 * @property {number} length of each run, as a share of the usual length
 * @property {BattlesToRun} battles
 * @property {AbortSignal} signal
 * @property {(line: string) => void} log
 * @property {(kind: string, settings: BrokerSettings) => Promise<Broker>} brokerOf a private broker of a kind, which all parts share
 * @property {(what: string, run: number) => void} onRun called with the number of each run or pair when it starts
 */

/**
 * The length of a comparison.
 *
 * @typedef {object} Extent
 * @property {number | null} pairs the exact number; null: until the interval is narrow enough, or the time is over
 * @property {number} precision the relative half-width of an interval that is narrow enough
 * @property {number} budgetMs for one comparison
 */

/**
 * A line of the table.
 *
 * @typedef {object} Row
 * @property {string} what
 * @property {{min?: number, max?: number} | null} bound null for a line that is only informative
 * @property {string} [explanation] why a figure beyond the bound is no failure; default: it is one
 * @property {Estimate} estimate
 * @property {string} unit of bound and estimate; '' for a ratio
 * @property {{one: readonly number[], other: readonly number[], unit: string} | null} sides the compared figures, by pair
 *
 * @typedef {object} Estimate
 * @property {number} value
 * @property {readonly [low: number, high: number] | null} ci95 null for too few values
 * @property {number} count the number of pairs or values
 */

export {};
