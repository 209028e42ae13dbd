/**
 * @import {Fingerprint} from '../results/fingerprint.js'
 * @import {Figures} from '../results/record-schema.js'
 * @import {JournalTrial} from '../results/trial.js'
 * @import {AnyVariant} from '../transports/transport.js'
 */

/**
 * A warning, declared once: docs/method.md lists code, condition and advice; a record holds code, sentence and advice.
 *
 * @typedef {object} WarningDeclaration
 * @property {string} code
 * @property {'wide' | 'suspect'} level the status of a cell that has it; suspect outranks wide
 * @property {'paired' | 'in turn'} [sparesRatios] ratios hold nevertheless of cells that are paired by round; in turn: and that it slowed alike
 * @property {boolean} [sparesRate] the rate that was achieved is right nevertheless
 * @property {boolean} [onlySlows] the true time is at most what was measured, and the true rate at least
 * @property {string} condition when a cell has it
 * @property {(cell: Evidence, cells: readonly Evidence[]) => string | null} sentence what is wrong with this cell, or null; cells: all
 *   completed cells of the battle
 * @property {string} advice
 * @property {(cell: Evidence) => string} [adviceFor] the advice for a cell, if not the same helps all of them
 * @property {(rounds: number) => string} [ofQuick] what is said in place of condition and advice where the short rounds of --quick are the reason
 */

/**
 * The facts about a cell on which its verdict is based.
 * @typedef {object} Evidence
 * @property {string} id
 * @property {string} transport
 * @property {AnyVariant & {clients?: number}} variant
 * @property {string} workload
 * @property {'latency' | 'rate'} comparedBy
 * @property {'mean' | 'median'} aggregate how the figures of its trials make that of the cell
 * @property {boolean} isFloor whether its transport is the floor for the others
 * @property {boolean} [mayBeatFloor] whether it may be faster: the floor is raw TCP of Node.js, and it runs in another language or does not use TCP
 * @property {number} maxInFlight requests of each client
 * @property {boolean} keepsWindowFull whether a client always has that many in flight
 * @property {readonly ('client' | 'server')[]} busyRoles whose event loops the workload keeps busy on purpose
 * @property {number} payloadBytes
 * @property {Fingerprint} host
 * @property {Omit<Figures, 'verdict'>} figures
 * @property {readonly JournalTrial[]} trials those that count
 */
