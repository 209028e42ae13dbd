/**
 * The types of `import … from 'perf-battle/transport'` (docs/your-own-transport.md). They need no other package. The type checker compares them with the
 * program (test/api/types.test.js).
 */

/** A `Buffer` of Node.js; without the types of Node.js, the bytes that it is. */
export type Bytes = typeof globalThis extends {Buffer: {prototype: infer One}} ? One : Uint8Array;

/** An `AbortSignal`; without a library that has it, the part that any has. */
export type Signal = typeof globalThis extends {AbortSignal: {prototype: infer One}}
  ? One
  : {readonly aborted: boolean; readonly reason: unknown};

/** request: with a reply; send: one way; store: a queue that keeps messages; broadcast: one message to all subscribers. */
export type Capability = 'request' | 'send' | 'store' | 'broadcast';

/** Declares a transport, as the default export of its module. Throws a UsageError that names the field that is missing or not allowed. */
export declare function defineTransport<const One extends Declaration>(declaration: One): One;

/** What the options of a transport are set to, by their keys, as its author knows. */
// biome-ignore lint/suspicious/noExplicitAny: each transport has settings of its own
export type OwnSettings = any;

export interface Declaration {
  /** The version of this contract. */
  apiVersion: 1;
  /** import.meta.url, for `transports: [mine]` in battle() and in perf-battle.config.js: other processes load this module. */
  url?: string;
  /** What a person types: small letters, digits and hyphens. */
  name: string;
  /** Its name in tables. */
  label: string;
  capabilities: readonly Capability[];
  /** Loads the client's half, with its library. */
  client: () => Promise<{connect: (options: OwnSettings) => Promise<LeastClient>}>;
  /** Loads the server's half. */
  server: () => Promise<{serve: (options: OwnSettings, onRequest: OnRequest) => Promise<Server>}>;
  /** Settings of its own, made by `option`. Those with a label make variants, each with a row. */
  options?: readonly Option[];
  /** npm packages whose versions are part of the record. */
  libraries?: readonly string[];
  /** The kind of broker that it needs: rabbitmq, artemis, nats, redis, mosquitto or kafka, or a function that loads a module with one: () => import('./broker.js'). */
  broker?: string | null | (() => Promise<{default: BrokerKind}>);
  /** Whether it may be faster than raw TCP in Node.js, because it does not use TCP or not Node.js. */
  mayBeatFloor?: boolean;
  /** Whether client and server must run on the same host. */
  needsOneHost?: boolean;
  /** Whether it uses datagrams, so that there is no connection which a fault could reset. */
  usesDatagrams?: boolean;
  /** Whether a thread in each client process answers the requests, without code of a workload. */
  answersInClient?: boolean;
  /** The maximum number of servers; by default no limit. */
  maxServers?: number | ((variant: OwnSettings) => number);
  /** Why this host cannot run this number of clients and servers; null if it can. */
  refuseProcesses?: (processes: number) => string | null;
  /** Why its halves do not run in a runtime other than Node.js, by the name of the runtime, such as bun. */
  notInRuntimes?: Readonly<Record<string, string>>;
  /** Whether each request in flight has a connection of its own. */
  connectsPerRequest?: boolean | ((variant: OwnSettings) => boolean);
  /** Why this combination of settings is not supported with the capabilities that the workload needs; null if it is. */
  refuse?: (variant: OwnSettings, needs: readonly Capability[]) => string | null;
  /** Throws a UsageError if the files that the settings name do not go together. hasBothEnds: the settings are those of servers and of clients. */
  checkFiles?: (values: OwnSettings, ends: {hasBothEnds: boolean}) => void;
  /** The combinations of values that become variants, where a battle has lists of values; by default all combinations. */
  together?: (settings: OwnSettings) => OwnSettings[];
  /** Whether a window bounds the one-way messages that wait for a confirmation. */
  boundsSends?: (variant: OwnSettings) => boolean;
  /** Whether requests have no payload with these settings. */
  sendsNoPayload?: (variant: OwnSettings) => boolean;
  /** Adds the settings that follow from others. */
  complete?: (variant: OwnSettings) => OwnSettings;
  /** Keys of its options that have no effect with these settings. */
  ignores?: (variant: OwnSettings) => readonly string[];
  /** Labels of a row, beside those of options with another value than the default. */
  details?: (variant: OwnSettings) => string[];
  /** Its name in tables, if the settings determine it. */
  labelOf?: (variant: OwnSettings) => string;
  /** Distinguishes the default variants where no column does. */
  qualifier?: (variant: OwnSettings) => string | null;
  /** The text of the column Persistent; null: *N/A*. */
  persistent?: (variant: OwnSettings) => string | null;
  /** Notes below a table with these variants, each a paragraph. */
  notesOn?: (variants: readonly OwnSettings[]) => string[];
  /** What a private broker must be started with for these settings. Rows with other settings have a broker of their own. */
  brokerSettings?: (variant: OwnSettings) => Readonly<Record<string, string>>;
  /** The values of settings that change what a confirmation of a stored message guarantees, by key: `perf-battle faults` compares them. */
  guarantees?: Guarantees;
  /** How long a client of a queue waits by default for the outcome of a message under `perf-battle faults`, if that is shorter than --timeout, in ms. */
  publishTimeoutMs?: number;
  /** About how long a round trip takes on two idle cores, for estimates. */
  roundTripMs?: (payloadBytes: number, variant: OwnSettings) => number;
}

