import type {BrokerKind, BrokerSettings} from '../brokers/kind.js';
import type {Option} from '../options/contract.js';

/**
 * The declaration of a transport, which is read before its client or server is loaded. A new transport is a folder here: `index.js` exports
 * the declaration, `server.js` exports `serve`, and `client.js` exports `connect`. The registry in `index.js` of this folder lists the
 * declaration. Own: the settings of the transport, inferred from its options.
 */
export interface Transport<Own = any> {
  name: string;
  /** The name in tables. */
  label: string;
  /** The name in tables if the settings determine it. */
  labelOf?: (variant: Own) => string;
  /** The options of this transport. An option with a label makes variants. */
  options: readonly Option[];
  capabilities: readonly Capability[];
  /** The kind of broker that the transport needs; null: none, or `brokersOf` returns it. */
  broker: string | null;
  /**
   * Returns the kinds of brokers that the transport needs with the settings of a battle, a script or a variant. Present if the settings
   * determine the kinds.
   */
  brokersOf?: (settings: any) => string[];
  /** The kinds that `brokersOf` may return; default all. */
  brokers?: readonly string[];
  /**
   * The settings that a private broker must be started with; default none. Rows with different broker settings use different private
   * brokers. A row with broker settings is refused if the user names the broker.
   */
  brokerSettings?: (variant: Own) => BrokerSettings;
  /** Returns the combinations of option values that become variants, where a battle has lists of values. Default: all combinations. */
  together?: (settings: any) => Partial<Own>[];
  /** Whether a battle includes the transport only on request. */
  isOptIn?: boolean;
  /** Names of groups that the transport belongs to, in addition to the groups that follow from other fields; see groups.js. */
  groups?: readonly string[];
  /** The key of an option that adds this transport to the transports of a battle. */
  impliedBy?: string;
  /** The address of an existing server that the user names. A battle then starts no server. */
  serverOf?: (variant: Own) => {host: string; port: number} | null;
  sendsNoPayload?: (variant: Own) => boolean;
  /** How the transport reaches a server that the user names by URL (`--url`); absent: `--url` is not supported. */
  given?: GivenByUrl;
  /** Loads the client and its library; absent if the transport runs programs. */
  client?: () => Promise<{connect: Connect}>;
  server?: () => Promise<{serve: Serve}>;
  /** Whether client and server are external programs, which support only some workloads. */
  runsPrograms?: boolean;
  /** Whether client and server must run on the same host. */
  needsOneHost?: boolean;
  /** Whether it uses datagrams, so that there is no connection which a fault could reset. */
  usesDatagrams?: boolean;
  /**
   * Whether a thread in each client process answers the requests. The thread runs no workload code. The server's CPU time is part of the
   * client's CPU time, and the server's `threads` are threads of the clients.
   */
  answersInClient?: boolean;
  /** Maximum number of servers; absent: no limit. */
  maxServers?: number | ((variant: Own) => number);
  /** Returns why this host cannot run this number of clients and servers; null if it can. */
  refuseProcesses?: (processes: number) => string | null;
  /**
   * Why client and server do not run in another runtime than Node.js, by the name of the runtime, such as `bun`. Each value is a sentence
   * without the final period.
   */
  notInRuntimes?: Readonly<Record<string, string>>;
  /** Npm packages whose versions are part of the record. */
  libraries: readonly string[];
  /** The module of a transport that is not part of perf-battle. */
  module?: TransportModule;
  /** Whether all other transports are compared with this one. Exactly one transport has this field. */
  isFloor?: boolean;
  /** Whether the transport may be faster than the floor, because it does not use TCP or Node.js. */
  mayBeatFloor?: boolean;
  /** Notes below a table with these variants, each a paragraph. */
  notesOn?: (variants: readonly Own[]) => string[];
  /** Adds the settings that follow from other settings. */
  complete?: (variant: Own) => Partial<Own>;
  /** Returns the keys of options that have no effect with these settings. */
  ignores?: (variant: Own) => readonly string[];
  /** Returns why these settings are not supported with the capabilities that the workload needs; null if they are. */
  refuse?: (variant: Own, needs: readonly Capability[]) => string | null;
  /**
   * Throws a UsageError if the files that the settings name do not go together. Settings that a script does not have are missing.
   * hasBothEnds: the settings are those of the servers and of the clients.
   */
  checkFiles?: (values: Partial<Own>, ends: {hasBothEnds: boolean}) => void;
  /** Whether each request in flight has a connection of its own. */
  connectsPerRequest?: boolean | ((variant: Own) => boolean);
  /** Whether a window bounds the one-way messages that wait for a confirmation. */
  boundsSends?: (variant: Own) => boolean;
  /** Labels of a row, in addition to the labels of options with another value than the default. */
  details?: (variant: Own) => string[];
  /** Distinguishes the default variants where no column does. */
  qualifier?: (variant: Own) => string | null;
  /** The approximate duration of a round trip on two idle cores, for estimates. */
  roundTripMs?: (payloadBytes: number, variant: Own) => number;
  /**
   * The values of settings that change what an acknowledgement of a stored message guarantees, by the option's key. `perf-battle faults`
   * compares the `usual` values; with `--all-settings`, it compares `all`.
   */
  guarantees?: {
    usual: Readonly<Record<string, readonly unknown[]>>;
    all: Readonly<Record<string, readonly unknown[]>>;
    /**
     * The values of consumer settings to compare, if the store has `consume`. They change what is lost when the consumer ends, and not what
     * the broker guarantees.
     */
    consumer?: Readonly<Record<string, readonly unknown[]>>;
    /** What a private broker does where such a setting is not given. */
    ofPrivateBroker?: Readonly<Record<string, unknown>>;
  };
  /** How long a client of a queue waits by default for the outcome of a message under faults, if that is shorter than --timeout. */
  publishTimeoutMs?: number;
  /** The text of the Persistent column; default *N/A*. */
  persistent?: (variant: Own) => string | null;
}

