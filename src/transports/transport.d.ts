import type {BrokerKind, BrokerSettings} from '../brokers/kind.js';
import type {Option} from '../options/contract.js';

/**
 * A transport: its two halves, and what must be known of them before one is loaded. To add one, write a folder here: `index.js` exports
 * this declaration, `server.js` exports `serve` and `client.js` exports `connect`. List it in index.js beside this file. Own: its own
 * settings, inferred from its options.
 */
export interface Transport<Own = any> {
  name: string;
  /** Its name in tables. */
  label: string;
  /** Its name in tables, where the settings determine it. */
  labelOf?: (variant: Own) => string;
  /** Its own; those with a label make its variants. */
  options: readonly Option[];
  capabilities: readonly Capability[];
  /** The kind of broker that it needs; null: none, or `brokersOf` says. */
  broker: string | null;
  /** The kinds that it needs with the settings of a battle, of a script or of a variant; there if they determine it. */
  brokersOf?: (settings: any) => string[];
  /** Those that `brokersOf` may name; by default all. */
  brokers?: readonly string[];
  /**
   * What a private broker must be started with for these settings; default nothing. Rows with other settings have a broker of their own, and with a broker
   * that a person names they are refused.
   */
  brokerSettings?: (variant: Own) => BrokerSettings;
  /** The values that belong together of options that a battle has lists of; by default each combination of their values is a variant. */
  together?: (settings: any) => Partial<Own>[];
  /** Whether a battle includes it only on request. */
  isOptIn?: boolean;
  /** Names of groups that it belongs to, beside those that follow from other fields. */
  groups?: readonly string[];
  /** The key of an option that adds this transport to those of a battle. */
  impliedBy?: string;
  /** Where its server is, if a person names one that is already there: a battle then starts none. */
  serverOf?: (variant: Own) => {host: string; port: number} | null;
  /** Whether its requests have no payload. */
  sendsNoPayload?: (variant: Own) => boolean;
  /** How it reaches a server that a person names by URL (`--url`); absent: it cannot. */
  given?: GivenByUrl;
  /** Loads the client's half, with its library; absent if it runs programs. */
  client?: () => Promise<{connect: Connect}>;
  /** Loads the server's half. */
  server?: () => Promise<{serve: Serve}>;
  /** Whether its roles are programs of other authors, which know only a part of the workloads. */
  runsPrograms?: boolean;
  /** Whether client and server must run on the same host. */
  needsOneHost?: boolean;
  /**
   * Whether a thread of each client answers, in the process of the client. Such a thread knows no workload. The CPU time of the server is a part of that of
   * the client, and its `threads` are those of the clients.
   */
  answersInClient?: boolean;
  /** How many servers its clients may have; absent: any number. */
  maxServers?: number | ((variant: Own) => number);
  /** Why this host cannot run so many clients and servers; null if it can. */
  refuseProcesses?: (processes: number) => string | null;
  /** Why its halves do not run in a runtime beside Node.js, by the name of the runtime, such as `bun`; a sentence without its end. */
  notInRuntimes?: Readonly<Record<string, string>>;
  /** Npm packages whose versions are part of the record. */
  libraries: readonly string[];
  /** Where one that a person brings comes from. */
  module?: TransportModule;
  /** The transport that all others are compared with; there is one. */
  isFloor?: boolean;
  /** Whether it may be faster than the floor, because it does not use TCP or not Node.js. */
  mayBeatFloor?: boolean;
  /** Notes below a table with these variants, each a paragraph. */
  notesOn?: (variants: readonly Own[]) => string[];
  /** Adds the settings that follow from others. */
  complete?: (variant: Own) => Partial<Own>;
  /** Keys of its options that have no effect with these settings. */
  ignores?: (variant: Own) => readonly string[];
  /** Why this combination of settings is not supported, with what the workload needs; null if it is. */
  refuse?: (variant: Own, needs: readonly Capability[]) => string | null;
  /**
   * Throws a UsageError if the files that its settings name do not go together; those of a script of another transport are missing.
   * hasBothEnds: the settings are those of the servers and of the clients.
   */
  checkFiles?: (values: Partial<Own>, ends: {hasBothEnds: boolean}) => void;
  /** Whether each request in flight has a connection of its own. */
  connectsPerRequest?: boolean;
  /** Whether a window bounds the one-way messages that wait for a confirmation. */
  boundsSends?: (variant: Own) => boolean;
  /** Labels of a row, beside those of options with another value than the default. */
  details?: (variant: Own) => string[];
  /** Distinguishes its default variants where no column does. */
  qualifier?: (variant: Own) => string | null;
  /** About how long a round trip takes on two idle cores, for estimates. */
  roundTripMs?: (payloadBytes: number, variant: Own) => number;
  /**
   * The values of its settings that change what the acknowledgement of a stored message is worth, by the option's key: those that `perf-battle faults`
   * compares, and those with `--all-settings`.
   */
  guarantees?: {
    usual: Readonly<Record<string, readonly unknown[]>>;
    all: Readonly<Record<string, readonly unknown[]>>;
    /** The same of the consumer of a queue, if its store has `consume`: what its own end costs. The broker's promise is the same with each. */
    consumer?: Readonly<Record<string, readonly unknown[]>>;
  };
  /** The text of the Persistent column; default *N/A*. */
  persistent?: (variant: Own) => string | null;
}