export interface Guarantees {
  usual: Readonly<Record<string, readonly unknown[]>>;
  /** For `--all-settings`. */
  all: Readonly<Record<string, readonly unknown[]>>;
  /** Settings of the consumer, which change what is lost when the consumer ends; for a store with `consume`. */
  consumer?: Readonly<Record<string, readonly unknown[]>>;
  /** What a private broker does where such a setting is not given. */
  ofPrivateBroker?: Readonly<Record<string, unknown>>;
}

/** What a server gets, in addition to the settings of its transport. */
export interface ServeOptions {
  /** Null: all addresses. */
  listenAddress: string | null;
  /** 0: a free one. */
  serverPort: number;
  noDelay: boolean;
  /** How to reach the broker, for a transport with one. */
  broker?: OwnSettings;
  /** Whether the server replaces a server that ended, and may be replaced. Requests that wait in a queue then remain. */
  findsQueue?: boolean;
  /** When a broker should deliver messages again that were not acknowledged, in ms; by default as the broker does. */
  redeliverMs?: number;
  /** The contents of certificates and keys, by the path that a setting names. */
  files?: Readonly<Record<string, string>>;
  /** Is aborted when the server must end, maybe while it starts. */
  ending?: Signal;
}

/** What a client gets, in addition to the settings of its transport. */
export interface ConnectOptions {
  /** host:port of each, the client's own first. */
  servers: readonly string[];
  /** Maximum number of requests in flight. */
  concurrency: number;
  /** Matches replies with requests where replies may come in another order; null: they come in that of the requests. */
  correlation: Correlation | null;
  noDelay: boolean;
  /** How long the other end may take to accept the connection, in ms. */
  greetingMs: number;
  /** False: the client uses the broker alone. */
  hasServer: boolean;
  /** Whether the client broadcasts or subscribes. */
  broadcasts?: boolean;
  /** Maximum number of one-way messages without a confirmation. */
  window?: number;
  /** Whether the queue of the store may exist already, with messages of another client. */
  findsQueue?: boolean;
  /** Whether the queue of the store remains when the client closes; of a broadcast: whether the broker keeps all messages. */
  keepsStore?: boolean;
  /** The certificates of servers with TLS, in PEM. */
  certificates?: readonly string[];
  broker?: OwnSettings;
  /** The contents of certificates and keys, by the path that a setting names. */
  files?: Readonly<Record<string, string>>;
  /** Is aborted when the client must end, maybe while it connects. */
  ending?: Signal;
}

export interface Correlation {
  ofRequest: (request: Bytes) => number;
  ofReply: (reply: Bytes) => number;
  /** A reply to no request in flight has arrived. */
  onStray: () => void;
}

export type OnRequest = (request: Bytes, reply: Reply) => void;

/** How a server answers one request: by parts and an end, or only by an end. */
export interface Reply {
  /** Sends a part of the reply; false: wait for `drained` before the next. */
  write: (chunk: Bytes) => boolean;
  drained: () => Promise<void>;
  /** Sends the last part or the whole reply; without a chunk and without parts there is no reply. */
  end: (chunk?: Bytes) => void;
}

export interface Server {
  /** host:port that clients connect to; null: they use the broker. */
  address: string | null;
  /** Rejects if the server ends unexpectedly. */
  closed: Promise<void>;
  /** Settings that only the running server knows, by key. */
  details?: Record<string, unknown>;
  /** The certificate of a server with TLS, in PEM. Clients get it as `certificates`. */
  certificate?: string | null;
  close: () => Promise<void>;
}

