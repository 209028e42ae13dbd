/**
 * The types of `import … from 'perf-battle'` (docs/api.md). They need no other package, neither those of Node.js nor of a browser. The type checker
 * compares them with the program (test/api/types.test.js).
 */
import type {BattleSettings, CellRecord, ErrorCode, FaultSettings} from './declared.js';
import type {Declaration} from './transport.js';

export type {BattleSettings, CellRecord, FaultSettings};
export type CompletedRecord = Extract<CellRecord, {outcome: 'completed'}>;

/** The `AbortSignal` of the program that uses this one. Without a library that has it, any object of that kind. */
export type Signal = typeof globalThis extends {AbortSignal: {prototype: infer One}}
  ? One
  : {readonly aborted: boolean; readonly reason: unknown};

/**
 * Runs a battle as the command does, and prints nothing. A cell that fails has a record that says so; only what ends the whole battle is thrown.
 * @param settings the options of a battle. With `results`, rows are appended to that file, and the journal beside it is kept, as by the command;
 *   without it, no file is written. transports: of your own, which `transport` can name; without it they are added to those of a battle
 * @param control signal: ends the battle and all of its processes
 * @returns rejects with a UsageError for settings that are not allowed, with a RunError when results cannot be stored, and with the reason of the
 *   signal
 */
export declare function battle(settings?: BattleSettings & Transports, control?: {signal?: Signal}): Battle;
export declare function battle(
  settings: BattleSettings & TransportsWithSettings,
  control?: {signal?: Signal},
): Battle;

export interface Transports {
  /** Transports of your own: what `defineTransport` returned, a path, or a package. */
  transports?: readonly (Declaration | string)[] | undefined;
}

/** Transports of your own, and any settings that they declare. */
export interface TransportsWithSettings {
  transports: readonly (Declaration | string)[];
  readonly [setting: string]: unknown;
}

/**
 * A promise of the results. Read in a `for await`, it gives what happens meanwhile, from the beginning, and at the end throws what the battle throws.
 */
export type Battle = Promise<BattleDocument> & AsyncIterable<ProgressEvent>;

/** What --json prints: `battle`, and `cells` with a record each; also `expectations` and `sides`, if there are any. */
export interface BattleDocument {
  battle: {
    id: string;
    startedAt: string;
    environment: string;
    machine: string;
    hosts: Record<string, Fingerprint>;
    roles: {client: string; server: string};
    brokers: Record<string, string>;
    placementNotes?: readonly string[];
    versions: Record<string, string | null>;
    linkBytesPerSecond?: number | null;
    config: Record<string, unknown>;
  };
  cells: CellRecord[];
  expectations?: Judgement[];
  sides?: SideComparison[];
}

/** What is known of a host. */
export interface Fingerprint {
  hostname: string;
  /** its model */
  cpu: string | null;
  /** that processes may use, by their affinity */
  cores: number;
  /** all that the host has; missing in older journals */
  hostCores?: number;
  memoryBytes: number;
  architecture: string;
  os: string;
  kernel: string;
  /** of CPU frequency scaling */
  governor: string | null;
  /** of the kernel */
  clockSource: string | null;
  /** how long a reading of the clock takes, measured; missing in older journals */
  clockReadNanos?: number;
  /** KVM, Xen, …; null also on bare metal, and where it is not known */
  virtualization: string | null;
  node: string;
  /** of EC2 */
  instance: {type: string; zone: string | null; placementGroup: string | null} | null;
}

export interface Judgement {
  /** as it was written */
  expectation: string;
  /** the id of the record; null if no record is of a cell that it chooses */
  cell: string | null;
  outcome: 'holds' | 'fails' | 'cannot tell';
  /** the cell, its figures, and what was expected of them */
  sentence: string;
}