export interface GivenByUrl {
  /** The protocols of URLs, such as `http:`. */
  protocols: readonly string[];
  /** Whether a request has a method. */
  hasMethods?: boolean;
  /** Whether the user chooses that a payload is a field of a message, or a whole message. */
  hasMessages?: boolean;
  /** Returns a sentence that says why the transport cannot call a server by this URL; null if it can. */
  refuse?: (url: URL) => string | null;
  client: () => Promise<{connectToGiven: (options: ConnectGivenSettings) => Promise<Client>}>;
}

export interface TransportModule {
  /** The name that the user gave. */
  specifier: string;
  url: string;
  /** The name of the package that contains the module; null: none. */
  package: string | null;
  /** The version of the package; null: unknown. */
  version: string | null;
}

/**
 * request: with a reply; send: one way; store: a queue that keeps messages; broadcast: one message to all subscribers. A client broadcasts
 * by `broadcast`. Without it, the client uses `send`, and a perf-battle server sends each message to each subscriber as a part of a reply.
 */
export type Capability = 'request' | 'send' | 'store' | 'broadcast';

/** The effective settings of any transport, by the option's key. */
export type AnyVariant = Readonly<Record<string, unknown>>;

/** How a server answers a request: by `write` for each part and then `end`, or by `end` alone. */
export interface Reply {
  /** Sends a part of the reply; false: wait for `drained` before the next. */
  write: (chunk: Buffer) => boolean;
  drained: () => Promise<void>;
  /** Sends the last part or the whole reply. Without a chunk and without earlier parts, there is no reply. */
  end: (chunk?: Buffer) => void;
}

/** Receives ConnectSettings, the settings of the transport's options and the settings that reach its broker. */
export type Connect = (options: any) => Promise<Client>;

/** Receives ServeSettings. */
export type Serve = (options: any, onRequest: OnRequest) => Promise<Server>;

export type OnRequest = (request: Buffer, reply: Reply) => void;

export interface Server {
  /** The host:port that clients connect to; null: clients use the broker. */
  address: string | null;
  /** Rejects if the server ends unexpectedly. */
  closed: Promise<void>;
  /** Settings that only the running process knows, by key. */
  details?: Record<string, unknown>;
  /** The certificate of a server with TLS, in PEM. */
  certificate?: string | null;
  /** Returns the folders in /proc of the threads that answer instead of the main thread. */
  threads?: () => readonly string[];
  /** Returns how often the server has retransmitted to all clients. */
  retransmissions?: () => number;
  close: () => Promise<void>;
}