/** The least that a client has. */
export interface LeastClient {
  /** Rejects if the connection ends. With onChunk, the parts of a reply are passed on as they arrive, and the promise resolves with the last one. */
  request: (payload: Bytes, parts?: {onChunk: (chunk: Bytes) => void}) => Promise<Bytes>;
  /** The same without a promise. */
  ask?: (payload: Bytes, waiting: Waiting) => void;
  /** For the capability send: sends one way; false: wait for `drained` before the next. */
  send?: (payload: Bytes) => boolean;
  drained?: () => Promise<void>;
  /** Resolves when everything was handed over; confirmed: how many messages the other end has confirmed; null: it confirms none. */
  flushed?: () => Promise<{confirmed: number | null}>;
  /** Gives up the reply to an `ask`, where the connection would otherwise go on waiting for it. */
  abandon?: (waiting: Waiting) => void;
  /** How many connections the client has opened, if their number depends on the load. */
  connections?: () => number;
  /** For the capability store: a durable queue that belongs to the client. */
  store?: Store;
  /** For the capability broadcast through a broker, if the options have `broadcasts`. Without it, `send` and a server of perf-battle are used. */
  broadcast?: Broadcast;
  /** Rejects if the connection ends unexpectedly. */
  closed: Promise<void>;
  /** Settings that only the running client knows, by key. */
  details?: Record<string, unknown>;
  close: () => Promise<void>;
}

export interface Client extends LeastClient {
  ask: (payload: Bytes, waiting: Waiting) => void;
}

export interface Waiting {
  resolve: (reply: Bytes) => void;
  reject: (error: Error) => void;
  /** Receives the parts of a reply in several messages; an empty part ends it. */
  onChunk: ((chunk: Bytes) => void) | null;
  /** For a client with `abandon`: its own object of this request. */
  exchange?: {abandon(): void} | null;
}

export interface Store {
  /** Stores a message; false: wait for `drained` before the next. outcome: for a broker that reports the outcome of each message. */
  put: (payload: Bytes, outcome?: PutOutcome) => boolean;
  drained: () => Promise<void>;
  /** Resolves when the broker has all messages. */
  flushed: () => Promise<{confirmed: number | null}>;
  /** Whether a message counts as stored only when the broker has confirmed it. */
  awaitsConfirms: boolean;
  /** Consumes that many messages. stay: keeps the consumer for the next call. */
  take: (count: number, onMessage: (payload: Bytes) => void, how?: {stay?: boolean}) => Promise<void>;
  /** Consumes until `end` is called. If the consumer is killed, the next one receives the messages that were not acknowledged. */
  consume?: (
    onMessage: (payload: Bytes, acknowledge: (() => Promise<void>) | null) => void,
  ) => Promise<Consumption>;
}

/** One of the two is called once, unless the connection ends first. */
export interface PutOutcome {
  confirmed: () => void;
  /** The broker rejected the message, or no queue accepted it. */
  refused: () => void;
}

export interface Consumption {
  /** Resolves when no more messages come. Messages that were delivered can still be acknowledged. */
  end: () => Promise<void>;
  /** Resolves when all delivered messages are acknowledged, for a broker that may deliver one again after later ones. */
  settled?: () => Promise<void>;
}

export interface Broadcast {
  /** onTaken: called when the broker has taken the message, if `reportsTaken`. It bounds the messages on their way in a run of faults. */
  publish: (payload: Bytes, onTaken?: () => void) => void;
  /** Present if `publish` calls `onTaken`. */
  reportsTaken?: true;
  /** Resolves when the subscriber receives all that is published from then on. after: the position of an earlier subscription. */
  subscribe: (onMessage: (payload: Bytes) => void, after?: unknown) => Promise<void>;
  /** The position after the last delivered message, for a broker that keeps messages. */
  position?: () => unknown;
}

/** How the text of an option becomes a value. */
export interface OptionType<Value> {
  allowed: string;
  parse: (text: string) => Value | undefined;
  format: (value: Value) => string;
  choices?: readonly string[];
}

export interface Option {
  name: string;
  key: string;
  environmentName: string;
}

/**
 * Declares an option: `lines-encoding` is the flag --lines-encoding, the variable PB_LINES_ENCODING and the setting linesEncoding.
 */
export declare function option<Value>(
  name: string,
  declaration: {
    type: OptionType<Value>;
    default?: NoInfer<Value>;
    /** Whether a battle takes several values, each of which makes rows of its own. */
    list?: boolean;
    /** How a row names a value that is not the default. */
    label?: (value: NoInfer<Value>) => string | null;
    help: string;
    /** What stands for the value in help, such as SIZE; by default what the type has. */
    placeholder?: string;
    /** Its heading in --help. */
    group: string;
    key?: string;
  },
): Option;

