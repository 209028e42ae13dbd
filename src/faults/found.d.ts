import type {Account} from './account.js';
import type {FaultName} from './faults.js';
import type {Evidence} from './guarantee.js';
import type {Outage} from './outage.js';
import type {Timeline} from './timeline.js';

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
  /** What that must be started with. */
  brokerSettings: Readonly<Record<string, string>>;
}

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
  /** Of the brokers. */
  versions: Record<string, string | null>;
}
