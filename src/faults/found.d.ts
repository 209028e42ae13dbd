import type {FaultName} from './faults.js';

/** What faults are done to: a transport with its settings, as a queue that keeps messages or as requests with replies. */
export interface Row {
  /** From 1. */
  number: number;
  transport: string;
  /** Every setting in force. */
  variant: Readonly<Record<string, unknown>>;
  /** How tables name it. */
  labels: {facilitator: string; qualifier: string | null; settings: string[]};
  payloadBytes: number;
  /** Whether messages are put into a queue, and taken out at the end. */
  stores: boolean;
  /** The kind that it needs. */
  broker: string | null;
  /** How many it has, if it is a cluster; otherwise 1. */
  brokerNodes: number;
  /** Whether a message without an outcome is sent again; missing in older records. */
  resend?: boolean;
  /** What that must be started with. */
  brokerSettings: Readonly<Record<string, string>>;
}

/** How tables name a row. */
export type NameOf = (row: Row) => string;

/** One strike of a fault, and what became of a row. */
export interface Try {
  /** Of a fault that is no power cut, only the last try has one: that of the whole load. Null also where the messages could not be read. */
  account: Account | null;
  /** The same of what was sent and confirmed before the fault was over: what comes later is not hit. */
  atRisk: Account | null;
  /** Null where the load goes on. */
  outage: Outage | null;
  /** Why the messages could not be read; null: they could. */
  unavailable: string | null;
  /** Null without a queue. */
  arrival: Arrival | null;
}

/** How messages came out of a queue. */
export interface Arrival {
  duplicated: number;
  reordered: number;
  corrupted: number;
}

/** What a fault did to a row. */
export interface FoundOfFault {
  fault: FaultName;
  /** There if the connections went through a proxy of perf-battle, which can reset them. */
  isThroughProxy?: true;
  tries: Try[];
  /** Of the load. */
  timeline: Timeline;
}

export interface FoundOfRow {
  row: Row;
  /** Null for requests with replies. */
  evidence: Evidence | null;
  faults: FoundOfFault[];
  /** Why it has failed. */
  error: {code: string; message: string; exitCode: number} | null;
}

/** Why, as a clause. */
export interface NotTried {
  fault: FaultName;
  why: string;
  /** The kinds of broker whose rows it was not done to; missing: all. */
  brokers?: readonly string[];
}

export interface FoundFaults {
  rows: FoundOfRow[];
  notTried: NotTried[];
  /** Of the broker of each row. */
  versions: Map<Row, Record<string, string | null>>;
}

/**
 * What became of the messages of a load. sent = received + lost; sent = confirmed + refused + open; received = confirmed − confirmedLost +
 * unconfirmedReceived; acknowledged ≤ received.
 */
export interface Account {
  sent: number;
  /** By the broker, or answered with the right reply. */
  confirmed: number;
  /** By the broker, because it did not take them or no queue did; or answered with a wrong reply. */
  refused: number;
  /** Sent, and their outcome is not known. */
  open: number;
  received: number;
  /**
   * Of these, those that the consumer acknowledged to the broker: none with automatic acknowledgement. Null where the transport does not say, and for requests.
   */
  acknowledged: number | null;
  /** Sent, and never seen. */
  lost: number;
  /** Confirmed, and never seen: a broken promise, if there was one. */
  confirmedLost: number;
  /** Received, and never confirmed. */
  unconfirmedReceived: number;
}

/** How long a load was interrupted. All in ms. */
export interface Outage {
  /** From the last good reply before to the first one after; null: none came after. */
  ms: number | null;
  /** Of it, until what was hit was there again; null: it stayed down. */
  restartMs: number | null;
  /** From then until the first good reply. */
  recoveryMs: number | null;
  /** From when it was there again until messages were sent on time again; null: not before the end, or it stayed down. */
  rateBackMs: number | null;
  /** The longest time from when a message was due to its reply. */
  worstMs: number | null;
}

/** A load over time, in parts of equal length. */
export interface Timeline {
  partMs: number;
  /** Whether replies are counted; otherwise sends. */
  isConfirmed: boolean;
  /** Good replies in each part: confirms, or right replies; where nothing is confirmed, sends. */
  goodPerSecond: number[];
  /** Of each part: the longest time from when a message was due to its reply; null without a reply. */
  worstMs: (number | null)[];
  /** Since the start: when each was done, and when what it hit was there again. */
  faults: {fromMs: number; untilMs: number}[];
}

/** What the acknowledgement of a message is worth, from what was seen and not from documentation. In ascending order. */
export type GuaranteeClass =
  | 'not stored'
  | 'fire and forget'
  | 'in memory'
  | 'in the page cache'
  | 'batched on disk'
  | 'on disk before the acknowledgement';

/** When a broker flushes a message to its disk: before it answers, after it, or not for each message. */
export type FlushOrder = 'before' | 'after' | 'none';

/** What was seen while one message at a time was outstanding; with several, a broker may write them together. */
export interface Evidence {
  messages: number;
  /** Of each. */
  payloadBytes: number;
  /** Whether the broker confirms messages. */
  isConfirmed: boolean;
  /** The median time from a send to its confirm; null without confirms. */
  rttMs: number | null;
  /** Messages per second with a whole window outstanding. */
  ratePerSecond: number | null;
  /** That the broker's processes wrote into the page cache; null where that is not known. */
  dirtiedBytesPerMessage: number | null;
  /** How many nodes wrote each message; missing in older records. */
  replicas?: number;
  /** Null where it was not traced. */
  flushOrder?: FlushOrder | null;
  /** That the broker's device was asked for, which all its nodes share; null without a disk of its own. */
  flushesPerMessage: number | null;
}

/**
 * What a fault did to the messages that were confirmed. Unavailable: they could not be read; not tried: nothing had been confirmed.
 */
export type Outcome = 'kept' | 'lost' | 'unavailable' | 'not tried';

/** What the tries of a fault showed together. */
export interface Summary {
  fault: FaultName;
  /** For messages that were confirmed; without confirms for those that were sent. */
  outcome: Outcome;
  /** How often it was done. */
  tries: number;
  /** The most messages that one try lost of those confirmed, or sent; null where none could be read. */
  lost: number | null;
  /** How many were confirmed, or sent, in that try. */
  of: number | null;
  /** The counts of that try; null where none could be read, or nothing was confirmed or sent. */
  account: Account | null;
  /** How often the messages could not be read. */
  unavailable: number;
  /** Why they could not. */
  why: string | null;
  /** The longest outage; null where there was none, or one did not end. */
  outageMs: number | null;
  /** None: the load goes on; open: an outage did not end. */
  outageEnd: 'none' | 'ended' | 'open';
  /** The longest time from the fault until what was hit was there again. */
  restartMs: number | null;
  /** There if the connections went through a proxy of perf-battle. */
  isThroughProxy?: true;
  /** In each try. */
  found: Try[];
  timeline: Timeline;
}

export interface Conclusion {
  row: Row;
  error: FoundOfRow['error'];
  evidence: Evidence | null;
  /** Null: it was not shown. */
  class: GuaranteeClass | null;
  /** The class, and on how many nodes, as tables name it. */
  guarantee: string | null;
  /** Whether confirmed messages were lost that the writes of the broker promised to keep. */
  isBroken: boolean;
  faults: Summary[];
  sentence: string;
}
