import type {Table} from '../columns/column.js';
import type {Accounted, Counts, Moments, Timed, Usage} from '../measure/types.js';
import type {ClientSettings, Consumed, Report, Scheduled, ServerSettings, Slice} from '../messages.js';
import type {Option, ScriptValuesOf} from '../options/contract.js';
import type {PayloadRing} from '../payload/ring.js';
import type {CompletedRecord} from '../results/record-schema.js';
import type {CpuRule} from '../results/types.js';
import type {Histogram} from '../stats/histogram.js';
import type {AnyVariant, Capability, Client, OnRequest, Transport} from '../transports/transport.js';

/**
 * A workload: what is sent when, and what the server does with it. CONTRIBUTING.md says how to add one. Own: its own settings in a cell,
 * inferred from its options; Lists: the same in the battle, where each may have several values.
 */
export type Workload<Own = any, Lists = any> = WorkloadRole<Own> & WorkloadDescription<Own, Lists>;

/** What its processes run. It is in a file of its own, `role.js`: a role loads no options and no tables. */
export interface WorkloadRole<Own = any> {
  needs: readonly Capability[];
  /** False: the clients talk to the broker alone. */
  hasServer: boolean;
  /** Whether its clients publish to all that subscribe, and subscribe. */
  broadcasts?: boolean;
  /** A client by hand reports round trips, without a rate: it would only be the inverse of the mean. */
  isRoundTrips?: boolean;
  /** Messages of a trial without --samples, where a duration cannot bound it. */
  defaultSamples?: number;
  /** Requests in flight of one client, and so the connections of an HTTP client. */
  concurrency: (options: Own) => number;
  /** Makes the requests of a workload that does not send payloads, but short messages that ask for them. */
  requests?: (options: ClientSettings & Own) => Promise<PayloadRing>;
  /** Whether messages are sent at times fixed beforehand, so that a window is only a bound. */
  isPaced?: (options: Own) => boolean;
  client: (options: Own) => Promise<(context: WorkloadContext<Own>) => Promise<WorkloadResult>>;
  server?: () => Promise<MakeHandler<ServerSettings & Own>>;
}

/** What a battle, its tables and its help know of it. */
export interface WorkloadDescription<Own = any, Lists = any> {
  name: string;
  /** What it does, in a few words. */
  summary: string;
  /** What it takes; those with a label make cells of their own. */
  options: readonly Option[];
  /** What cells are compared by. */
  figure: 'latency' | 'rate';
  /** How the rates of the trials make that of the cell; default their mean time per message. */
  aggregate?: 'mean' | 'median';
  /** What its figure is, for docs/how-it-measures.md. */
  figureNote: string;
  /** Whether messages are answered; default whether it needs `request`. */
  hasReplies?: (variant: Own) => boolean;
  /** The option with which its messages have latencies; default: they always have. */
  latenciesWith?: {flag: string; has: (variant: Own) => boolean};
  /** The key of an option that selects this workload, unless a person selects another. */
  impliedBy?: string;
  /** How a record is shown. */
  table: (record: Pick<CompletedRecord, 'openLoop' | 'phases'>) => Table;
  /** What CPU per message counts. */
  cpu: (variant: Own) => CpuRule;
  /** The same for docs/how-it-measures.md, and when it is a lower bound. */
  cpuNote: string;
  /** What raw TCP does in the cell of the floor, for docs/how-it-measures.md. */
  floorNote: string;
  /** Roles whose event loops are busy on purpose, so that no warning is due. */
  busyRoles: (variant: Own) => readonly ('client' | 'server')[];
  /** Whether one pair of processes may measure all payload sizes, one after the other; by default it measures one. */
  sharesPair?: (variant: Own) => boolean;
  /** Whether it may be measured in short slices, in turn with other cells; default false, because it needs a steady state. */
  isSliced?: (variant: Own, length: {samples: number | null}) => boolean;
  /** The length of a trial does not bound its duration. */
  isOpenEnded?: boolean;
  /** The settings that make cells of their own, with their default values. */
  dimensions: Dimensions<Own>;
  /** Leaves out settings that have no meaning beside the others. */
  complete?: (variant: Own) => Partial<Own>;
  /** Options, by key, that it or all take and that have no effect on it with these settings. */
  ignores?: (variant: Own) => readonly string[];
  /** Why it cannot run with these settings; null if it can. */
  refuse?: (variant: Own) => string | null;
  /** Its own sizes, in place of the payload sizes of the battle. */
  sizes?: (settings: Lists) => {payloadBytes: number; variant: Partial<Own>}[];
  /** More settings that a script by hand takes, with their values. */
  byHand?: ListsOf<Own>;
  /** Whether that many are always in flight while a closed loop is measured; default false. */
  keepsWindowFull?: boolean;
  /** About how long the measured part takes, for estimates; by default as long as the cell says. */
  estimateMs?: (
    cell: {durationMs: number | null; payloadBytes: number},
    roundTripMs: (payloadBytes: number) => number,
  ) => number;
  /**
   * About how long a message takes, for estimates, from what a round trip takes without payload and what its bytes add; isFirst: one of
   * those with which a new pair warms up. By default a round trip where cells are compared by latency, and an eighth of it where they are
   * compared by rate.
   */
  messageMs?: (
    roundTrip: {emptyMs: number; bytesMs: number},
    variant: Own,
    place: {isFirst: boolean},
  ) => number;
  /** Whether docs/adapter-contract.md describes it, so that programs of other authors can run it; default false. */
  supportsExternal?: (variant: Own) => boolean;
  /** Messages per second of an open loop; null for a closed one. */
  offeredRate?: (variant: Own) => number | null;
  /** Whether a cell shows what its round trips consist of. */
  hasBreakdown?: (variant: Own) => boolean;
}

