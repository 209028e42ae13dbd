/**
 * @import {Fingerprint} from '../results/fingerprint.js'
 * @import {Figures} from '../results/record-schema.js'
 * @import {JournalTrial} from '../results/trial.js'
 * @import {AnyVariant} from '../transports/transport.js'
 */

/**
 * What a verdict is made from.
 * @typedef {object} Evidence
 * @property {string} id
 * @property {string} transport
 * @property {AnyVariant & {clients?: number}} variant
 * @property {string} workload
 * @property {'latency' | 'rate'} comparedBy
 * @property {boolean} isFloor whether others are compared with its transport
 * @property {number} maxInFlight requests of each client
 * @property {readonly ('client' | 'server')[]} busyRoles whose event loops the workload keeps busy on purpose
 * @property {number} payloadBytes
 * @property {Fingerprint} host
 * @property {Omit<Figures, 'verdict'>} figures
 * @property {readonly JournalTrial[]} trials those that count
 */
