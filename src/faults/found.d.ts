import type {FaultName} from './faults.js';

/** A row of a run of faults: a transport with its settings, used as a queue that stores messages, for requests with replies, or for one-way messages. */
export interface Row {
  /** Counted from 1. */
  number: number;
  transport: string;
  /** All settings in force. */
  variant: Readonly<Record<string, unknown>>;
  /** The name in tables. */
  labels: {facilitator: string; qualifier: string | null; settings: string[]};
  payloadBytes: number;
  /** Whether messages are put into a queue and read at the end. */
  stores: boolean;
  /** Present if messages go one way, to servers or to subscribers, which report what arrives. */
  isOneWay?: true;
  /** Present if messages go to several subscribers: a message has arrived when all of them have it. */
  subscribers?: number;
  /** Present if the requests are not those of the plain load: the workload that makes them. */
  workload?: string;
  /** The kind of broker that the transport needs. */
  broker: string | null;
  /** The number of nodes of a cluster; otherwise 1. */
  brokerNodes: number;
  /** Whether a message without an outcome is sent again; undefined in old records. */
  resend?: boolean;
  /** The settings with which the broker must be started. */
  brokerSettings: Readonly<Record<string, string>>;
}

/** The name of a row in tables. */
export type NameOf = (row: Row) => string;

/** One strike of a fault, and its effect on a row. */
export interface Try {
  /** For a fault other than a power cut, only the last try has an account, of the whole load. Null also if the messages could not be read. */
  account: Account | null;
  /** The account of the messages sent and confirmed before the end of the fault. Later messages are not at risk. */
  atRisk: Account | null;
  /** Null if the load is not interrupted. */
  outage: Outage | null;
  /** The reason why the messages could not be read, or null. */
  unavailable: string | null;
  /** Null for requests. */
  arrival: Arrival | null;
}

/** How messages came out of a queue, or arrived at servers. */
export interface Arrival {
  duplicated: number;
  reordered: number;
  corrupted: number;
}

/** The effects of a fault on a row. */
export interface FoundOfFault {
  fault: FaultName;
  /** Present if the connections used a proxy of perf-battle, which can reset them. */
  isThroughProxy?: true;
  /** Why the broker took no messages, in its own words. Present for a fault that makes it refuse them; not in old records. */
  alarm?: string;
  tries: Try[];
  timeline: Timeline;
}

export interface FoundOfRow {
  row: Row;
  /** Null for requests with replies. */
  evidence: Evidence | null;
  faults: FoundOfFault[];
  /** The reason why the row failed, or null. */
  error: {code: string; message: string; exitCode: number} | null;
}

export interface NotTried {
  fault: FaultName;
  /** The reason, as a clause. */
  why: string;
  /** The kinds of broker whose rows did not get the fault; undefined for all. */
  brokers?: readonly string[];
  /** The settings of the private brokers whose rows did not get the fault; undefined for any. */
  settings?: Readonly<Record<string, string>>;
}

export interface FoundFaults {
  rows: FoundOfRow[];
  notTried: NotTried[];
  /** The versions of each row's broker. */
  versions: Map<Row, Record<string, string | null>>;
}

/**
 * The messages of a load, counted by outcome. sent = received + lost; sent = confirmed + refused + open; received = confirmed − confirmedLost +
 * unconfirmedReceived; acknowledged ≤ received.
 */
export interface Account {
  sent: number;
  /** Confirmed by the broker, or answered with the right reply. */
  confirmed: number;
  /** Refused by the broker, not accepted by any queue, or answered with a wrong reply. */
  refused: number;
  /** Sent, with an unknown outcome. */
  open: number;
  received: number;
  /**
   * The received messages that the consumer acknowledged to the broker; 0 with automatic acknowledgement. Null for requests, and if the
   * transport does not report acknowledgements.
   */
  acknowledged: number | null;
  /** Sent, but not received. */
  lost: number;
  /** Confirmed, but not received: a broken promise if the setting promises anything. */
  confirmedLost: number;
  /** Received, but not confirmed. */
  unconfirmedReceived: number;
  /** Sent again at least once, because the outcome was unknown; undefined in old records. */
  retried?: number;
}

