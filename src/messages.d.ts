import type {Accounted, Counts, Moments, Timed, Usage, WarmUp} from './measure/types.js';
import type {EncodedHistogram} from './stats/histogram.js';
import type {Summary} from './stats/summary.js';

/** The messages and events of protocol.js, which says when each is sent. */

export type ServerMessage =
  | {type: 'configure'; options: ServerSettings}
  | {type: 'mark' | 'count' | 'pause' | 'resume'}
  | SharedMessage;

export type ClientMessage =
  | {type: 'configure'; options: ClientSettings}
  | {type: 'start'}
  | {type: 'go'; inSlices?: boolean}
  | {type: 'slice'; slice: Slice}
  | {type: 'end'}
  | SharedMessage;

export type WatcherMessage = {type: 'configure'; options: WatcherSettings} | {type: 'mark'} | SharedMessage;

export type SharedMessage = {type: 'clock' | 'beat' | 'stop'} | {type: 'profile'; on: boolean};

export type ControlMessage = ServerMessage | ClientMessage | WatcherMessage;

/** A short part of the measurement of a cell. It ends when its time is over and it has its number of samples. */
export interface Slice {
  /** What is sent first, and not counted. */
  discardMs: number;
  /** What counts. */
  ms: number;
  /** At least. */
  samples: number;
}

/** The configuration of a role: these options, and beside them the settings of the transport and the workload by their keys. */
export interface RoleSettings {
  /** Its name. */
  workload: string;
  payloadBytes: number;
  /** The path of a file whose content is the payload. */
  payloadFile: string | null;
  /** Of the payload's bytes and of random arrivals. */
  seed: number;
  /** How long one request may take. */
  timeoutMs: number;
  /** TCP_NODELAY, on every socket. */
  noDelay: boolean;
  /** How to reach the broker; what it holds depends on the kind of broker. */
  broker?: object | null;
  /** Contents of certificates and keys, by the path that a setting names. */
  files?: Readonly<Record<string, string>>;
  /** The cores on which its main thread is to run; null: any. */
  mainCores?: readonly number[] | null;
  /** The process on its host that keeps cores awake. */
  keeperPid?: number | null;
}

export interface ServerSettings extends RoleSettings {
  /** Null: all addresses. */
  listenAddress: string | null;
  /** Whether the content of the messages follows from seed and payload, so that the server can check it. */
  knownPayload?: boolean;
  /** By how many ms the server's clock is ahead of each client's. */
  clockAhead?: readonly number[];
}

export interface ClientSettings extends RoleSettings {
  /** How to reach each node of the broker, the client's own first. */
  brokers?: readonly object[];
  /** Requests of the measured part; null: no bound. */
  samples: number | null;
  /** Of the measured part; null: no bound. */
  durationMs: number | null;
  warmUp: WarmUp;
  /** Its index among the clients, from 0. */
  client?: number;
  /** Host:port of each, the client's own first; none where the broker leads to them. */
  servers?: readonly string[];
  /** PEM, of the servers with TLS. */
  certificates?: readonly string[];
}

/** Of ports, the numbers: of the broker, and of the ends of the connections to it. */
export interface WatcherSettings {
  brokerKind: string;
  brokerPorts: readonly number[];
  clientPorts: readonly number[];
  serverPorts: readonly number[];
  payloadBytes: number;
}

/** Times `atMs` are readings of the role's monotonic clock, in ms. */
export type ServerEvent = ServerReady | Marked | Counted | Received | Consumed | SharedEvent;
export type ClientEvent = ClientReady | WarmedUp | Measuring | MeasuredPart | Consumed | Result | SharedEvent;
export type SharedEvent = ClockRead | Profiled | Failed;
export type WatcherEvent = {event: 'ready'} | Passed | SharedEvent;
export type RoleEvent = ServerEvent | ClientEvent | WatcherEvent;

interface Progress<Phase extends string> {
  event: 'progress';
  phase: Phase;
}

export interface ClientReady {
  event: 'ready';
  pid: number;
  /** Settings that only the running process knows, by key. */
  details: Record<string, unknown>;
}

export interface ServerReady extends ClientReady {
  /** Host:port that clients connect to; null: through the broker. */
  address: string | null;
  /** PEM, of a server with TLS. */
  certificate: string | null;
  /** The pids of daemons that a program started beside its requests, see the adapter contract. */
  daemons?: readonly number[];
}

export interface WarmedUp extends Progress<'warm'> {
  /** Messages that the servers should have received by now; 0 where the client itself sees what comes back. */
  sent: number;
  /** The median of the round trips of the warm-up; null without one. */
  typicalMs?: number | null;
}

export interface Measuring extends Progress<'measuring'> {
  atMs: number;
}

export interface MeasuredPart extends Progress<'measured'> {
  /** As in the phase warm, of the measured part. */
  sent: number;
  atMs: number;
  /** Since when it counted, of a slice. */
  fromMs?: number;
}