export interface Client {
  /**
   * Sends a request. Rejects if the connection ends. With onChunk, each part of a reply is passed on when it arrives, and the promise
   * resolves with the last part.
   */
  request: (payload: Buffer, parts?: {onChunk: (chunk: Buffer) => void}) => Promise<Buffer>;
  /** Sends a request, like `request`, without a promise. */
  ask: (payload: Buffer, waiting: Waiting) => void;
  /** Gives up the reply to an `ask`. Present if the connection would otherwise keep waiting for the reply. */
  abandon?: (waiting: Waiting) => void;
  /** Returns how many connections the client has opened. Present if the number depends on the load. */
  connections?: () => number;
  /** Returns how often the client has retransmitted. Present if the transport retransmits itself, instead of TCP. */
  retransmissions?: () => number;
  /** Sends one way; false: wait for `drained` before the next. */
  send?: (payload: Buffer) => boolean;
  drained?: () => Promise<void>;
  /** Resolves when all messages were handed over. confirmed: how many messages the other end has confirmed; null: it confirms none. */
  flushed?: () => Promise<{confirmed: number | null}>;
  store?: Store;
  /** Present if the settings have `broadcasts`, and the broker sends a message to all subscribers. */
  broadcast?: Broadcast;
  /** Rejects if the connection ends unexpectedly. */
  closed: Promise<void>;
  /** Settings that only the running process knows, by key. */
  details?: Record<string, unknown>;
  close: () => Promise<void>;
}

/** Callbacks for the reply to one request. */
export interface Waiting {
  resolve: (reply: Buffer) => void;
  /** Reports that the connection ended, possibly more than once. */
  reject: (error: Error) => void;
  /** Receives the parts of a reply that consists of several messages. An empty part ends the reply. */
  onChunk: ((chunk: Buffer) => void) | null;
  /** Set by a client that has `abandon`. */
  exchange?: Abandonable | null;
}

/** The client's object of a request in flight. */
export type Abandonable = {abandon(): void};

/** Messages to all subscribers, through a broker. */
export interface Broadcast {
  /** onTaken: called when the broker has taken the message, if `reportsTaken`. */
  publish: (payload: Buffer, onTaken?: () => void) => void;
  /** Present if `publish` calls `onTaken`. */
  reportsTaken?: true;
  /**
   * Resolves when the subscriber receives all messages that are published from then on. after: continues at the position at which an earlier
   * subscription ended, if the broker keeps messages.
   */
  subscribe: (onMessage: (payload: Buffer) => void, after?: unknown) => Promise<void>;
  /** Returns the position after the last delivered message. Present if the broker keeps messages. */
  position?: () => unknown;
}

/** A durable queue that belongs to the client. */
export interface Store {
  /** Returns false: wait for `drained` before the next message. outcome: receives the outcome of this message, if the broker reports it. */
  put: (payload: Buffer, outcome?: PutOutcome) => boolean;
  drained: () => Promise<void>;
  /** Resolves when the broker has all messages. */
  flushed: () => Promise<{confirmed: number | null}>;
  /** Whether a message counts as stored only when the broker has confirmed it. */
  awaitsConfirms: boolean;
  /** Consumes `count` messages. stay: keeps the consumer for the next call. */
  take: (count: number, onMessage: (payload: Buffer) => void, how?: {stay?: boolean}) => Promise<void>;
  /**
   * Consumes until `end` is called, as a service does. If the consumer is killed, the next consumer receives the messages that were not
   * acknowledged.
   */
  consume?: (onMessage: OnConsumed) => Promise<Consumption>;
}

/**
 * Receives each message. acknowledge: to be called when the message is processed; resolves when the acknowledgement is on its way to the
 * broker, or committed. Null: the delivery acknowledged the message.
 */
export type OnConsumed = (payload: Buffer, acknowledge: (() => Promise<void>) | null) => void;

export interface Consumption {
  /** Resolves when no more messages come. Delivered messages can still be acknowledged. */
  end: () => Promise<void>;
  /** Resolves when all delivered messages are acknowledged. Present if the broker may redeliver a message after later messages. */
  settled?: () => Promise<void>;
}

