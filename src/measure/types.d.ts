import type {EventLoopUtilization} from 'node:perf_hooks';

/**
 * Sums over messages of the points in time at which a role began and ended with a message, by the monotonic clock of its host. A client begins when it
 * sends a request and ends when it has the reply. A server begins when it has the request and ends when it sends the reply. Sums over equally many
 * messages give the mean times between the roles, without a record of each message.
 */
export type Moments = {messages: number; beginsMs: number; endsMs: number};

/** The scheduler's counters of the main thread, which runs the JavaScript. Null if the system does not report a counter. */
export interface MainThread {
  cpuMs: number | null;
  /** How long the thread was ready to run and waited for a core, including the time in which a control group was throttled. */
  runDelayMs: number | null;
  /** How often the thread was put on a core. */
  wakeUps: number | null;
  migrations: number | null;
}

/** The counts of the messages of a measured part; sent = received + lost. */
export interface Counts {
  sent: number;
  received: number;
  lost: number;
  /** Messages that were compared byte by byte. */
  verified: number;
  duplicated: number;
  reordered: number;
  corrupted: number;
  retried: number;
  timedOut: number;
}

/** Messages and their total time. */
export type Timed = {messages: number; ms: number};

/** The report of a client of a load under faults. */
export interface Accounted {
  /** The log of the sender. */
  log?: EncodedLog;
  /** Base64 of the sequence numbers of messages that were taken out of the queue. */
  received?: string;
  /** Base64 of the sequence numbers that were acknowledged to the broker; missing if the transport does not report them. */
  acknowledged?: string;
}

export interface EncodedLog {
  /** The start of the load, by the monotonic clock of the host. */
  startMs: number;
  /** Messages per second. */
  rate: number | null;
  /** Whether each message has an outcome, because it is confirmed or answered. */
  settles: boolean;
  /** The number of sent messages. Message n was due n / rate after the start; without a rate, when it was sent. */
  messages: number;
  /** Base64 of a Float32Array: ms from the start until each message was sent first. */
  sentMs: string;
  /** Base64 of a Float32Array: ms from the start until the outcome of each message was known; NaN for an open message. */
  settledMs: string;
  /** Base64 of a Uint8Array, see `outcomes`. */
  outcomes: string;
  /** How often messages were sent again. */
  resent: number;
  /** Base64 of a Uint32Array: the numbers of the messages that were sent again. */
  retried: string;
  /** The outages of the connection that the client noticed. */
  outages: Outage[];
}

export interface Outage {
  /** From the start of the load until the client noticed the outage. */
  lostMs: number;
  /** From the start of the load until the client had a new connection; null: not before the end. */
  backMs: number | null;
  /** The attempts to connect. */
  attempts: number;
  reason: string;
}

/** The traffic of the host, or of its network namespace. */
export interface NetworkUse {
  /** With the headers of all layers above the wire; without the loopback interface. */
  sentBytes: number;
  /** With the headers of all layers above the wire; without the loopback interface. */
  receivedBytes: number;
  /** Segments that TCP sent again, including the loopback interface; null if unknown. */
  tcpRetransmits: number | null;
}

/** Pauses of the JavaScript of this process. */
export interface Pauses {
  /** The beginning of the count, by performance.now(). */
  sinceMs: number;
  /** The end of the count, by performance.now(); infinite while pauses are counted. */
  untilMs: number;
  /** The sum of garbage collection pauses; null if the runtime does not report them. */
  gcMs: number | null;
  /** The maximum delay of the event loop. */
  loopDelayMaxMs: number;
}

/** The resources that another process, such as a broker, has used so far. */
export interface ProcessTimes {
  userMs: number;
  systemMs: number;
  /** The peak of resident memory since the last reading; null at the first reading, and for a process of another user, whose peak cannot be reset. */
  maxRssBytes: number | null;
  /** Identifies the process, even if a later process has the same pid. */
  instance: string;
}

/** Identifies a process among all processes, including later ones with the same pid, and those of other hosts and containers. */
export interface ProcessIdentity {
  hostname: string;
  /** The namespace in which the pid is unique, such as a container's; null if the system has no namespaces; missing in journals of version 0.1.0. */
  namespace?: string | null;
  pid: number;
  /** The start time in a unit that depends on the system. */
  startTime: string | null;
}