/** What a consumer, or a receiver of one-way messages, did under faults since the event before: the numbers of messages. */
export interface Consumed extends Progress<'consumed'> {
  atMs: number;
  arrived: number[];
  /** The work on them is done. */
  finished: number[];
  /** To the broker; never with automatic acknowledgement. */
  acknowledged: number[];
  /** Since its start. */
  corrupted: number;
  /** Since its start, over all subscribers of one process; undefined: `arrived` shows them. */
  copies?: {duplicated: number; reordered: number};
}

/** All figures are since the mark before. */
export interface Marked extends Progress<'mark'> {
  usage: Usage;
  /** Requests. */
  served: number;
  /** What was received; null where the clients count. */
  report: Report | null;
  /** Null where the transport leaves them to TCP. */
  retransmissions?: number | null;
  /** Of the requests, if they are asked for. */
  moments?: Moments | null;
}

export interface Counted extends Progress<'count'> {
  /** Messages since the last mark. */
  received: number;
}

/** What a server started by hand has received. */
export type Received = Progress<'received'> & Report;

export interface ClockRead extends Progress<'clock'> {
  atMs: number;
}

export interface Passed extends Progress<'passed'> {
  /** Since `ready`; null where they are not known. */
  dwellTimes: DwellTimes | null;
  /** Why they are not known, as a clause. */
  reason: string | null;
}

export interface Profiled extends Progress<'profile'> {
  /** What was recorded, as .cpuprofile files contain it; null: recording has begun. */
  profile: object | null;
}

export interface Failed {
  event: 'error';
  /** One of errors.js; an adapter may have others. */
  code: string;
  message: string;
  /** With which the role ends. */
  exitCode: number;
}

/** Points in time, as a sum over messages. */
export type Sum = {messages: number; atMs: number};

/**
 * When messages pass the broker's sockets: the last byte of a request on its way in, the first one on its way out, and the same of the replies.
 */
export type DwellTimes = {requestIn: Sum; requestOut: Sum; replyIn: Sum; replyOut: Sum};

/** What a server received of one-way messages. */
export interface Report {
  messages: number;
  bytes: number;
  /** Messages without duplicates, as far as their content shows. */
  distinct: number;
  /** Messages of which every byte was compared. */
  verified: number;
  corrupted: number;
  duplicated: number;
  reordered: number;
  /** The lowest latency from when a message was sent, below zero where the clocks do not agree; null where messages carry no times. */
  lowestMs?: number | null;
  /** What was wrong with the first wrong message. */
  mismatch: string | null;
  /** When the first message came. */
  firstMs: number;
  lastMs: number;
  /** Latency from when a message was to be sent. */
  response: EncodedHistogram | null;
  /** Latency from when it was sent. */
  service: EncodedHistogram | null;
}

/** What a client measured. Which phases, distributions and notes there are is declared by each workload. */
export interface Result {
  event: 'result';
  payloadBytes: number;
  /** Null where nothing comes back. */
  rtt: Summary | null;
  counts: Counts;
  /** Null where the servers measure it. */
  throughput: {messagesPerSecond: number; bytesPerSecond: number} | null;
  /** What the throughput was computed from. */
  timed: Timed | null;
  /** Of an open loop. */
  schedule?: Scheduled | null;
  /** Parts that are timed apart. */
  phases: Record<string, Timed>;
  /** Distributions besides rtt, without empty ones. */
  beside: Record<string, Summary>;
  /** Figures that only this workload has. */
  notes: Record<string, number>;
  /** Requests of the warm-up. */
  discarded: number;
  /** Means in ms of ten parts of the samples of rtt, with equal numbers of samples; null or missing where there are too few. */
  windows?: number[] | null;
  /** Of the measured part, like `retransmissions` and `moments`. */
  usage: Usage;
  /** By the transport itself; null where it leaves them to TCP. */
  retransmissions?: number | null;
  /** What was wrong with the first wrong reply. */
  mismatch: string | null;
  /** If they are asked for. */
  moments?: Moments | null;
  /** All samples of rtt. */
  encoded: EncodedHistogram | null;
  /** All samples of each distribution. */
  encodedBeside: Record<string, EncodedHistogram>;
  /** What became of each message, of a load under faults. */
  account?: Accounted;
}

/** When the messages of a client were due, in an open loop. */
export interface Scheduled {
  messages: number;
  /** The time of as many distances between messages. */
  ms: number;
  /** When the first message was due, since the start. */
  firstMs: number;
  lastMs: number;
}

/** Both ends of the line, by role. The watcher takes no part in the measurement. */
export interface Lines {
  server: {message: ServerMessage; event: ServerEvent};
  client: {message: ClientMessage; event: ClientEvent};
  watcher: {message: WatcherMessage; event: WatcherEvent};
}

export type LineName = keyof Lines;
export type RoleName = Exclude<LineName, 'watcher'>;
