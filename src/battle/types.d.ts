import type {Broker} from '../brokers/kind.js';
import type {Failure} from '../errors.js';
import type {AwakeCores} from '../hosts/host-cores.js';
import type {RoleProcess} from '../hosts/role-process.js';
import type {Host, Hosts, PlacedRoles} from '../hosts/types.js';
import type {
  Interference,
  ProcessIdentity,
  ProcessTimes,
  Usage as ProcessUsage,
  WarmUp,
} from '../measure/types.js';
import type {DwellTimes, Slice} from '../messages.js';
import type {Runtime} from '../packages/runtimes.js';
import type {CellRecord} from '../results/record-schema.js';
import type {
  CoreDistance,
  CoreState,
  CpuTimes,
  Fingerprint,
  JournalTrial,
  MeasuredTrial,
  PlacementRecord,
} from '../results/types.js';
import type {BattleValues} from '../settings/index.js';
import type {Variant} from '../settings/types.js';
import type {TransportModule} from '../transports/transport.js';

/** When messages passed the broker, by the clock of its host; or why that is not known, as a clause. */
export type Seen =
  | {dwellTimes: DwellTimes; clock: {before: ClockOffset; after: ClockOffset}; reason: null}
  | {dwellTimes: null; clock: null; reason: string};

export interface Watch {
  end: () => Promise<Seen>;
  /** Ends the watch without an answer. */
  close: () => Promise<void>;
}

/**
 * How far the clock of another process is ahead of ours. The moment of its answer within a round trip is unknown, so half of the shortest
 * round trip bounds the error (Cristian, "Probabilistic clock synchronization", 1989).
 */
export type ClockOffset = {offsetMs: number; boundMs: number};

/** The clocks of the roles, in the order of the roles. */
export type RoleClocks = {servers: readonly ClockOffset[]; clients: readonly ClockOffset[]};

export type Needs = {leastMs: number; fullMs: number};

/** What the acknowledgement of a message was worth in a run of faults. */
export interface MeasuredGuarantee {
  transport: string;
  /** Every setting in force. */
  variant: Readonly<Record<string, unknown>>;
  versions: Readonly<Record<string, string | null>>;
  guarantee: NonNullable<CellRecord['guarantee']>;
}

/** The sharing of the hosts with other trials that were measured in turn. */
export interface Sharing {
  /** CPU of their roles and brokers on each host; null where it is not known. */
  othersMs: ReadonlyMap<Host, number | null>;
  /** The share of the time in which this trial was measured. */
  ownShare: number;
}

/** Where the processes of a trial may run. */
export interface TrialPlaces extends PlacedRoles {
  /** The cores of the nodes of its broker on a host; null: any. */
  brokerCores: (host: Host) => readonly number[] | null;
}

export type UsedByRoles = OfRoles<Usage> & {broker: BrokerUse | null};

/** One for each role, in the order of the roles. */
export type OfRoles<One> = {clients: readonly One[]; servers: readonly One[]};

export type Usage = Pick<ProcessUsage, 'userMs' | 'systemMs' | 'leftOutMs' | 'host'> & Partial<Waits>;

export type Waits = Pick<Interference, 'mainThreadMs' | 'runDelayMs' | 'wakeUps' | 'throttledMs' | 'stealMs'>;

/** What a broker used. `hosts`: those of its nodes; null where they are not known. */
export type BrokerUse = {usage: Pick<CpuTimes, 'userMs' | 'systemMs'> | null; hosts: readonly Host[] | null};

export interface UsedInTurn {
  /** The same for all trials that were measured in turn. */
  hosts: Pick<Hosts, 'clients' | 'servers'>;
  /** What the roles used in the slices of the trial. */
  used: UsedByRoles;
  /** The time of these slices by the wall clock. */
  wallMs: number;
  /** What the broker used over the whole time, while other trials were measured, too. */
  ofBroker: (BrokerUse & {broker: object}) | null;
}

/** What the records of one battle share. */
export type BattleContext = {
  startedAt: string;
  environment: string;
  machine: string;
  /** By the name of the host. */
  hosts: Record<string, Fingerprint>;
  /** The host on which each role runs. */
  roles: {client: string; server: string};
  /** The host of each broker, by its kind. */
  brokers: Record<string, string>;
  /** Why the processes of a host are not pinned to cores. */
  placementNotes?: readonly string[];
  versions: Record<string, string | null>;
  /** The versions of the broker that meets a need, by the need's key: a battle may have several brokers of one kind. */
  brokerVersions?: Record<string, Record<string, string | null>> | undefined;
  /** What the link between the hosts of clients and servers carries; null within one host, and where it is not known. */
  linkBytesPerSecond?: number | null;
  /** Settings without secrets. */
  config: Record<string, unknown>;
};

/** From when to when each client measured, by its own clock. */
export type Span = {from: readonly number[]; to: readonly number[]};

export type TrialOutcome =
  | ({
      outcome: 'completed';
      startedAt: string;
      placement: PlacementRecord | null;
      coreState: CoreState;
      coreDistance?: CoreDistance;
    } & MeasuredTrial)
  | {outcome: 'failed'; startedAt: string; error: Failure};

/** The processes of a trial. */
export type Roles = {servers: RoleProcess<'server'>[]; clients: RoleProcess<'client'>[]};