/**
 * The resources that a process and its host used between two readings. Journals and adapters of earlier versions have no interference. `network` is the
 * usage of the whole host. `checkingMs` is the time between round trips in which the harness checked and recorded replies; it is a part of userMs.
 */
export type Usage = Consumption & {network?: NetworkUse | null; checkingMs?: number} & Partial<Interference>;

export interface Consumption {
  wallMs: number;
  userMs: number;
  systemMs: number;
  /** CPU time of this process that does not count: time in pauses of the reading, and time of messages that do not count. */
  leftOutMs?: number;
  /** The peak of resident memory between the readings; null on systems other than Linux, which report the peak since the start only. */
  maxRssBytes: number | null;
  /** The share of the time in which the event loop was busy, 0 to 1. */
  eventLoopShare: number;
  /** The usage of the whole host; null without /proc/stat. */
  host: HostUse | null;
}

export type HostUse = CoreUse & {processesMs?: number | null; switches?: number | null};

/** The usage of several cores together, between two readings. */
export type CoreUse = {busyMs: number; stealMs: number; capacityMs: number};

/** Influences that kept the main thread from running JavaScript. Null if the system does not report a value. */
export interface Interference {
  /** CPU time of the main thread, which runs the JavaScript. */
  mainThreadMs: number | null;
  /** How long the main thread was ready to run and waited for a core. */
  runDelayMs: number | null;
  /** How often the main thread was put on a core. */
  wakeUps: number | null;
  /** How long the hypervisor kept the main thread from running: its CPU time × steal / busy time of the cores that it may use. */
  stealMs: number | null;
  /** How long the CPU limits of control groups stopped their processes; a part of runDelayMs. */
  throttledMs: number | null;
  /** How often a thread of the process was taken off its core. */
  involuntarySwitches: number | null;
  /** How often the main thread moved to another core. */
  migrations: number | null;
  /** The sum of garbage collection pauses; null before `observePauses`, and if the runtime does not report them. */
  gcMs: number | null;
  /** The maximum delay of the event loop; null before `observePauses`. */
  loopDelayMaxMs: number | null;
}

/** `pausedAt`: the usage at the beginning of the pause; `leftOutMs`: CPU time in pauses. */
export type Reading = Own & OfHost & {pausedAt?: Own | null; leftOutMs?: number};

/** The usage of this process. Reading it takes about 0.1 ms. */
export interface Own {
  at: number;
  resources: NodeJS.ResourceUsage;
  eventLoop: EventLoopUtilization;
  main: MainThread;
  /** The threads whose counters `main` has. */
  threads: string;
}

export interface OfHost {
  throttledMs: number | null;
  /** The peak from this reading until the last one. */
  maxRssBytes: number | null;
  /** The pauses since this reading. */
  pauses: Pauses | null;
  network: NetworkUse | null;
  host: CoreTimes | null;
  /** The cores that this process may use. */
  ownCores: CoreTimes | null;
  /** CPU time of all processes of the host; null if this process does not see all of them. */
  processesMs: number | null;
  /** Context switches of the host, including switches to idle. */
  switches: number | null;
}

/** The times of several cores together, since the host started. */
export type CoreTimes = {at: number; cores: number; idleMs: number; stealMs: number};

/** The warm-up of a trial: messages that do not count. */
export type WarmUp =
  | AutomaticWarmUp
  | {kind: 'duration'; durationMs: number}
  | {kind: 'count'; count: number};

/**
 * A warm-up of fixed length. A new pair of processes first sends small requests, because compilers count calls. The pair then sends requests of the
 * measured size for some time, also before each further size.
 */
export interface AutomaticWarmUp {
  kind: 'auto';
  /** The maximum time for the small requests. */
  maximumMs: number;
  /** The number of small requests. A journal of version 0.1.0 has neither this number nor the ones below. */
  requests?: number;
  /** The time at the measured size. */
  sizeMs?: number;
  /** The time at the measured size for large payloads. */
  largeSizeMs?: number;
  /** The additional warm-up at the beginning of the first slice, after all trials measured in turn have warmed up. */
  turnMs?: number;
  /** The same for payloads from 100 KB to below 500 KB. */
  mediumTurnMs?: number;
}