export interface GivenByUrl {
  /** Of its URLs, such as `http:`. */
  protocols: readonly string[];
  /** Whether a request has a method. */
  hasMethods?: boolean;
  /** Whether a payload is a field of a message, or a message as it is. */
  hasMessages?: boolean;
  /** Why it cannot call a server by this URL, worded as a sentence; null if it can. */
  refuse?: (url: URL) => string | null;
  /** Loads its client. */
  client: () => Promise<{connectToGiven: (options: ConnectGivenSettings) => Promise<Client>}>;
}

export interface TransportModule {
  /** As the person named it. */
  specifier: string;
  /** Of the file. */
  url: string;
  /** The name of its package; null: it is in none. */
  package: string | null;
  /** Of that package. */
  version: string | null;
}

/**
 * Request: with a reply; send: one way; store: a queue that keeps messages; broadcast: one message to all that subscribe, by `broadcast` of the client, or
 * by `send` and by replies of parts, which a server of perf-battle sends to each subscriber.
 */
export type Capability = 'request' | 'send' | 'store' | 'broadcast';

/** The settings in force of any transport, by the option's key. */
export type AnyVariant = Readonly<Record<string, unknown>>;

/** How a server answers one request: by chunks and an end, or only by an end. */
export interface Reply {
  /** Sends a part of the reply; false: wait for `drained` before the next. */
  write: (chunk: Buffer) => boolean;
  drained: () => Promise<void>;
  /** Sends the last part or the whole reply; without a chunk and without parts there is no reply. */
  end: (chunk?: Buffer) => void;
}

/** The settings of its options, and those that reach its broker, come with those below. gets ConnectSettings. */
export type Connect = (options: any) => Promise<Client>;

/** Gets ServeSettings. */
export type Serve = (options: any, onRequest: OnRequest) => Promise<Server>;

export type OnRequest = (request: Buffer, reply: Reply) => void;

export interface Server {
  /** Host:port that clients connect to; null: they use the broker. */
  address: string | null;
  /** Rejects if the server ends unexpectedly. */
  closed: Promise<void>;
  /** Settings that only the running process knows, by key. */
  details?: Record<string, unknown>;
  /** PEM, of a server with TLS. */
  certificate?: string | null;
  /** The threads that answer, in place of the main thread of its process, by their folders in /proc. */
  threads?: () => readonly string[];
  /** As those of a client, to all clients together. */
  retransmissions?: () => number;
  close: () => Promise<void>;
}

export interface Client {
  /**
   * Rejects if the connection ends. With onChunk, the parts of a reply are passed on as they arrive, and the promise resolves with the
   * last one.
   */
  request: (payload: Buffer, parts?: {onChunk: (chunk: Buffer) => void}) => Promise<Buffer>;
  /** The same without a promise. */
  ask: (payload: Buffer, waiting: Waiting) => void;
  /** Gives up the reply to an `ask`; present if the connection would otherwise keep waiting for it. */
  abandon?: (waiting: Waiting) => void;
  /** How many it has opened so far; present if their number depends on the load. */
  connections?: () => number;
  /** How often it has sent something again so far; present if that is its own task, and not that of TCP. */
  retransmissions?: () => number;
  /** Sends one way; false: wait for `drained` before the next. */
  send?: (payload: Buffer) => boolean;
  /** Resolves when there is room again. */
  drained?: () => Promise<void>;
  /** Resolves when everything was handed over; confirmed: number of messages that the other end has confirmed; null: it confirms none. */
  flushed?: () => Promise<{confirmed: number | null}>;
  store?: Store;
  /** There if `broadcasts` was asked for, and its broker sends a message to all that subscribe. */
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
  /** The connection ended; may be called more than once. */
  reject: (error: Error) => void;
  /** Receives the parts of a reply in several messages; an empty part ends it. */
  onChunk: ((chunk: Buffer) => void) | null;
  /** Set by a client that has `abandon`. */
  exchange?: Abandonable | null;
}

/** The request in flight, as its client keeps it. */
export type Abandonable = {abandon(): void};

/** Messages to all that subscribe, by a broker. */
export interface Broadcast {
  publish: (payload: Buffer) => void;
  /** Resolves when none that is published later is missed. */
  subscribe: (onMessage: (payload: Buffer) => void) => Promise<void>;
}