/** One of the callbacks is called once, unless the connection ends first. */
export interface PutOutcome {
  confirmed: () => void;
  /** The broker rejected the message, or no queue accepted it. */
  refused: () => void;
}

/** The settings of a client, in addition to those of its transport. */
export interface ConnectSettings {
  /** The host:port of each server, the client's own server first. */
  servers: readonly string[];
  /** Maximum number of requests in flight. */
  concurrency: number;
  correlation: Correlation | null;
  /** False: the client only uses the broker. */
  hasServer: boolean;
  /** Whether the client broadcasts or subscribes. */
  broadcasts?: boolean;
  /** Whether TCP_NODELAY is set. */
  noDelay: boolean;
  /** How long the other end may take to accept the connection, in milliseconds. */
  greetingMs: number;
  /** Maximum number of unconfirmed one-way messages. */
  window?: number;
  /** Whether the queue of the store may exist and have messages of another client. */
  findsQueue?: boolean;
  /** Whether the queue of the store remains when the client closes; of a broadcast: whether the broker keeps all messages, for subscribers that return. */
  keepsStore?: boolean;
  /** The certificates of servers with TLS, in PEM. */
  certificates?: readonly string[];
  /** How to reach the broker. */
  broker?: object | null;
  /** Contents of certificates and keys, by the path that a setting names. */
  files?: Readonly<Record<string, string>>;
  /** Is aborted when the client must end, maybe while it connects. */
  ending?: AbortSignal;
}

/** The settings of a client of a server that the user names. */
export interface ConnectGivenSettings extends ConnectSettings {
  url: URL;
  host: string;
  port: number;
  /** The method of each request, if the transport has methods. */
  method: string;
  hasBody: boolean;
  /** Header values by name, in lower case. */
  headers: Readonly<Record<string, string>>;
  /** The certificate authority to trust, in PEM; null: the system's authorities. */
  ca: string | null;
  /** Whether a reply counts even if it says that the request failed. */
  takesAnyStatus: boolean;
  /** Whether the payload is a whole message, if the transport has messages of its own. */
  isWholeMessage: boolean;
}

/** The settings of a server, in addition to those of its transport. */
export interface ServeSettings {
  /** Whether the server replaces a server that ended, and may itself be replaced. Requests that wait in the queue then remain. */
  findsQueue?: boolean;
  /** When a broker that redelivers unacknowledged messages after a time should do so, in ms; default: as the broker does. */
  redeliverMs?: number;
  /** The address to listen on; null: all addresses. */
  listenAddress: string | null;
  /** The port to listen on; 0: a free port. */
  serverPort: number;
  /** Whether TCP_NODELAY is set. */
  noDelay: boolean;
  /** How to reach the broker. */
  broker?: object | null;
  /** Contents of certificates and keys, by the path that a setting names. */
  files?: Readonly<Record<string, string>>;
  /** Is aborted when the server must end, maybe while it starts. */
  ending?: AbortSignal;
}

/**
 * Matches replies with requests if the protocol has no ids and several requests are in flight. Null: replies arrive in the order of the
 * requests.
 */
export interface Correlation {
  ofRequest: (request: Buffer) => number;
  ofReply: (reply: Buffer) => number;
  /** Reports a reply that belongs to no outstanding request. */
  onStray: () => void;
}

/** The argument of `defineTransport`. */
export type Declaration = {
  apiVersion: 1;
  name: string;
  label: string;
  capabilities: readonly Capability[];
  url?: string;
  broker?: string | null | BringBroker;
} & Pick<Required<Transport>, 'client' | 'server'> &
  Partial<Omit<Transport, 'broker'>>;

/** Loads the module of a broker kind that is not part of perf-battle. */
export type BringBroker = () => Promise<{default: BrokerKind}>;

/**
 * A transport that is not part of perf-battle. `bringBroker` loads the broker kind that the transport needs, if perf-battle does not have
 * the kind.
 */
export type Guest = Transport & {module: TransportModule; bringBroker: BringBroker | null};

/** floor: the transport that the others are compared with; notes: paragraphs. */
export type TransportFacts = {floor: string; notes: string[]};

/** The broker that a transport needs. A private broker is started with the settings. */
export type BrokerNeed = {kind: string; settings: BrokerSettings};
