import type {Connection, Source, TargetTerminusOptions} from 'rhea';
import type {ClientName} from '../../brokers/client-id.js';

/** A link to none takes messages that name their own. A dynamic one is made by the broker, and ends with its link. */
export type Target = TargetTerminusOptions | string | undefined;

/** Where a link takes messages from. */
export type Origin = Source | string;

/** What both ends of a pair use on a broker of one kind, and how it is made there and deleted. */
export interface Topology {
  /** Makes what servers share, and forgets the requests of an earlier run. to: the properties of a reply. */
  serve: () => Promise<{requests: Origin; replies: Target; to: (replyTo: string) => object}>;
  /** Deletes it, unless another server uses it. */
  endServing: () => Promise<unknown>;
  /** Makes the queue of a client's replies. Rejects with a RunError, PB_NO_SERVER, if no server takes requests. */
  call: () => Promise<{requests: Target; replies: Origin; replyTo: string}>;
  /** Deletes it. */
  endCalling: () => Promise<unknown>;
  /** Makes the queue of a client alone, or finds it. Rejects with a RunError, PB_TOPOLOGY. */
  store: () => Promise<{into: Target; from: Origin}>;
  /** Deletes it. */
  endStoring: () => Promise<unknown>;
  /** Where a message to all subscribers goes. */
  broadcast: Target;
  /** Makes what one of them takes messages from. */
  subscribe: () => Promise<Origin>;
  /** Where a message is accepted and goes nowhere. */
  marks: Target;
}

/** Of a role, beside the names that the kind of broker has. */
export interface TopologySettings extends ClientName {
  broker: any;
  /** Of what the broker is asked at the start. */
  greetingMs?: number;
  /** Contents of certificates and keys, by path. */
  files?: Readonly<Record<string, string>>;
  /** Whether the queue may be there already, with messages. */
  findsQueue?: boolean;
}

/** Of the kind of broker that settings name. */
export interface TopologyModule {
  /** Over an open connection. */
  topologyOver: (connection: Connection, options: TopologySettings) => Topology;
  /** Why a connection could not be opened, for people. */
  unopened: (broker: any, error: any) => Error;
}