export declare function integer(range: {minimum: number; maximum: number}): OptionType<number>;
export declare function bytes(range: {minimum: number; maximum: number}): OptionType<number>;
export declare function duration(range: {minimumMs: number; maximumMs: number}): OptionType<number>;
export declare function oneOf<const Choice extends string>(choices: readonly Choice[]): OptionType<Choice>;
export declare function text(meaning: string): OptionType<string>;
export declare const onOff: OptionType<boolean>;
/** The path of a PEM file with certificates, such as authorities. The file is checked before a battle, and sent to each host as `options.files`. */
export declare const certificateFile: OptionType<string>;
/** As `certificateFile`, for the certificate of this end: it must not have expired. */
export declare const ownCertificateFile: OptionType<string>;
/** The path of a PEM file with a private key without a passphrase, likewise. */
export declare const keyFile: OptionType<string>;
/** The options of `tls.connect` for these files. Files that are not in `contents` are read from the disk. */
export declare function clientCredentials(
  paths: {caFile: string | null; certFile: string | null; keyFile: string | null},
  contents?: Readonly<Record<string, string>>,
): {ca?: string[]; cert?: string; key?: string};

/** A kind of broker, as `defineBroker` makes it. */
export interface BrokerKind {
  readonly name: string;
  readonly label: string;
}

/** How to reach a broker of a kind that `defineBroker` has declared. */
export interface BrokerConnection {
  /** The scheme of its URL. */
  protocol: string;
  /** A name or an address; IPv6 without brackets. */
  hostname: string;
  port: number;
  username: string | null;
  password: string | null;
  /** What follows the port in its URL, without the first slash. */
  path: string;
  /** The paths of PEM files, for a kind that declares `files`; null: none. */
  caFile?: string | null;
  certFile?: string | null;
  keyFile?: string | null;
}

export interface BrokerDeclaration {
  /** The version of this contract. */
  apiVersion: 1;
  /** import.meta.url: the process that starts a private broker loads this module. */
  url: string;
  /** Also what the names of its options begin with. */
  name: string;
  /** Its name in messages. */
  label: string;
  /** The file name of the program that runs a private one. */
  program: string;
  /** Where one is looked for on this host. */
  port: number;
  /** How a person installs the program. */
  install?: string;
  /** The schemes of its URLs; its name by default. */
  schemes?: readonly string[];
  /** Settings of its own. Its address, and --NAME-prefix for the names of what a run creates there, are declared for it. */
  options?: readonly Option[];
  /** Whether clients may use TLS: adds --NAME-ca-file, --NAME-cert-file and --NAME-key-file, which the connection has as `caFile` and so on. */
  files?: boolean;
  /** Loads how it is started and asked. */
  driver: () => Promise<{default: BrokerDriver}>;
}

export interface BrokerDriver {
  /** Connects once, asks what answers, and closes again. */
  greet: (
    connection: BrokerConnection,
    bounds: {timeoutMs: number; signal: Signal},
  ) => Promise<{product: string | null; versions: Record<string, string | null>}>;
  /** The words that follow its program. It may write files into the folder, which is removed with the broker. */
  command: (
    server: {
      /** What clients reach it by. */
      hostname: string;
      /** It must listen there and nowhere else. */
      address: string;
      port: number;
      /** It should accept this user only. */
      username: string;
      password: string;
      folder: string;
      /** The folder for what it stores. */
      data: string;
      /** The path of its program. */
      program: string;
      /** What its transport asks for with `brokerSettings`. */
      settings: Readonly<Record<string, string>>;
    },
    /** Runs another program to its end before the start, in the folder. title: its name in messages. */
    run: (title: string, command: string[], environment?: Record<string, string>) => Promise<void>,
  ) => readonly string[] | Promise<readonly string[]>;
  /** Variables of its program, in addition to PATH, LANG and HOME. folder: as in `command`. */
  environment?: (folder: string) => Record<string, string>;
  /** Why the broker takes no messages now; null: it does. */
  readAlarm?: (
    connection: BrokerConnection,
    bounds: {timeoutMs: number; signal: Signal},
  ) => Promise<string | null>;
  /** Sets a very low limit of memory, so that the broker takes no messages, or the former limit; for the fault memory-alarm. */
  limitMemory?: (
    running: {nodes: readonly {pid: number; connection: BrokerConnection}[]},
    how: {isLow: boolean; host: {folder: string; data: string; program: string}; signal: Signal},
  ) => Promise<void>;
  /** Why a broker with these settings ends when its disk is full, as a clause after its name; null: it goes on, and takes no messages until then. */
  withoutDiskSpace?: (settings: Readonly<Record<string, string>>) => string | null;
  /** Deletes what pairs that have ended may have left on a broker that goes on. */
  removeLeft?: (
    connection: BrokerConnection,
    pairs: readonly {names: Readonly<Record<string, string>>; clients: number; isUnique: boolean}[],
    bounds: {timeoutMs: number; signal?: Signal},
  ) => Promise<void>;
  /** Whether a message begins in these first bytes of a TCP segment; for --anatomy. */
  beginsMessage?: (bytes: Bytes) => boolean;
  /** How the operating system calls the process whose CPU time is read; its program by default. */
  processName?: RegExp;
  /** Where to look for its program; by default where packages put programs. */
  programFolders?: () => Promise<string[]>;
}