/** A durable queue that belongs to the client. */
export interface Store {
  /** False: wait for `drained` before the next. outcome: of this very message, if the broker says what becomes of each. */
  put: (payload: Buffer, outcome?: PutOutcome) => boolean;
  drained: () => Promise<void>;
  /** Resolves when the broker has everything. */
  flushed: () => Promise<{confirmed: number | null}>;
  /** Whether a message counts as put only when the broker has confirmed it. */
  awaitsConfirms: boolean;
  /** Consumes that many messages; stay: keeps the consumer for the next call. */
  take: (count: number, onMessage: (payload: Buffer) => void, how?: {stay?: boolean}) => Promise<void>;
  /** Consumes until its end, as a service does: one that was killed leaves to the next what it has not acknowledged. */
  consume?: (onMessage: OnConsumed) => Promise<Consumption>;
}

/**
 * Gets each message. acknowledge: call it when the work on the message is done; it resolves when the acknowledgement is on its way to the broker, or
 * committed. Null: the delivery was the acknowledgement.
 */
export type OnConsumed = (payload: Buffer, acknowledge: (() => Promise<void>) | null) => void;

export interface Consumption {
  /** Resolves when no more messages come. Those that were delivered can still be acknowledged. */
  end: () => Promise<void>;
  /** Resolves when all is acknowledged that was delivered. There if the broker may deliver a message again after later ones. */
  settled?: () => Promise<void>;
}

/** One of them is called, once, unless the connection ends before. */
export interface PutOutcome {
  confirmed: () => void;
  /** The broker did not take it, or no queue did. */
  refused: () => void;
}

/** What a client gets, in addition to the settings of its transport. */
export interface ConnectSettings {
  /** Host:port of each, the client's own first. */
  servers: readonly string[];
  /** Maximum number of requests in flight. */
  concurrency: number;
  correlation: Correlation | null;
  /** False: the client only uses the broker. */
  hasServer: boolean;
  /** Whether it publishes to all that subscribe, or subscribes. */
  broadcasts?: boolean;
  /** TCP_NODELAY. */
  noDelay: boolean;
  /** How long the other end may take to accept the connection. */
  greetingMs: number;
  /** Maximum number of one-way messages that wait for a confirm. */
  window?: number;
  /** Whether the queue of its store may be there already, with messages of another client. */
  findsQueue?: boolean;
  /** Whether that queue stays when it closes. */
  keepsStore?: boolean;
  /** PEM, of the servers with TLS. */
  certificates?: readonly string[];
  /** How to reach it. */
  broker?: object | null;
  /** Contents of certificates and keys, by the path that a setting names. */
  files?: Readonly<Record<string, string>>;
}

/** What a client of a server that a person names gets. */
export interface ConnectGivenSettings extends ConnectSettings {
  url: URL;
  host: string;
  port: number;
  /** Of each request, where the transport has methods. */
  method: string;
  /** Whether such a request has a payload. */
  hasBody: boolean;
  /** By name, in small letters. */
  headers: Readonly<Record<string, string>>;
  /** PEM of the authority to trust; null: those of the system. */
  ca: string | null;
  /** Whether a reply counts that says that the request failed. */
  takesAnyStatus: boolean;
  /** Whether the payload is a message as it is, where the transport has messages of its own. */
  isWholeMessage: boolean;
}

/** What a server gets, in addition to the settings of its transport. */
export interface ServeSettings {
  /** Whether it takes the place of a server that has ended, and another may take its own: the requests that wait in the queue stay. */
  findsQueue?: boolean;
  /** Null: all addresses. */
  listenAddress: string | null;
  /** 0: a free one. */
  serverPort: number;
  /** TCP_NODELAY. */
  noDelay: boolean;
  /** How to reach it. */
  broker?: object | null;
  /** Contents of certificates and keys, by the path that a setting names. */
  files?: Readonly<Record<string, string>>;
}

/**
 * Matches replies with requests if the protocol has no ids and several requests are in flight; null: replies arrive in the order of the
 * requests.
 */
export interface Correlation {
  ofRequest: (request: Buffer) => number;
  ofReply: (reply: Buffer) => number;
  /** A reply to no outstanding request arrived. */
  onStray: () => void;
}

/** What a person gives to `defineTransport`. */
export type Declaration = {
  apiVersion: 1;
  name: string;
  label: string;
  capabilities: readonly Capability[];
  url?: string;
  broker?: string | null | BringBroker;
} & Pick<Required<Transport>, 'client' | 'server'> &
  Partial<Omit<Transport, 'broker'>>;

/** Loads the module of a kind of broker that is not part of perf-battle. */
export type BringBroker = () => Promise<{default: BrokerKind}>;

/**
 * A transport that is not part of perf-battle. `bringBroker` loads the kind of broker that the transport needs, if that is not part of
 * perf-battle either.
 */
export type Guest = Transport & {module: TransportModule; bringBroker: BringBroker | null};

/** `floor`: the transport that the others are compared with; notes: paragraphs. */
export type TransportFacts = {floor: string; notes: string[]};

/** A broker that a transport needs, started with these settings if it is private. */
export type BrokerNeed = {kind: string; settings: BrokerSettings};