/** The settings of a workload, of one cell. A battle sets `clients`, and only the battle knows `servers`. */
export type OwnSettings<Options extends readonly Option[]> = Omit<
  ScriptValuesOf<Options[number]>,
  'clients' | 'servers'
> & {clients?: number};

export type ListsOf<Own> = {[Key in keyof Own]?: readonly Own[Key][]};

/** A setting with a single value is named in a row only when another is asked for. */
export type Dimensions<Own> = (transport: Transport, variant: AnyVariant) => ListsOf<Own>;

/** What every workload needs. */
export type LoadSettings = Pick<
  ClientSettings,
  'samples' | 'durationMs' | 'warmUp' | 'timeoutMs' | 'seed' | 'client'
>;

/** What a client role hands to a workload. Own: the settings of the workload that are used. */
export interface WorkloadContext<Own = {}> {
  /** Renew: closes the client and connects again; false when the server did not answer within the timeout. */
  connection: {
    client: Client;
    /** How many there are to choose among; missing in tests. */
    options?: {servers: readonly string[]; brokers?: readonly object[]};
    renew(how?: {toNextServer?: boolean}): Promise<boolean>;
    /** Connects once more, beside the others. The caller closes it; missing in tests. */
    another?(): Promise<Client>;
  };
  ring: PayloadRing;
  /** The payloads of the first requests of a new pair, small ones; null: the pair is not new, or its warm-up is not automatic. */
  warmUpRing?: PayloadRing | null;
  options: LoadSettings & Own;
  signal: AbortSignal;
  /**
   * Call it between warm-up and measured part, with the number of messages that the receiver should have by then, and the median of the
   * round trips so far; resolves when all clients are warm.
   */
  warmedUp: (sent?: number, typicalMs?: number | null) => Promise<void>;
  /** Call it after that: the slices in which to measure, one after the other; null: in one piece. */
  slices?: () => AsyncIterable<SliceContext> | null;
  /** The number of replies since the last call that answered no request in flight. */
  takeStrays: () => number;
  /** What a consumer under faults calls with what it did; missing in tests. */
  onConsumed?: (done: Omit<Consumed, 'event' | 'phase' | 'atMs'>) => void;
  /** Call it at the end of the measured part, with the number of messages that the receiver should have in it. */
  onMeasured: (sent?: number) => void;
}

/** Counted: call it with the time since when it counted, by `performance.now()`. */
export type SliceContext = Slice & {counted: (fromMs: number) => void};

/** What the client of a workload measured, with the parts that the workload declares. */
export type WorkloadResult<Parts extends ResultParts = ResultParts> = ResultOfAny & Parts;

/** Parts of all workloads. */
export interface ResultOfAny {
  /** In ns: of round trips; in an open loop the response time. Null if there are no replies. */
  latency: Histogram | null;
  /** What the rate is computed from; null: the receiver times. */
  timed: Timed | null;
  /** Of an open loop. */
  schedule?: Scheduled | null;
  counts: Counts;
  warmUp: {discarded: number};
  /** Means in ms of ten parts of the measured samples; null where there are too few. */
  windows?: number[] | null;
  /** Of the measured part, if they are asked for. */
  moments?: Moments;
  /** Of the client over the measured part. */
  usage: Usage;
  /** What was wrong with the first wrong message. */
  mismatch?: string | null;
  /** Of a reply, if requests are no payloads. */
  payloadBytes?: number;
  account?: Accounted;
}

/** Parts of one workload. */
export interface ResultParts {
  /** Other distributions in ns. */
  beside?: Record<string, Histogram>;
  /** Parts that are timed apart. */
  phases?: Record<string, Timed>;
  /** Other figures. */
  notes?: Record<string, number>;
}

/** Used: the settings that are used. */
export type MakeHandler<Used = {}> = (context: {options: Used}) => Promise<Handler>;

/** The server of a workload. */
export interface Handler {
  onRequest: OnRequest;
  /** Called when the measured part starts. */
  reset?: () => void;
  /** What was received since then; there if the servers count. */
  report?: () => Report;
  /** Of the requests since then, if they are asked for. */
  moments?: () => Moments;
  /** Distinct messages since then. */
  received?: () => number;
  /** Prints what was received, if there is something new. */
  reportByHand?: (print: (text: string, report: Report) => void) => void;
}

/** `abandoned`: the watchdog gave up, so a reply that arrives now is ignored. */
export type Watch = {abandoned: boolean};

/**
 * When a measured part ends: at a number of samples or at a time by performance.now(), whichever comes first, but not before it has
 * `least` samples. Samples are counted from the begin of the measurement.
 */
export type Until = {samples: number; atMs: number; least: number};

/** Whether a reply is that of its request. */
export type ReplyCheck = {check(reply: unknown, sequence: number, content?: number): boolean};

/** How messages of an open loop are spaced. */
export type Arrivals = 'constant' | 'poisson';
