/**
 * @import {Counts, Timed} from '../measure/counts.js'
 * @import {Table} from '../columns/tables.js'
 * @import {Usage} from '../measure/usage.js'
 * @import {Option, ScriptValuesOf} from '../options/option.js'
 * @import {PayloadRing} from '../payload/ring.js'
 * @import {ClientSettings, Report, ServerSettings} from '../protocol.js'
 * @import {CpuRule} from '../results/cell-figures.js'
 * @import {CompletedRecord} from '../results/record-schema.js'
 * @import {Histogram} from '../stats/histogram.js'
 * @import {Capability, Client, OnRequest, Transport, AnyVariant} from '../transports/transport.js'
 */

/**
 * A workload: what is sent when, and what the server does with it. docs/architecture.md says how to add one.
 *
 * @template [Own=any] its own settings in a cell, inferred from its options
 * @template [Lists=any] the same in the battle, where each may have several values
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
 * @property {(variant: Own) => CpuRule} cpu what CPU per message counts
 * @property {string} cpuNote the same for a reader, and when it is a lower bound
 * @property {string} floorNote what raw TCP does in the cell that it is compared with
 * @property {(variant: Own) => readonly ('client' | 'server')[]} busyRoles whose event loops are busy on purpose: no warning says so
 * @property {boolean} [isOpenEnded] how long a trial takes cannot be told from its length
 * @property {Dimensions<Own>} dimensions the settings that make cells of their own, and their values unless the person says
 * @property {(variant: Own) => Partial<Own>} [complete] leaves out what has no meaning beside the other settings
 * @property {(variant: Own) => readonly string[]} [ignores] options, by key, that it or all take and that have no effect on
 *   it with these settings
 * @property {(variant: Own) => string | null} [refuse] why it cannot be run with these settings; null where it can
 * @property {(settings: Lists) => {payloadBytes: number, variant: Partial<Own>}[]} [sizes] in place of the
 *   payload sizes of the battle
 * @property {ListsOf<Own>} [byHand] settings besides the dimensions that a script by hand takes
 * @property {(options: Own) => number} concurrency connections that a client of HTTP keeps, for one
 * @property {(options: ClientSettings & Own) => Promise<PayloadRing>} [requests] where they are no
 *   payloads, so that nothing of the payload's size is held while they are under way
 * @property {(variant: Own) => number | null} [offeredRate] messages per second of an open loop; null for a closed one
 * @property {(options: Own) => boolean} [isPaced] whether requests go at times of their own, so that a window is but a bound
 * @property {(options: Own) => Promise<(context: WorkloadContext<Own>) => Promise<WorkloadResult>>} client
 * @property {() => Promise<MakeHandler<ServerSettings & Own>>} server
 */

/**
 * The settings of a workload, of one cell. `clients` is there in a battle; `servers` is only the battle's to know.
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
 *   renew: closes the client and connects anew; false when the server did not answer within the timeout
 * @property {PayloadRing} ring
 * @property {LoadSettings & Own} options
 * @property {AbortSignal} signal
 * @property {(sent?: number) => Promise<void>} warmedUp is called between warm-up and measured part, with how many messages the
 *   receiver should have got by then; resolves when all clients are there
 * @property {() => number} takeStrays replies since the last call that answered nothing that was outstanding
 * @property {(sent?: number) => void} onMeasured is called when the measured part is over, with how many messages the receiver should have got in it
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
 * @template [Used={}] the settings that are used
 * @typedef {(context: {options: Used}) => Promise<Handler>} MakeHandler
 */

/**
 * @typedef {object} Handler the server's end
 * @property {OnRequest} onRequest
 * @property {() => void} [reset] the measured part begins
 * @property {() => Report} [report] what was received since; there where the servers count
 * @property {() => number} [received] distinct messages since
 * @property {(tell: (text: string, report: Report) => void) => void} [tellByHand] tell a person what was received, when there is something
 */
