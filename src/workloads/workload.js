/**
 * @import {Counts, Timed} from '../measure/counts.js'
 * @import {Table} from '../columns/tables.js'
 * @import {Moments} from '../measure/clock.js'
 * @import {Usage} from '../measure/usage.js'
 * @import {Option, ScriptValuesOf} from '../options/option.js'
 * @import {PayloadRing} from '../payload/ring.js'
 * @import {ClientSettings, Report, Scheduled, ServerSettings, Slice} from '../protocol.js'
 * @import {CpuRule} from '../results/cell-resources.js'
 * @import {CompletedRecord} from '../results/record-schema.js'
 * @import {Histogram} from '../stats/histogram.js'
 * @import {Capability, Client, OnRequest, Transport, AnyVariant} from '../transports/transport.js'
 */

/**
 * A workload: what is sent when, and what the server does with it. CONTRIBUTING.md says how to add one.
 *
 * @template [Own=any] its own settings in a cell, inferred from its options
 * @template [Lists=any] the same in the battle, where each may have several values
 * @typedef {WorkloadRole<Own> & WorkloadDescription<Own, Lists>} Workload
 */

/**
 * What its processes run. It is in a file of its own, `role.js`: a role loads no options and no tables.
 *
 * @template [Own=any]
 * @typedef {object} WorkloadRole
 * @property {readonly Capability[]} needs
 * @property {boolean} hasServer false: the clients talk to the broker alone
 * @property {boolean} [isRoundTrips] a client by hand reports round trips, without a rate: it would only be the inverse of the mean
 * @property {number} [defaultSamples] messages of a trial without --samples, where a duration cannot bound it
 * @property {(options: Own) => number} concurrency requests in flight of one client, and so the connections of an HTTP client
 * @property {(options: ClientSettings & Own) => Promise<PayloadRing>} [requests] makes the requests of a workload
 *   that does not send payloads, but short messages that ask for them
 * @property {(options: Own) => boolean} [isPaced] whether messages are sent at times fixed beforehand, so that a window is only a bound
 * @property {(options: Own) => Promise<(context: WorkloadContext<Own>) => Promise<WorkloadResult>>} client
 * @property {() => Promise<MakeHandler<ServerSettings & Own>>} server
 */

/**
 * What a battle, its tables and its help know of it.
 *
 * @template [Own=any]
 * @template [Lists=any]
 * @typedef {object} WorkloadDescription
 * @property {string} name
 * @property {string} summary what it does, in a few words
 * @property {readonly Option[]} options what it takes; those with a label make cells of their own
 * @property {'latency' | 'rate'} figure what cells are compared by
 * @property {'mean' | 'median'} [aggregate] how the rates of the trials make that of the cell; default their mean time per message
 * @property {string} figureNote what its figure is, for docs/method.md
 * @property {(variant: Own) => boolean} [hasReplies] whether messages are answered; default whether it needs `request`
 * @property {{flag: string, has: (variant: Own) => boolean}} [latenciesWith] the option with which its messages have latencies; default: they
 *   always have
 * @property {string} [impliedBy] the key of an option that selects this workload, unless a person selects another
 * @property {(record: Pick<CompletedRecord, 'openLoop' | 'phases'>) => Table} table how a record is shown
 * @property {(variant: Own) => CpuRule} cpu what CPU per message counts
 * @property {string} cpuNote the same for docs/method.md, and when it is a lower bound
 * @property {string} floorNote what raw TCP does in the cell of the floor, for docs/method.md
 * @property {(variant: Own) => readonly ('client' | 'server')[]} busyRoles roles whose event loops are busy on purpose, so that no warning
 *   is due
 * @property {(variant: Own) => boolean} [sharesPair] whether one pair of processes may measure all payload sizes, one after the other; by
 *   default it measures one
 * @property {(variant: Own, length: {samples: number | null}) => boolean} [isSliced] whether it may be measured in short slices, in turn with other
 *   cells; default false, because it needs a steady state
 * @property {boolean} [isOpenEnded] the length of a trial does not bound its duration
 * @property {Dimensions<Own>} dimensions the settings that make cells of their own, with their default values
 * @property {(variant: Own) => Partial<Own>} [complete] leaves out settings that have no meaning beside the others
 * @property {(variant: Own) => readonly string[]} [ignores] options, by key, that it or all take and that have no effect on
 *   it with these settings
 * @property {(variant: Own) => string | null} [refuse] why it cannot run with these settings; null if it can
 * @property {(settings: Lists) => {payloadBytes: number, variant: Partial<Own>}[]} [sizes] its own sizes, in place of
 *   the payload sizes of the battle
 * @property {ListsOf<Own>} [byHand] more settings that a script by hand takes, with their values
 * @property {boolean} [keepsWindowFull] whether that many are always in flight while a closed loop is measured; default false
 * @property {(cell: {durationMs: number | null, payloadBytes: number}, roundTripMs: (payloadBytes: number) => number) => number} [estimateMs] about
 *   how long the measured part takes, for estimates; by default as long as the cell says
 * @property {(roundTrip: {emptyMs: number, bytesMs: number}, variant: Own, place: {isFirst: boolean}) => number} [messageMs] about how long a message
 *   takes, for estimates, from what a round trip takes without payload and what its bytes add; isFirst: one of those with which a new pair warms up.
 *   By default a round trip where cells are compared by latency, and an eighth of it where they are compared by rate
 * @property {(variant: Own) => boolean} [supportsExternal] whether docs/adapters.md describes it, so that programs of other authors can run
 *   it; default false
 * @property {(variant: Own) => number | null} [offeredRate] messages per second of an open loop; null for a closed one
 * @property {(variant: Own) => boolean} [hasBreakdown] whether a cell shows what its round trips consist of
 */

