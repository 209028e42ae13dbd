/**
 * @import {WarmUp} from '../measure/warm-up.js'
 * @import {Variant} from '../settings/index.js'
 * @import {TransportModule} from '../transports/transport.js'
 */

/**
 * One variant × workload × payload.
 *
 * @typedef {object} Cell
 * @property {number} number from 1, as planned
 * @property {string} transport
 * @property {Variant} variant every setting in force
 * @property {string} workload
 * @property {number} payloadBytes
 * @property {Length} length of a trial
 * @property {Labels} labels how tables name it
 * @property {TransportModule} [module] where a transport that is not part of perf-battle comes from
 *
 * @typedef {object} Length whichever is first of samples and duration
 * @property {number | null} samples
 * @property {number | null} durationMs
 * @property {boolean} [isOpen] whether the battle decides the duration, once some rounds have shown how the cell varies
 * @property {WarmUp} warmUp
 * @property {boolean} [inSlices] whether it is divided into slices, in turn with other cells; missing in journals of version 0.1.0, without slices
 *
 * @typedef {object} Labels
 * @property {string} facilitator RabbitMQ, HTTP, …
 * @property {string | null} qualifier what tells the usual variants apart: mode 1
 * @property {string[]} settings that are not the default
 * @property {string} persistent Yes, No or *N/A*
 */
