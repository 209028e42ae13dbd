import type {Table} from '../columns/column.js';
import type {Accounted, Counts, Moments, Timed, Usage, WarmUp} from '../measure/types.js';
import type {ClientSettings, Consumed, Report, Scheduled, ServerSettings, Slice} from '../messages.js';
import type {Option, ScriptValuesOf} from '../options/contract.js';
import type {PayloadRing} from '../payload/ring.js';
import type {CompletedRecord} from '../results/record-schema.js';
import type {CpuRule} from '../results/types.js';
import type {Histogram} from '../stats/histogram.js';
import type {AnyVariant, Capability, Client, OnRequest, Transport} from '../transports/transport.js';

/**
 * A workload decides which messages are sent when, and how the server handles them. CONTRIBUTING.md describes how to add a workload. Own: its
 * settings in a cell, inferred from its options; Lists: these settings in a battle, where each may have several values.
 */
export type Workload<Own = any, Lists = any> = WorkloadRole<Own> & WorkloadDescription<Own, Lists>;

/** The part of a workload that its processes run. It is in `role.js`, because a role loads no options and no tables. */
export interface WorkloadRole<Own = any> {
  needs: readonly Capability[];
  /** False if the clients talk only to the broker. */
  hasServer: boolean;
  /** Whether the clients subscribe, and publish to all subscribers. */
  broadcasts?: boolean;
  /** Whether a client by hand reports round trips without a rate, which would only be the inverse of the mean. */
  isRoundTrips?: boolean;
  /** Messages of a trial without --samples, if a duration cannot bound the trial. */
  defaultSamples?: number;
  /** Requests in flight of one client, which is also the number of connections of an HTTP client. */
  concurrency: (options: Own) => number;
  /** Makes short requests, for a workload that does not send payloads. */
  requests?: (options: ClientSettings & Own) => Promise<PayloadRing>;
  /** Whether messages are sent at fixed times, so that a window is only a bound. */
  isPaced?: (options: Own) => boolean;
  client: (options: Own) => Promise<(context: WorkloadContext<Own>) => Promise<WorkloadResult>>;
  server?: () => Promise<MakeHandler<ServerSettings & Own>>;
}

/** The part of a workload for the battle, its tables and its help. */
export interface WorkloadDescription<Own = any, Lists = any> {
  name: string;
  /** A description in a few words. */
  summary: string;
  /** The same for an open loop, if it differs. */
  openLoopSummary?: string;
  /** The options of the workload. Options with a label form separate cells. */
  options: readonly Option[];
  /** The figure that cells are compared by. */
  figure: 'latency' | 'rate';
  /** How the figure of a cell follows from the rates of its trials; default: from their mean time per message. */
  aggregate?: 'mean' | 'median';
  /** Describes the figure, for docs/how-it-measures.md. */
  figureNote: string;
  /** Whether messages are answered; default: whether the workload needs `request`. */
  hasReplies?: (variant: Own) => boolean;
  /** The option with which the messages have latencies; default: they always have. */
  latenciesWith?: {flag: string; has: (variant: Own) => boolean};
  /** The key of an option that selects this workload, unless the user selects another one. */
  impliedBy?: string;
  /** The table for a record. */
  table: (record: Pick<CompletedRecord, 'openLoop' | 'phases'>) => Table;
  /** The rule for the CPU time per message. */
  cpu: (variant: Own) => CpuRule;
  /** Describes this rule, and when the CPU time is a lower bound, for docs/how-it-measures.md. */
  cpuNote: string;
  /** Describes what raw TCP does in the cell of the floor, for docs/how-it-measures.md. */
  floorNote: string;
  /** Roles whose event loops are busy on purpose, so that they cause no warning. */
  busyRoles: (variant: Own) => readonly ('client' | 'server')[];
  /** Whether one pair of processes may measure all payload sizes, one after the other; default: false. */
  sharesPair?: (variant: Own) => boolean;
  /** Whether the workload may be measured in short slices, in turn with other cells; default: false, because it needs a steady state. */
  isSliced?: (variant: Own, length: {samples: number | null; warmUp: WarmUp}) => boolean;
  /** Whether a trial may take longer than its configured length. */
  isOpenEnded?: boolean;
  /** The settings that form separate cells, with their default values. */
  dimensions: Dimensions<Own>;
  /** Leaves out settings that have no meaning in combination with the others. */
  complete?: (variant: Own) => Partial<Own>;
  /** Keys of options that have no effect with these settings. */
  ignores?: (variant: Own) => readonly string[];
  /** Says why the workload cannot run with these settings; null if it can. */
  refuse?: (variant: Own) => string | null;
  /** The workload's own sizes, which replace the payload sizes of the battle. */
  sizes?: (settings: Lists) => {payloadBytes: number; variant: Partial<Own>}[];
  /**
   * Present if the requests of the workload have a load of their own under faults, in `src/workloads/account/<name>`: one value of each setting that
   * has several values by default.
   */
  underFaults?: ListsOf<Own>;
  /** Why faults do not take the workload, in sentences. */
  withoutFaults?: string;
  /** Additional settings of a script by hand, with their values. */
  byHand?: ListsOf<Own>;
  /** Whether the maximum is always in flight during a closed loop; default: false. */
  keepsWindowFull?: boolean;
  /** Estimates the time of the measured part; default: the length of the cell. */
  estimateMs?: (
    cell: {durationMs: number | null; payloadBytes: number},
    roundTripMs: (payloadBytes: number) => number,
  ) => number;
  /**
   * Estimates the time of a message from that of a round trip without payload and the additional time of its bytes. isFirst: the message is part
   * of a new pair's warm-up. Default: a round trip if cells are compared by latency, an eighth of a round trip if they are compared by rate.
   */
  messageMs?: (
    roundTrip: {emptyMs: number; bytesMs: number},
    variant: Own,
    place: {isFirst: boolean},
  ) => number;
  /** Whether docs/adapter-contract.md describes the workload, so that third-party programs can run it; default: false. */
  supportsExternal?: (variant: Own) => boolean;
  /** Messages per second of an open loop; null for a closed loop. */
  offeredRate?: (variant: Own) => number | null;
  /** Whether a cell shows the parts of its round trips. */
  hasBreakdown?: (variant: Own) => boolean;
}

