/**
 * @import {Fingerprint} from '../results/fingerprint.js'
 * @import {Figures} from '../results/record-schema.js'
 * @import {JournalTrial} from '../results/trial.js'
 * @import {AnyVariant} from '../transports/transport.js'
 */

/**
 * The facts about a cell on which its verdict is based.
 * @typedef {object} Evidence
 * @property {string} id
 * @property {string} transport
 * @property {AnyVariant & {clients?: number}} variant
 * @property {string} workload
 * @property {'latency' | 'rate'} comparedBy
 * @property {'mean' | 'median'} overTrials how the figures of its trials make that of the cell
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