/** Declares a kind of broker of one process. Throws a UsageError that names the field that is missing or not allowed. */
export declare function defineBroker(declaration: BrokerDeclaration): BrokerKind;

/** Something that is not there: a broker. Exit code 3. */
export declare class UnavailableError extends Error {
  constructor(message: string, options?: {code?: string; cause?: unknown});
}

/** Ends a role with exit code 1; the record of a cell has its code. */
export declare class RunError extends Error {
  constructor(message: string, options?: {code?: string; cause?: unknown});
}

/** Settings that are not allowed: exit code 2. */
export declare class UsageError extends Error {
  constructor(message: string, options?: {cause?: unknown});
}

/** The requests of one connection that wait for replies. */
export declare class PendingReplies {
  /** @param lostMessage for a connection that ends without an error */
  constructor(lostMessage: string, correlation?: Correlation | null);
  readonly closed: Promise<void>;
  readonly count: number;
  /** @param request that was sent just before */
  add(request: Bytes, waiting: Waiting): void;
  take(reply: Bytes): void;
  /** The connection is lost: all requests fail. */
  fail(cause?: Error): void;
  /** The connection is being closed: its end is no failure. */
  finish(): void;
}

/** Makes `request` from `ask`. */
export declare function promised(ask: Client['ask']): LeastClient['request'];

/** Bounds the one-way messages that the other end has not confirmed. A client adds 1 to `unconfirmed` when it sends one, and returns `hasRoom`. */
export declare class WindowedPublisher {
  /** @param options closed: rejects when the connection is lost */
  constructor(options: {window: number; closed: Promise<unknown>});
  unconfirmed: number;
  confirmed: number;
  /** Whether one more may be sent. Also true after a failure, which `drained` then throws. */
  get hasRoom(): boolean;
  drained(): Promise<void>;
  /** Resolves when all are confirmed. */
  flushed(): Promise<{confirmed: number | null}>;
  /** Records the outcome of one. */
  settle(isConfirmed: boolean): void;
  /** The connection is lost. */
  fail(error: Error): void;
}

/** Waits for a promise. Rejects after that time, or with the reason of the signal. */
export declare function bounded<Result>(
  promise: Promise<Result>,
  timeoutMs: number,
  signal?: Signal,
): Promise<Result>;

/**
 * Loads a library that need not be installed: `importLibrary(() => import('hexagon'), 'Hexagons')`. Throws an UnavailableError with the command
 * that installs a missing package.
 */
export declare function importLibrary<Module>(load: () => Promise<Module>, by: string): Promise<Module>;

/** Serializes the requests of a connection whose replies have no ids, and bounds what waits. */
export declare class SerializedRequests {
  constructor(
    connection: {
      send: (message: Bytes) => boolean;
      drained: () => Promise<void>;
      unreadBytes: () => number;
      pause: () => void;
      resume: () => void;
    },
    onRequest: OnRequest,
  );
  take(request: Bytes): void;
}

/** Binds a server of node:net or node:http, and closes its connections with it. */
export declare function listen(
  server: object,
  settings: Pick<ServeOptions, 'listenAddress' | 'serverPort'>,
): Promise<Server>;

/** Resolves when a stream has room again, and when it is destroyed. */
export declare function drained(stream: object): Promise<void>;
/** Resolves when a stream has handed over everything. */
export declare function flushed(stream: object): Promise<{confirmed: null}>;

export declare function splitAddress(address: string): {host: string; port: number};
export declare function joinAddress(host: string, port: number): string;

/** Frames of a 4-byte length and the payload. */
export declare function writeFrame(socket: object, payload: Bytes): boolean;
/** Reads frames whose bytes the caller may overwrite afterwards. */
export declare function readFrames(onFrame: (payload: Bytes) => void): (bytes: Bytes) => void;
/** Reads frames. */
export declare class FrameReader {
  constructor(onFrame: (payload: Bytes) => void);
  read(chunk: Bytes): void;
}