/**
 * The settings of a workload, of one cell. A battle sets `clients`, and only the battle knows `servers`.
 * @template {readonly Option[]} Options
 * @typedef {Omit<ScriptValuesOf<Options[number]>, 'clients' | 'servers'> & {clients?: number}} OwnSettings
 */

/**
 * @template Own
 * @typedef {{[Key in keyof Own]?: readonly Own[Key][]}} ListsOf
 */

/**
 * A setting with a single value is named in a row only when another is asked for.
 * @template Own
 * @typedef {(transport: Transport, variant: AnyVariant) => ListsOf<Own>} Dimensions
 */

/** @typedef {Pick<ClientSettings, 'samples' | 'durationMs' | 'warmUp' | 'timeoutMs' | 'seed' | 'client'>} LoadSettings what every workload needs */

/**
 * What a client role hands to a workload.
 * @template [Own={}] the settings of the workload that are used
 * @typedef {object} WorkloadContext
 * @property {{client: Client, renew(): Promise<boolean>}} connection
 *   renew: closes the client and connects again; false when the server did not answer within the timeout
 * @property {PayloadRing} ring
 * @property {PayloadRing | null} [warmUpRing] the payloads of the first requests of a new pair, small ones; null: the pair is not new, or its
 *   warm-up is not automatic
 * @property {LoadSettings & Own} options
 * @property {AbortSignal} signal
 * @property {(sent?: number, typicalMs?: number | null) => Promise<void>} warmedUp call it between warm-up and measured part, with the number of messages
 *   that the receiver should have by then, and the median of the round trips so far; resolves when all clients are warm
 * @property {() => AsyncIterable<SliceContext> | null} [slices] call it after that: the slices in which to measure, one after the other; null: in
 *   one piece
 * @property {() => number} takeStrays the number of replies since the last call that answered no request in flight
 * @property {(sent?: number) => void} onMeasured call it at the end of the measured part, with the number of messages that the receiver
 *   should have in it
 */

/** @typedef {Slice & {counted: (fromMs: number) => void}} SliceContext counted: call it with the time since when it counted, by `performance.now()` */

/**
 * What the client of a workload measured, with the parts that the workload declares.
 *
 * @template {ResultParts} [Parts=ResultParts]
 * @typedef {ResultOfAny & Parts} WorkloadResult
 */

/**
 * @typedef {object} ResultOfAny parts of all workloads
 * @property {Histogram | null} latency in ns: of round trips; in an open loop the response time. Null if there are no replies
 * @property {Timed | null} timed what the rate is computed from; null: the receiver times
 * @property {Scheduled | null} [schedule] of an open loop
 * @property {Counts} counts
 * @property {{discarded: number}} warmUp
 * @property {number[] | null} [windows] means in ms of ten parts of the measured samples; null where there are too few
 * @property {Moments} [moments] of the measured part, if they are asked for
 * @property {Usage} usage of the client over the measured part
 * @property {string | null} [mismatch] what was wrong with the first wrong message
 * @property {number} [payloadBytes] of a reply, if requests are no payloads
 *
 * @typedef {object} ResultParts parts of one workload
 * @property {Record<string, Histogram>} [beside] other distributions in ns
 * @property {Record<string, Timed>} [phases] parts that are timed apart
 * @property {Record<string, number>} [notes] other figures
 */

/**
 * @template [Used={}] the settings that are used
 * @typedef {(context: {options: Used}) => Promise<Handler>} MakeHandler
 */

/**
 * @typedef {object} Handler the server of a workload
 * @property {OnRequest} onRequest
 * @property {() => void} [reset] called when the measured part starts
 * @property {() => Report} [report] what was received since then; there if the servers count
 * @property {() => Moments} [moments] of the requests since then, if they are asked for
 * @property {() => number} [received] distinct messages since then
 * @property {(print: (text: string, report: Report) => void) => void} [reportByHand] prints what was received, if there is something new
 */
