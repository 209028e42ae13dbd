import type {EventLoopUtilization} from 'node:perf_hooks';

/**
 * When a role had messages in its hands: the sums over messages of the points in time at which it began and ended, by the monotonic clock
 * of its host. A client begins when it sends and ends when it has the reply; a server begins when it has the request and ends when it
 * gives the reply. Sums of equally many messages give the means of the ways between the roles, without a record of each message.
 */
export type Moments = {messages: number; beginsMs: number; endsMs: number};

/**
 * What the scheduler did with the main thread of this process so far, which runs the JavaScript. Null where the system does not offer it.
 */
export interface MainThread {
  cpuMs: number | null;
  /** How long the thread was ready to run and waited for a core; the time in which a control group was throttled is a part of it. */
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

/** What a client of a load under faults reports. */
export interface Accounted {
  /** The log of its sender. */
  log?: EncodedLog;
  /** Base64 of the numbers of the messages that were taken out of the queue. */
  received?: string;
  /** Likewise, of the messages that were acknowledged to the broker; missing where the transport does not say. */
  acknowledged?: string;
}

export interface EncodedLog {
  /** When the load began, by the monotonic clock of the host. */
  startMs: number;
  /** Messages per second. */
  rate: number;
  /** Whether an outcome follows each message: something confirms it, or answers it. */
  settles: boolean;
  /** The messages that were sent; message n was due n / rate after the start. */
  messages: number;
  /** Base64 of a Float32Array: when each was sent first, since the start. */
  sentMs: string;
  /** Likewise: when the outcome of each was known; NaN while it is open. */
  settledMs: string;
  /** Base64 of a Uint8Array, see `outcomes`. */
  outcomes: string;
  /** How often messages were sent again. */
  resent: number;
  /** The outages of the connection, as the client saw them. */
  outages: Outage[];
}

export interface Outage {
  /** When the client noticed it, since the start. */
  lostMs: number;
  /** When it had a new connection; null: not before the end. */
  backMs: number | null;
  /** The attempts to connect. */
  attempts: number;
  reason: string;
}

/** What the network interfaces and the TCP of this host (its network namespace) did. */
export interface NetworkUse {
  /** With the headers of all layers above the wire; without the loopback interface. */
  sentBytes: number;
  /** Likewise. */
  receivedBytes: number;
  /** Segments that TCP sent again, the loopback interface included; null where it is not known. */
  tcpRetransmits: number | null;
}

/** What kept the JavaScript of this process from running, since a time. */
export interface Pauses {
  /** By performance.now(). */
  sinceMs: number;
  /** Infinite while they are counted. */
  untilMs: number;
  /** Pauses of garbage collections; null where the runtime does not report them. */
  gcMs: number | null;
  /** By how much the event loop was late at most. */
  loopDelayMaxMs: number;
}

/** What another process, such as a broker, used so far. */
export interface ProcessTimes {
  userMs: number;
  systemMs: number;
  /**
   * The peak of its resident memory since the last reading; null at the first, and for a process of another user, whose peak cannot be
   * reset.
   */
  maxRssBytes: number | null;
  /** Differs when the process is another one. */
  instance: string;
}

/**
 * A process, distinguished from every other one: also from a later process with the same pid, and from one of another host or container.
 */
export interface ProcessIdentity {
  hostname: string;
  /**
   * The namespace in which the pid is unique, such as that of a container; null where the system has none, missing in journals of version
   * 0.1.0.
   */
  namespace?: string | null;
  pid: number;
  /** The start time in a unit that depends on the system. */
  startTime: string | null;
}

/**
 * What a process and its host used between two readings. Journals and adapters of earlier versions have no interference. `network`: of
 * the whole host; `checkingMs`: what the harness itself took between round trips to check and record replies; a part of userMs.
 */
export type Usage = Consumption & {network?: NetworkUse | null; checkingMs?: number} & Partial<Interference>;

export interface Consumption {
  wallMs: number;
  userMs: number;
  systemMs: number;
  /** CPU of this process that does not count: while the reading was paused, and of messages that do not count. */
  leftOutMs?: number;
  /** The peak of the resident memory between the readings; null on other systems than Linux, which know only the peak of a life. */
  maxRssBytes: number | null;
  /** The share of the time in which the event loop was busy, 0 to 1. */
  eventLoopShare: number;
  /** What ran on the whole host; null without /proc/stat. */
  host: HostUse | null;
}

export type HostUse = CoreUse & {processesMs?: number | null; switches?: number | null};

/** The use of several cores together, between two readings. */
export type CoreUse = {busyMs: number; stealMs: number; capacityMs: number};

/** What kept the main thread from running JavaScript; null where the system does not report it. */
export interface Interference {
  /** CPU of the main thread, which runs the JavaScript. */
  mainThreadMs: number | null;
  /** How long the main thread was ready to run and waited for a core. */
  runDelayMs: number | null;
  /** How often the main thread was put on a core. */
  wakeUps: number | null;
  /** How long the hypervisor kept the main thread from running: its CPU time × steal per busy time of the cores that it may use. */
  stealMs: number | null;
  /** How long the CPU limits of control groups stopped the processes in them; a part of runDelayMs. */
  throttledMs: number | null;
  /** How often a thread of the process was taken off its core. */
  involuntarySwitches: number | null;
  /** How often the main thread changed its core. */
  migrations: number | null;
  /** Pauses of garbage collections; null unless `observePauses` was called, and where the runtime does not report them. */
  gcMs: number | null;
  /** By how much the event loop was late at most; null likewise. */
  loopDelayMaxMs: number | null;
}

/** `pausedAt`: what was used when the reading was paused; `leftOutMs`: CPU in pauses. */
export type Reading = Own & OfHost & {pausedAt?: Own | null; leftOutMs?: number};

/** What this process used; reading it takes some 0.1 ms. */
export interface Own {
  at: number;
  resources: NodeJS.ResourceUsage;
  eventLoop: EventLoopUtilization;
  main: MainThread;
  /** Whose times `main` has. */
  threads: string;
}

export interface OfHost {
  throttledMs: number | null;
  /** The peak since this reading, up to the last one. */
  maxRssBytes: number | null;
  /** Since this reading. */
  pauses: Pauses | null;
  network: NetworkUse | null;
  host: CoreTimes | null;
  /** The cores that this process may use. */
  ownCores: CoreTimes | null;
  /** CPU of all processes of the host; null where they are not all seen. */
  processesMs: number | null;
  /** The switches of the host between processes, or to being idle. */
  switches: number | null;
}

/** The times of several cores together, up to a time. */
export type CoreTimes = {at: number; cores: number; idleMs: number; stealMs: number};

/** The warm-up of a trial: messages that do not count. */
export type WarmUp =
  | AutomaticWarmUp
  | {kind: 'duration'; durationMs: number}
  | {kind: 'count'; count: number};

/**
 * A fixed plan. Compilers count calls, so a new pair of processes first gets a number of small requests. After that, and before each
 * further size that the same pair measures, follows a time at the size to be measured.
 */
export interface AutomaticWarmUp {
  kind: 'auto';
  /** The longest time for the small requests. */
  maximumMs: number;
  /** The number of small requests; a journal of version 0.1.0 has none of these numbers. */
  requests?: number;
  /** The time at the size to be measured. */
  sizeMs?: number;
  /** The same for large payloads. */
  largeSizeMs?: number;
  /** In slices, after all trials have warmed up: the time at the begin of the first slice, in turn with the others. */
  turnMs?: number;
}