/** The settings of a workload in one cell. A battle sets `clients`, and only the battle knows `servers`. */
export type OwnSettings<Options extends readonly Option[]> = Omit<
  ScriptValuesOf<Options[number]>,
  'clients' | 'servers'
> & {clients?: number};

export type ListsOf<Own> = {[Key in keyof Own]?: readonly Own[Key][]};

/** A row names a setting with a single value only if the user selects another value. */
export type Dimensions<Own> = (transport: Transport, variant: AnyVariant) => ListsOf<Own>;

/** The settings that every workload needs. */
export type LoadSettings = Pick<
  ClientSettings,
  'samples' | 'durationMs' | 'warmUp' | 'timeoutMs' | 'seed' | 'client'
>;

/** The arguments of a workload from its client role. Own: the settings of the workload that are used. */
export interface WorkloadContext<Own = {}> {
  /** Renew: closes the client and reconnects; false when the server did not answer within the timeout. */
  connection: {
    client: Client;
    /** The available servers and brokers; missing in tests. */
    options?: {servers: readonly string[]; brokers?: readonly object[]};
    renew(how?: {toNextServer?: boolean; waitMs?: number}): Promise<boolean>;
    /** Opens an additional connection, which the caller closes; missing in tests. */
    another?(): Promise<Client>;
  };
  ring: PayloadRing;
  /** The small payloads of the first requests of a new pair; null if the pair is not new, or its warm-up is not automatic. */
  warmUpRing?: PayloadRing | null;
  options: LoadSettings & Own;
  signal: AbortSignal;
  /**
   * Must be called between warm-up and measured part. `sent`: the number of messages that the receiver should have by then; `typicalMs`: the
   * median of the round trips so far. Resolves when all clients are warm.
   */
  warmedUp: (sent?: number, typicalMs?: number | null) => Promise<void>;
  /** Must be called after warmedUp. Yields the slices to measure, one after the other; null: measure in one piece. */
  slices?: () => AsyncIterable<SliceContext> | null;
  /** Returns the number of replies since the previous call that matched no request in flight. */
  takeStrays: () => number;
  /** Gets the reports of a consumer under faults; missing in tests. */
  onConsumed?: OnConsumed;
  /** Must be called at the end of the measured part, with the number of messages that the receiver should have in it. */
  onMeasured: (sent?: number) => void;
}

export type OnConsumed = (done: Omit<Consumed, 'event' | 'phase' | 'atMs'>) => void;

/** Counted: must be called with the start of the counted time, by `performance.now()`, and with its end if that is not the end of the slice. */
export type SliceContext = Slice & {counted: (fromMs: number, toMs?: number) => void};

/** The result of the client of a workload, with the parts that the workload declares. */
export type WorkloadResult<Parts extends ResultParts = ResultParts> = ResultOfAny & Parts;

/** Parts of the results of all workloads. */
export interface ResultOfAny {
  /** In ns: of round trips; in an open loop the response time. Null without replies. */
  latency: Histogram | null;
  /** The basis of the rate; null if the receiver times the messages. */
  timed: Timed | null;
  /** Only of an open loop. */
  schedule?: Scheduled | null;
  counts: Counts;
  warmUp: {discarded: number};
  /** Means in ms of ten parts of the measured samples; null for too few samples. */
  windows?: number[] | null;
  /** Moments of the measured part, if requested. */
  moments?: Moments;
  /** Usage of the client over the measured part. */
  usage: Usage;
  /** Description of the first wrong message. */
  mismatch?: string | null;
  /** Size of a reply, if requests are not payloads. */
  payloadBytes?: number;
  account?: Accounted;
}

/** Parts of the result of one workload. */
export interface ResultParts {
  /** Other distributions in ns. */
  beside?: Record<string, Histogram>;
  /** Parts that are timed separately. */
  phases?: Record<string, Timed>;
  /** Other figures. */
  notes?: Record<string, number>;
}

/** Used: the settings that are used; onConsumed: gets the reports of a receiver under faults, missing by hand. */
export type MakeHandler<Used = {}> = (context: {options: Used; onConsumed?: OnConsumed}) => Promise<Handler>;

/** The server of a workload. */
export interface Handler {
  onRequest: OnRequest;
  /** Called when the measured part starts. */
  reset?: () => void;
  /** Reports what was received since the last reset; only if the servers count. */
  report?: () => Report;
  /** Moments of the requests since the last reset, if requested. */
  moments?: () => Moments;
  /** Number of distinct messages since the last reset. */
  received?: () => number;
  /** Prints a report if there is something new. */
  reportByHand?: (print: (text: string, report: Report) => void) => void;
}

/** `abandoned`: the watchdog gave up, so a reply that arrives now is ignored. */
export type Watch = {abandoned: boolean};

/**
 * The end of a measured part: a number of samples or a time by performance.now(), whichever comes first, but not before `least` samples.
 * Samples are counted from the beginning of the measurement.
 */
export type Until = {samples: number; atMs: number; least: number};

/** Checks whether a reply belongs to its request. */
export type ReplyCheck = {check(reply: unknown, sequence: number, content?: number): boolean};

/** The spacing of the messages of an open loop. */
export type Arrivals = 'constant' | 'poisson';