/** Two sides of `perf-battle ab`, in a battle that was read again. */
export interface SideComparison {
  /** the ids of the records */
  a: string;
  again: string;
  b: string;
  workload: string;
  payloadBytes: number;
  transport: string;
  /** of b to a */
  ratio: number | null;
  ci95: Interval | null;
  pValue: number | null;
  /** of the two equal sides */
  equalRatio: number | null;
  equalCi95: Interval | null;
  result: 'slower' | 'faster' | 'no difference shown' | 'cannot tell';
  why: string | null;
}

export type Interval = [low: number, high: number];

/** What happens while a battle runs. */
export type ProgressEvent =
  | {type: 'note' | 'warning'; text: string}
  | {type: 'broker'; label: string}
  | {type: 'broker-missing'; message: string}
  | {type: 'round'; round: number; cells: PlannedCell[]}
  | {type: 'trial'; round: number; cell: PlannedCell}
  | {type: 'cycle'; cells: PlannedCell[]; done: number}
  | {type: 'trial-done'; round: number; cell: PlannedCell; msPerMessage: number; disturbed: boolean}
  | {type: 'cell-failed'; cell: PlannedCell; message: string};

export interface PlannedCell {
  /** of the record that it will have */
  id: string;
  /** for a person */
  name: string;
  transport: string;
  variant: Readonly<Record<string, unknown>>;
  workload: string;
  payloadBytes: number;
}

/**
 * Does faults to brokers and servers as `perf-battle faults` does, and prints nothing. What could not be done is in `notTried`, and a row that has failed has
 * an error; only what ends the whole run is thrown.
 * @param settings the options of `perf-battle faults`. With `results`, the journal beside that file gets the records; without it, no file is written.
 *   transports: of your own
 * @param control signal: ends the run and all of its processes; onNote: gets what the command prints on standard error
 * @returns rejects with a UsageError for settings that are not allowed
 */
export declare function faults(
  settings?: FaultSettings & Transports,
  control?: {signal?: Signal; onNote?: (line: string) => void},
): Promise<FaultsDocument>;
export declare function faults(
  settings: FaultSettings & TransportsWithSettings,
  control?: {signal?: Signal; onNote?: (line: string) => void},
): Promise<FaultsDocument>;

/** What `perf-battle faults --json` prints. docs/faults-reference.md explains its fields. */
export interface FaultsDocument {
  faults: {
    runId: string;
    startedAt: string;
    seed: number;
    /** messages per second; null if all rows are programs, which get one request at a time */
    rate: number | null;
    /** null if all rows are programs */
    window: number | null;
    /** whether messages without an outcome are sent again, in some row */
    resend: boolean;
    /** the names of other hosts, where parts of it ran; null: this one */
    hosts?: {server: string | null; broker: string | null};
    host: Fingerprint;
    versions: Record<string, string | null>;
    notTried: {fault: string; why: string}[];
    /** only from `perf-battle table --json`, for a run without its end in the journal */
    interrupted?: true;
  };
  rows: FaultsRow[];
}

export interface FaultsRow {
  row: {
    transport: string;
    variant: Readonly<Record<string, unknown>>;
    labels: {facilitator: string; qualifier: string | null; settings: string[]};
    payloadBytes: number;
    /** whether messages are put into a queue; otherwise they are requests with replies */
    stores: boolean;
    resend?: boolean;
  };
  error: {code: string; message: string; exitCode: number} | null;
  /** what the acknowledgement is worth, measured; null: it was not shown */
  class: string | null;
  /** the class, and on how many nodes each message is */
  guarantee: string | null;
  /** confirmed messages were lost that this class keeps */
  isBroken: boolean;
  evidence: {
    messages: number;
    payloadBytes: number;
    isConfirmed: boolean;
    rttMs: number | null;
    ratePerSecond: number | null;
    dirtiedBytesPerMessage: number | null;
    flushesPerMessage: number | null;
    /** whether the broker flushes a message before it answers; null where it was not traced */
    flushOrder?: 'before' | 'after' | 'none' | null;
    replicas?: number;
  } | null;
  faults: {
    fault: string;
    outcome: 'kept' | 'lost' | 'unavailable' | 'not tried';
    tries: number;
    /** the most that one try has lost of those that were confirmed, or sent */
    lost: number | null;
    of: number | null;
    unavailable: number;
    why: string | null;
    outageMs: number | null;
    /** none: the load went on; open: an outage did not end */
    outageEnd: 'none' | 'ended' | 'open';
    restartMs: number | null;
    /** of the try that lost most; null where nothing could be read */
    account: FaultsAccount | null;
  }[];
  sentence: string;
}

