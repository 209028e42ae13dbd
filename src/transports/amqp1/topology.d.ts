import type {Connection, Source, TargetTerminusOptions} from 'rhea';
import type {ClientName} from '../../brokers/client-id.js';

/** The target of a link. Without a target, each message names its own. The broker creates a dynamic target, which ends with its link. */
export type Target = TargetTerminusOptions | string | undefined;

/** The source of a link. */
export type Origin = Source | string;

/** What the broker has said of its own settings, for the record. */
export interface Found {
  details?: Record<string, unknown>;
}

/** The queues and addresses that client and server use on a broker of one kind, and how they are created and deleted. */
export interface Topology {
  /** Creates what the servers share, and deletes requests of an earlier run. to: the properties of a reply. */
  serve: () => Promise<{requests: Origin; replies: Target; to: (replyTo: string) => object}>;
  /** Deletes what the servers share, unless another server uses it. */
  endServing: () => Promise<unknown>;
  /** Creates the queue of a client's replies. Rejects with a RunError, PB_NO_SERVER, if no server takes requests. */
  call: () => Promise<{requests: Target; replies: Origin; replyTo: string} & Found>;
  /** Deletes the reply queue. */
  endCalling: () => Promise<unknown>;
  /** Creates the store queue of a client, or finds it. Rejects with a RunError, PB_TOPOLOGY. */
  store: () => Promise<{into: Target; from: Origin} & Found>;
  /** Deletes the store queue. */
  endStoring: () => Promise<unknown>;
  /** The target of messages to all subscribers. */
  broadcast: Target;
  /** Creates the source of a subscriber's messages. */
  subscribe: () => Promise<Origin>;
  /** A target that accepts messages and discards them. */
  marks: Target;
}

/** The settings of a role, in addition to the names of the broker kind. */
export interface TopologySettings extends ClientName {
  broker: any;
  /** The bound on each request to the broker at the start, in milliseconds. */
  greetingMs?: number;
  /** Contents of certificates and keys, by path. */
  files?: Readonly<Record<string, string>>;
  /** Whether the queue may exist already, with messages. */
  findsQueue?: boolean;
  /** Is aborted when the role must end. */
  ending?: AbortSignal;
}

/** The functions of a broker kind. */
export interface TopologyModule {
  topologyOver: (connection: Connection, options: TopologySettings) => Topology;
  /** Explains why a connection could not be opened. */
  unopened: (broker: any, error: any) => Error;
}