/** The interruption of a load. All times are in ms. */
export interface Outage {
  /** From the last good reply before the outage to the first good reply after it; null if no good reply followed. */
  ms: number | null;
  /** From the fault to the return of its target; null if the target stayed down. */
  restartMs: number | null;
  /** From the return of the target to the first good reply. */
  recoveryMs: number | null;
  /** From the return of the target until messages were sent on time again; null if not before the end, or if the target stayed down. */
  rateBackMs: number | null;
  /** The longest time from the due time of a message to its reply. */
  worstMs: number | null;
}

/** A load over time, in parts of equal length. */
export interface Timeline {
  partMs: number;
  /** Whether replies are counted; otherwise sends. */
  isConfirmed: boolean;
  /** Messages due per second; null if each follows the reply to the previous one, undefined in old records. */
  rate?: number | null;
  /** How late the load was at the first strike, in ms; null without a rate, undefined in old records. */
  behindMs?: number | null;
  /** The rate of good replies (confirms, or right replies) in each part; without confirms, the rate of sends. */
  goodPerSecond: number[];
  /** For each part, the longest time from the due time of a message to its reply; null without a reply. */
  worstMs: (number | null)[];
  /** For each strike, the times of the fault and of the return of its target, since the start of the load. */
  faults: {fromMs: number; untilMs: number}[];
}

/** What the acknowledgement of a message guarantees, by observation and not by documentation, the weakest class first. */
export type GuaranteeClass =
  | 'not stored'
  | 'fire and forget'
  | 'in memory'
  | 'in the page cache'
  | 'batched on disk'
  | 'on disk before the acknowledgement';

/** When a broker flushes a message to its disk: before it answers, after it, or not for each message. */
export type FlushOrder = 'before' | 'after' | 'none';

/** Observations with one outstanding message at a time, because a broker may write several outstanding messages together. */
export interface Evidence {
  messages: number;
  /** The size of each message. */
  payloadBytes: number;
  /** Whether the broker confirms messages. */
  isConfirmed: boolean;
  /** The median time from send to confirm; null without confirms. */
  rttMs: number | null;
  /** Messages per second with a whole window outstanding. */
  ratePerSecond: number | null;
  /** The bytes that the broker's processes wrote into the page cache; null if unknown. */
  dirtiedBytesPerMessage: number | null;
  /** The number of nodes that wrote each message; undefined in old records. */
  replicas?: number;
  /** Null if the broker was not traced. */
  flushOrder?: FlushOrder | null;
  /** The flush requests to the broker's device, which all its nodes share; null if the broker has no separate device. */
  flushesPerMessage: number | null;
}

/** The effect of a fault on confirmed messages. unavailable: the messages could not be read; not tried: no message had been confirmed. */
export type Outcome = 'kept' | 'lost' | 'unavailable' | 'not tried';

/** The results of all tries of a fault. */
export interface Summary {
  fault: FaultName;
  /** The outcome for confirmed messages; without confirms, for sent messages. */
  outcome: Outcome;
  /** The number of tries. */
  tries: number;
  /** The lost confirmed (or sent) messages: the most of a single power cut, or those of all tries of another fault; null if no try could be read. */
  lost: number | null;
  /** The number of confirmed (or sent) messages that `lost` refers to. */
  of: number | null;
  /** The counts of the try with the most losses; null if no try could be read, or nothing was confirmed or sent. */
  account: Account | null;
  /** The number of tries whose messages could not be read. */
  unavailable: number;
  /** The reason why messages could not be read. */
  why: string | null;
  /** The longest outage; null without an outage, or if an outage did not end. */
  outageMs: number | null;
  /** none: no outage; open: an outage did not end. */
  outageEnd: 'none' | 'ended' | 'open';
  /** The longest time from the fault to the return of its target. */
  restartMs: number | null;
  /** Present if the connections used a proxy of perf-battle. */
  isThroughProxy?: true;
  /** Why the broker took no messages, in its own words. */
  alarm?: string;
  found: Try[];
  timeline: Timeline;
}

export interface Conclusion {
  row: Row;
  error: FoundOfRow['error'];
  evidence: Evidence | null;
  /** Null if no class was shown. */
  class: GuaranteeClass | null;
  /** The name of the class in tables, with the number of nodes. */
  guarantee: string | null;
  /** Whether confirmed messages were lost although the broker flushed each message before its confirm. */
  isBroken: boolean;
  faults: Summary[];
  sentence: string;
}
