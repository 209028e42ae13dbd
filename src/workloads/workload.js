/**
 * @import {Counts, Timed} from '../measure/counts.js'
 * @import {Table} from '../columns/tables.js'
 * @import {Usage} from '../measure/usage.js'
 * @import {WarmUp} from '../measure/warm-up.js'
 * @import {Option} from '../options/option.js'
 * @import {PayloadRing} from '../payload/ring.js'
 * @import {Report} from '../protocol.js'
 * @import {CpuRule} from '../results/cell-figures.js'
 * @import {CompletedRecord} from '../results/record-schema.js'
 * @import {Histogram} from '../stats/histogram.js'
 * @import {Capability, Client, OnRequest, Transport, Variant} from '../transports/transport.js'
 */

/**
 * A workload: what is sent when, and what the server does with it. docs/architecture.md says how to add one.
 *
 * @typedef {object} Workload
 * @property {string} name
 * @property {string} summary what it asks, in a few words
 * @property {readonly Option[]} options what it takes; those with a label make cells of their own
 * @property {readonly Capability[]} needs
 * @property {'latency' | 'rate'} figure what cells are compared by
 * @property {string} figureNote the same for a reader: what one figure of it is
 * @property {boolean} hasServer false: the clients talk to the broker alone
 * @property {string} [impliedBy] the key of the option that asks for this workload, when no other is asked for
 * @property {(record: Pick<CompletedRecord, 'openLoop' | 'phases'>) => Table} table how a record is shown
 * @property {boolean} [isRoundTrips] a client by hand reports round trips and no rate, which would only be the inverse of their mean
 * @property {(variant: Variant) => CpuRule} cpu what CPU per message counts
 * @property {string} cpuNote the same for a reader, and when it is a lower bound
 * @property {string} floorNote what raw TCP does in the cell that it is compared with
 * @property {(variant: Variant) => readonly ('client' | 'server')[]} busyRoles whose event loops are busy on purpose: no warning says so
 * @property {boolean} [isOpenEnded] how long a trial takes cannot be told from its length
 * @property {Dimensions} dimensions the settings that make cells of their own, and their values unless the person says
 * @property {(variant: Record<string, any>) => Record<string, any>} [complete] leaves out what has no meaning beside the other settings
 * @property {(variant: Record<string, any>) => readonly string[]} [ignores] options, by key, that it or all take and that have no effect on
 *   it with these settings
 * @property {(variant: Record<string, any>) => string | null} [refuse] why it cannot be run with these settings; null where it can
 * @property {(settings: Record<string, any>) => {payloadBytes: number, variant: Record<string, unknown>}[]} [sizes] in place of the
 *   payload sizes of the battle
 * @property {Record<string, readonly unknown[]>} [byHand] settings besides the dimensions that a script by hand takes
 * @property {(options: Record<string, any>) => number} concurrency connections that a client of HTTP keeps, for one
 * @property {(options: Record<string, any>) => Promise<PayloadRing>} [requests] where they are no
 *   payloads, so that nothing of the payload's size is held while they are under way
 * @property {(variant: Variant) => number | null} [offeredRate] messages per second of an open loop; null for a closed one
 * @property {(options: Record<string, any>) => boolean} [isPaced] whether requests go at times of their own, so that a window is but a bound
 * @property {(options: Record<string, any>) => Promise<(context: WorkloadContext) => Promise<WorkloadResult>>} client
 * @property {() => Promise<MakeHandler>} server
 *
 * @typedef {(transport: Transport, variant: Variant) =>
 *   Record<string, readonly unknown[]>} Dimensions a setting with a single value is named in a row only when another is asked for
 *
 * @typedef {object} WorkloadContext what a client role hands to a workload
 * @property {{client: Client, renew(): Promise<boolean>}} connection
 *   renew: closes the client and connects anew; false when the server did not answer within the timeout
 * @property {PayloadRing} ring
 * @property {ClientSettings} options every setting of the client
 * @property {AbortSignal} signal
 * @property {(sent?: number) => Promise<void>} warmedUp is called between warm-up and measured part, with how many messages the
 *   receiver should have got by then; resolves when all clients are there
 * @property {() => number} takeStrays replies since the last call that answered nothing that was outstanding
 * @property {(sent?: number) => void} onMeasured is called when the measured part is over, with how many messages the receiver should have got in it
 *
 * @typedef {Record<string, any> & {warmUp: WarmUp, samples: number | null, durationMs: number | null,
 *   timeoutMs: number, rate: number, arrivals: 'constant' | 'poisson', seed: number}} ClientSettings rate and arrivals in an open loop
 */

/**
 * What a client's end of a workload found, with the parts that the workload declares.
 *
 * @template {ResultParts} [Parts=ResultParts]
 * @typedef {ResultOfAny & Parts} WorkloadResult
 */

/**
 * @typedef {object} ResultOfAny what all workloads find
 * @property {Histogram | null} latency in ns: of round trips; in an open loop the response time. Null where nothing comes back
 * @property {Timed | null} timed what the rate is computed from; null: the receiver times
 * @property {Counts} counts
 * @property {{warm: boolean, discarded: number}} warmUp
 * @property {Usage} usage of the client over the measured part
 * @property {string | null} [mismatch] what was wrong with the first wrong message
 * @property {number} [payloadBytes] of a reply, where its request is no payload
 *
 * @typedef {object} ResultParts what only one workload finds
 * @property {Record<string, Histogram>} [beside] other distributions in ns
 * @property {Record<string, Timed>} [phases] parts that are timed apart
 * @property {Record<string, number>} [notes] other figures
 */

/**
 * @typedef {(context: {options: Record<string, any>}) => Promise<Handler>} MakeHandler
 *
 * @typedef {object} Handler the server's end
 * @property {OnRequest} onRequest
 * @property {() => void} [reset] the measured part begins
 * @property {() => Report} [report] what was received since; there where the servers count
 * @property {() => number} [received] distinct messages since
 * @property {(tell: (text: string, report: Report) => void) => void} [tellByHand] tell a person what was received, when there is something
 */