/** What a pair of role processes needs, and in a trial the cell that it measures. */
export type TrialContext = PairContext & {cell: Cell};

export interface PairContext {
  /** From 1; arrivals and payloads differ from round to round. */
  round: number;
  hosts: Hosts;
  /** Null where the transport needs none. */
  broker: Broker | null;
  /** A server that a person named, in place of those of the battle. */
  given?: GivenServer | null;
  values: BattleValues;
  /** The names on the broker, by the option's key. */
  names: Record<string, string>;
  /** The runtimes that roles may run in, beside the Node.js of this process, by the value of --runtime. */
  runtimes?: ReadonlyMap<string, Runtime>;
  /** The folder for the profiles of a battle. */
  profilesIn?: string;
  /** What keeps cores awake; null: they may sleep. */
  awake?: Pick<AwakeCores, 'state' | 'pidOn'> | null;
  signal: AbortSignal;
}

/** What is known of a server that was there before the battle. */
export interface GivenServer {
  /** Resolves with null where the times are not known. */
  readTimes: () => Promise<ProcessTimes | null>;
  /** The hosts on which its time counts: none, where it runs on another host; null: not known. */
  hosts: readonly Host[] | null;
}

/** The time that is left, and that groups are expected to take, both in ms. */
export type Time = {remainingMs(): number; expectedMs(groups: readonly (readonly Cell[])[]): number};

/** `isBeside`: a trial of a floor, for the ratios of its block alone. */
export type TrialRequest = {cell: Cell; round: number; isBeside?: boolean};

/** 'cycle': the cells are measured in turn; `done`: the share of the cycle that is over. */
export type BattleEvent =
  | {type: 'broker'; label: string}
  | {type: 'broker-missing'; message: string; code?: string}
  | {type: 'round'; round: number; groups: readonly Cell[][]}
  | {type: 'trial'; cell: Cell; round: number}
  | {type: 'trial-done'; cell: Cell; round: number; figureMs: number; disturbed: boolean}
  | {type: 'cycle'; cells: readonly Cell[]; done: number}
  | {type: 'cell-failed'; cell: Cell; message: string};

/** The number of slices is not bounded, so there is no list of them. */
export type Slices = {count: number; discardMs: number; at: (index: number) => Slice};

/** A battle: its plan and its progress. */
export interface BattleState {
  id: string;
  cells: readonly Cell[];
  /** By cell number. */
  progress: Map<number, CellProgress>;
  values: BattleValues;
  /** What runs of faults have found that holds for the battle. */
  guarantees?: readonly MeasuredGuarantee[];
  /** Null until the last round is over. */
  stoppedBy: StoppedBy | null;
}

export interface CellProgress {
  /** The completed trials. */
  trials: JournalTrial[];
  /** Why the cell has failed. */
  error: Failure | null;
}

/** The rule that ended a battle. */
export type StoppedBy = 'rounds' | 'precision' | 'budget' | 'failures';

/** One variant × workload × payload. */
export interface Cell {
  /** From 1, as planned. */
  number: number;
  transport: string;
  /** Every setting in force. */
  variant: Variant;
  workload: string;
  payloadBytes: number;
  /** The length of a trial. */
  length: Length;
  /** How tables name the cell. */
  labels: Labels;
  /** Where a transport that is not part of perf-battle comes from. */
  module?: TransportModule;
}

/** A trial ends with its samples or its duration, whichever is first. */
export interface Length {
  samples: number | null;
  durationMs: number | null;
  /** The battle decides the duration, once some rounds have shown how the cell varies. */
  isOpen?: boolean;
  warmUp: WarmUp;
  /** The trial is divided into slices, in turn with other cells; missing in journals of version 0.1.0, without slices. */
  inSlices?: boolean;
}

export interface Labels {
  /** RabbitMQ, HTTP, …. */
  facilitator: string;
  /** What distinguishes the usual variants: mode 1. */
  qualifier: string | null;
  /** The settings that are not the default. */
  settings: string[];
  /** Yes, No or *N/A*. */
  persistent: string;
}

/** A line of a journal. Readers ignore lines of other kinds. */
export type JournalEntry = BattleEntry | OwnerEntry | TrialEntry | CellRecord | BrokerEntry | RowsEntry;

/** A battle begins, or is resumed. */
export type BattleEntry = {kind: 'battle'; id: string; cells: readonly Cell[]; owner: Owner} & BattleContext;

/** A process resumes a battle. Its hosts are not known yet. */
export type OwnerEntry = {kind: 'owner'; battleId: string; owner: Owner};

export type TrialEntry = {kind: 'trial'; battleId: string; cell: number} & (JournalTrial | FailedTrial);

export type FailedTrial = {round: number} & Extract<TrialOutcome, {outcome: 'failed'}>;

export type BrokerEntry = {kind: 'broker'; battleId: string} & Pick<
  BattleContext,
  'brokers' | 'versions' | 'brokerVersions'
>;

/** Rows were appended to the results. */
export type RowsEntry = {kind: 'rows'; battleId: string; results: string; rows: number};

/** The process that runs a battle, and its user; null where the system has no users, missing in journals of version 0.1.0. */
export type Owner = ProcessIdentity & {uid?: number | null};
