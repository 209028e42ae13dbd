/**
 * @import {Broker, BrokerSettings} from '../src/brokers/kind.js'
 * @import {BattlesToRun} from './verdict/battles.js'
 */

/**
 * A part of the bench: one question about the harness, with its bounds. To add one, write a file with such a declaration and list it in
 * index.js.
 *
 * @typedef {object} Part
 * @property {string} name what --only takes
 * @property {string} title
 * @property {string} [needs] what it needs besides the packages of the repository; a part that needs something runs only on request
 * @property {boolean} [isOptIn] whether it runs only on request for another reason, such as its duration
 * @property {(bench: Bench) => AsyncIterable<Row>} measure
 */

/**
 * What a part gets.
 *
 * @typedef {object} Bench
 * @property {Extent} extent
 * @property {string} matching what the name of a comparison of round trips must have to be made
 * @property {number} length of each run, as a share of the usual one
 * @property {BattlesToRun} battles
 * @property {AbortSignal} signal
 * @property {(line: string) => void} log
 * @property {(kind: string, settings: BrokerSettings) => Promise<Broker>} brokerOf a private broker of a kind, which all parts share
 * @property {(what: string, run: number) => void} onRun called with the number of each run or pair when it starts
 */

/**
 * How long a comparison goes on.
 *
 * @typedef {object} Extent
 * @property {number | null} pairs exactly so many; null: until the interval is narrow enough, or the time is up
 * @property {number} precision the relative half-width of an interval that is narrow enough
 * @property {number} budgetMs for one comparison
 */

/**
 * One line of the table.
 *
 * @typedef {object} Row
 * @property {string} what
 * @property {{min?: number, max?: number} | null} bound null: only for information
 * @property {Estimate} estimate
 * @property {string} unit of bound and estimate; '' for a ratio
 * @property {{one: readonly number[], other: readonly number[], unit: string} | null} sides the compared figures, by pair
 *
 * @typedef {object} Estimate
 * @property {number} value
 * @property {readonly [low: number, high: number] | null} ci95 null: too few values for an interval
 * @property {number} count the number of pairs or values
 */

export {};