/** What became of the messages of a load. docs/faults-reference.md explains the counts. */
export interface FaultsAccount {
  sent: number;
  confirmed: number;
  refused: number;
  open: number;
  received: number;
  /** null where the transport does not say */
  acknowledged: number | null;
  lost: number;
  confirmedLost: number;
  unconfirmedReceived: number;
  /** missing in records of earlier versions */
  retried?: number;
}

/**
 * Compares two battles cell by cell, as `perf-battle compare` does.
 * @param old by default the battle before the newest one of the journal
 * @param now by default the newest one
 * @param options results: the file beside the journal; onWarning: gets a sentence for each line of a journal that cannot be used
 * @returns rejects with a UsageError when a side is neither a file nor a battle
 */
export declare function compare(
  old?: ComparedSide,
  now?: ComparedSide,
  options?: {results?: string; onWarning?: (warning: string) => void},
): Promise<ComparisonDocument>;

/** A file or a battle, as `perf-battle compare` takes it; records; or what `battle()` resolves with. */
export type ComparedSide = string | readonly CellRecord[] | {cells: readonly CellRecord[]};

/** What `perf-battle compare --json` prints. */
export interface ComparisonDocument {
  old: string;
  new: string;
  cells: ComparedCell[];
}

export interface ComparedCell {
  transport: string;
  labels: CellRecord['labels'];
  workload: string;
  payloadBytes: number;
  /** the id of the record; null if only the other battle has the cell */
  old: string | null;
  new: string | null;
  /** of the new figure to the old one */
  ratio: number | null;
  ratioCi95: Interval | null;
  pValue: number | null;
  /** the same of the multiples of raw TCP */
  floorRatio: number | null;
  floorRatioCi95: Interval | null;
  result: 'slower' | 'faster' | 'no difference shown' | 'cannot tell' | 'not comparable';
  why: string | null;
  /** the machine, the version of a part, or a setting by its name in the record */
  differences: readonly {what: string; old: unknown; new: unknown}[];
}

/**
 * The records of a journal, of the journal beside a results file, of a document that --json printed, or of one battle (`results.ndjson#1a2b3c4d`, or
 * `latest` for the newest one of `results.ndjson`).
 * @param path of a file, or a battle
 * @param options onWarning: gets a sentence for each line that cannot be used
 * @returns in their order; rejects with a UsageError when it is neither a file nor a battle
 */
export declare function readRecords(
  path?: string,
  options?: {onWarning?: (warning: string) => void},
): Promise<readonly CellRecord[]>;

/** Base of all errors that carry a message made for a person. */
export declare class PerfBattleError extends Error {
  constructor(message: string, code: ErrorCode, details?: {cause?: unknown});
  code: ErrorCode;
  /** with which a command ends */
  exitCode: number;
}

/** The user asked for something that cannot be done: an unknown option, a malformed value. */
export declare class UsageError extends PerfBattleError {
  constructor(message: string, details?: {cause?: unknown});
}

/** Something failed at run time: a cell, a port in use, a full disk. */
export declare class RunError extends PerfBattleError {
  constructor(message: string, details?: {cause?: unknown});
}

/** A broker or a host was not available. */
export declare class UnavailableError extends PerfBattleError {
  constructor(message: string, details?: {cause?: unknown});
}

/** A signal ended the work. */
export declare class InterruptedError extends PerfBattleError {
  constructor(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', advice?: string);
  signal: string;
  /** what is stored, and how to continue */
  advice?: string | undefined;
}
