import type {Host} from '../hosts/types.js';
import type {ProcessTimes} from '../measure/types.js';
import type {ClientFiles} from '../net/tls-files.js';
import type {Option, Settings} from '../options/contract.js';

/**
 * The contract of a broker kind. All code for RabbitMQ is in `rabbitmq/`, and likewise for each other kind. A new kind needs
 * a folder with an entry (`BrokerKind`) and a driver (`BrokerDriver`), `infra/<kind>/install.sh`, and a line in `index.js`.
 */

/** The address that every role needs. A kind adds its own properties, such as users and passwords. */
export interface BrokerConnection {
  /** A name or an address; IPv6 without brackets. */
  hostname: string;
  port: number;
  /** The ports for other protocols of the broker, by protocol. */
  otherPorts?: Readonly<Record<string, number>>;
}

/** The settings by which a role reaches its broker. */
export interface RoleSettings<Connection> {
  broker: Connection;
  /** TCP_NODELAY. */
  noDelay: boolean;
  /** The time limit for opening a connection and for the answers to the first requests; default 10,000. */
  greetingMs?: number;
  /** Contents of certificates and keys, by path. */
  files?: Readonly<Record<string, string>>;
}

/** How a client opens a connection. */
export interface OpenBounds {
  /** For name look-up, TCP, TLS and the broker's answer together; default 10,000. */
  timeoutMs?: number | undefined;
  /** Aborts the attempt; the promise rejects with its reason. */
  signal?: AbortSignal | undefined;
  /** TCP_NODELAY; default true. */
  noDelay?: boolean;
  /** Contents of certificates and keys, by path. */
  files?: Readonly<Record<string, string>> | undefined;
}

/** How a client reaches a broker that may use TLS and may have users. */
export interface SecureConnection extends BrokerConnection, ClientFiles {
  tls: boolean;
  username: string | null;
  password: string | null;
}

/** The values of the address options, by their keys. */
export type AddressSettings<Name extends string> = Record<`${Name}Host`, string> &
  Record<`${Name}Port`, number> &
  Record<`${Name}${'Url' | 'Username' | 'Password'}`, string | null> &
  Partial<Record<`${Name}${'Ca' | 'Cert' | 'Key'}File`, string | null>>;

/** The declaration of a kind, without its client library: planning and help load it too. Own: the values of its options. */
export interface BrokerKind<Connection extends BrokerConnection = any, Own = any> {
  /** The value of a transport's `broker`, and the folder of the install script below `infra/`. */
  name: string;
  /** The name in messages: RabbitMQ. */
  label: string;
  /** The program that a private broker needs: rabbitmq-server. */
  program: string;
  /** Alternatives to `program`, if it is not installed. */
  otherPrograms?: readonly string[];
  /**
   * The folders to search for the program of a private broker with these settings, the best first; default: where packages
   * install programs. Rejects with an UnavailableError if the settings name a program that does not exist.
   */
  programFolders?: (settings?: BrokerSettings) => Promise<string[] | undefined>;
  /** For a kind of which several versions can be installed on one host. */
  otherVersions?: OtherVersions;
  /** How a person installs the program of a kind that is not part of perf-battle. */
  install?: string;
  /** The URL of the module of a kind that is not part of perf-battle. */
  url?: string;
  /** The schemes of the URLs: amqp, amqps. */
  schemes: readonly string[];
  options: readonly Option[];
  /** The option that takes a whole URL. */
  urlOption: Option;
  /** The options that name a broker; setting one of them is enough. */
  addressOptions: readonly Option[];
  /** The options that name objects of a run on the broker; a battle makes the defaults unique for each trial. */
  nameOptions: readonly Option[];
  /** The keys of the reported versions in the record; the first is the broker's own version. */
  versions: readonly string[];
  /** The address of a broker on this host, with the default user. */
  local: Connection;
  connectionFrom: (values: Own) => Connection;
  /** The values of other options that the URL contains, by the option's key. */
  settingsOfUrl?: (url: string) => Readonly<Record<string, unknown>>;
  /** Throws a UsageError if the connection has a certificate without a key, or a key without a certificate. */
  checkFiles?: (connection: Connection) => void;
  /** The connection as a URL without its password. */
  mask: (connection: Connection) => string;
  /** Whether the broker tells its clients the address for most of their connections, so that a proxy has none of these. */
  advertisesAddress?: boolean;
  /** Whether the clients refuse a broker with other settings; a person may then name a broker together with settings. */
  verifiesSettings?: boolean;
  /** The number of nodes of a private broker. */
  nodes: (values: Own) => number;
  /** Adds the defaults for more than one node where the user chose nothing; for a kind that can be a cluster. */
  clusterDefaults?: <Whole extends Settings>(settings: Whole) => Whole;
  /** The approximate memory of a private broker with its queues; missing where it is small. */
  minMemoryBytes?: number;
  /** A private broker takes no messages while less disk space is free. */
  minFreeBytes?: number;
  load: () => Promise<BrokerDriver<Connection>>;
}

/** How the user names and installs another version for a private broker. */
export interface OtherVersions {
  /** The option that names the version; a side of `ab` names it as `broker=NAME@VERSION`. */
  option: Option;
  /** The value of the option that stands for the installed version. */
  installed: string;
  /** The setting of a private broker for a value of the option. */
  setting: (value: string) => BrokerSettings;
  /** The versions that the install script can install in addition, with `--beside`. */
  offered: readonly string[];
}

/** The operations on a broker of a kind. The driver is loaded only when a broker is needed. */
export interface BrokerDriver<Connection extends BrokerConnection = any> {
  /** Connects once, and closes the connection. */
  greet: (connection: Connection, bounds: {timeoutMs: number; signal: AbortSignal}) => Promise<Greeting>;
  /** Why the broker takes no messages now, or null; missing for a kind that has no such state. */
  readAlarm?: (
    connection: Connection,
    bounds: {timeoutMs: number; signal: AbortSignal},
  ) => Promise<string | null>;
  /**
   * Why a private broker with these settings does not go on to answer when its disk is full, as a clause after its name; null: it takes no messages
   * then, and goes on afterwards; missing for a kind that does so with all settings.
   */
  withoutDiskSpace?: (settings: BrokerSettings) => string | null;
  /** Deletes what ended pairs may have left on a broker; missing for a kind that keeps nothing. */
  removeLeft?: (
    connection: Connection,
    pairs: readonly PairNames[],
    bounds: {timeoutMs: number; signal?: AbortSignal},
  ) => Promise<void>;
  /**
   * Whether a message begins in these first bytes of a TCP segment, in either direction; missing for a kind whose messages
   * cannot be recognized on the wire.
   */
  beginsMessage?: (bytes: Buffer) => boolean;
  /** The operating system's name of the process whose CPU time is read. */
  processName: RegExp;
  /**
   * Sets a very low memory limit, so that the broker of this host takes no messages, or the former limit; missing for a kind
   * that has no such limit.
   */
  limitMemory?: (
    running: RunningHost<Connection>,
    how: {isLow: boolean; host: HostFolder; signal: AbortSignal},
  ) => Promise<void>;
  /** Plans the nodes of a private broker, for each host. */
  planHosts: (hostnames: readonly string[], asked: AskedOfPrivate) => HostPlan[];
  /** Starts the nodes of one host. All of them have ended when the promise rejects. */
  startOnHost: (plan: any, folder: HostFolder, signal: AbortSignal) => Promise<RunningHost<Connection>>;
}

/** The names that a pair of a battle uses on the broker. */
export interface PairNames {
  /** The names by the keys of the kind's nameOptions, and `pair`, which is unique. */
  names: any;
  /** The maximum number of clients. */
  clients: number;
  /** Whether the names are unique to this pair, because the user chose none. */
  isUnique: boolean;
}

/** The broker's information about itself. */
export interface Greeting {
  product: string | null;
  versions: Record<string, string | null>;
  /** The connection to the server that answered, if the user named several. */
  connection?: any;
}

/** The settings of a private broker, by names that the kind and its transports agree on; empty: the kind's defaults. */
export type BrokerSettings = Readonly<Record<string, string>>;

export interface AskedOfPrivate {
  /** The number of nodes on all hosts together, at least one for each host. */
  nodes: number;
  /** The memory that the nodes assume their host to have; default: the memory of the host. */
  memoryBytes: number | undefined;
  settings?: BrokerSettings | undefined;
}

/** A plan is plain data, because the supervisor on the host receives it; a kind adds what its nodes need. */
export interface HostPlan {
  /** The name or address by which the roles reach the nodes. */
  hostname: string;
}

export interface HostFolder {
  /** The folder of the private broker on this host. */
  folder: string;
  /** The folder for stored data; it may be a disk of its own. */
  data: string;
  /** The path of the kind's program. */
  program: string;
  /** The path of `setpriv`, which ties the life of a process to its parent (Linux). */
  setpriv: string | null;
}

/** The nodes of a private broker on one host. */
export interface RunningHost<Connection extends BrokerConnection = any> {
  nodes: HostedNode<Connection>[];
  /** Resolves with the reason when a process that the nodes need ends. */
  ended: Promise<string>;
  /** Ends the nodes by SIGKILL: nobody needs their data. */
  end: () => Promise<void>;
  /** Rejects when a node does not see the whole cluster. */
  verify: () => Promise<void>;
  /**
   * Restarts nodes that have ended, with their data and at the same ports. indexes: the nodes that have ended; default all.
   * The other nodes continue.
   */
  again: (signal: AbortSignal, indexes?: readonly number[]) => Promise<RunningHost<Connection>>;
}

export interface HostedNode<Connection extends BrokerConnection = any> extends RunningNode<Connection> {
  /** Resolves with the reason when the node ends. */
  ended: Promise<string>;
}

export interface RunningNode<Connection extends BrokerConnection = any> {
  /** The pid of the process whose CPU time counts. */
  pid: number;
  connection: Connection;
  versions: Record<string, string | null>;
}

/**
 * A fault or another action on a private broker.
 *
 * - kill, stop: sends SIGKILL or SIGTERM to nodes, and waits for their end; nodes: indexes, default all
 * - start: restarts the nodes that have ended, if any, with their data and at the same ports
 * - pause, resume: sends SIGSTOP or SIGCONT
 * - exhaust, relieve: sets or lifts the memory limit, see `limitMemory`
 * - sync: writes the page cache of the disk to its device
 * - copy, use, restore: copies the disk, mounts a copy instead, mounts the disk itself and deletes the copies, see `Disk`
 * - fill, empty: fills the disk except for some megabytes, or frees that space
 * - written: reads the counters, see `Written`
 */
export type BrokerAction =
  | {type: 'kill'; nodes?: readonly number[]}
  | {type: 'start' | 'stop' | 'pause' | 'resume' | 'exhaust' | 'relieve'}
  | {type: 'sync' | 'copy' | 'restore' | 'fill' | 'empty' | 'written'}
  | {type: 'use'; copy: number};

export interface ActionDone {
  /** The time of the beginning, by the monotonic clock of the host. */
  fromMs: number;
  /** The time of the end, by the same clock. */
  atMs: number;
  copy?: number;
  written?: Written;
}

/** The write counters of a broker since its start. */
export interface Written {
  /** The bytes of the page cache that the processes dirtied (`write_bytes` of /proc/PID/io); null if they cannot be read. */
  dirtiedBytes: number | null;
  /** The flushes of the broker's own disk; null without such a disk. */
  flushes: number | null;
  dirtiedBytesByNode: (number | null)[];
}

/** A broker in use by a run, until it is released. */
export interface Broker<Connection extends BrokerConnection = BrokerConnection> {
  kind: string;
  source: 'given' | 'found' | 'private';
  /** The hosts of a private broker's nodes; null for others. */
  hosts: readonly Host[] | null;
  /** The connection to the first node. */
  connection: Connection;
  /** The connections to all nodes; a broker that was given or found has one. */
  connections: readonly Connection[];
  /** The description in messages, without the password. */
  label: string;
  versions: Record<string, string | null>;
  /** The times of all nodes' processes together; null if the times of a node are not available. */
  readTimes: () => Promise<ProcessTimes | null>;
  /** The `instance` of `readTimes` when the broker was provisioned; null if it is not known. */
  instance: string | null;
  /** Whether another private broker of the same battle has died before. */
  isReplacement?: boolean;
  /** The pid of the first node; null if it runs on another host, or was not found. */
  pid: number | null;
  /** Resolves with a reason when a node of a private broker ends unexpectedly; never for other brokers. */
  died: Promise<string>;
  /** Performs an action on a private broker of one host; missing for others, which perf-battle never harms. */
  perform?: (action: BrokerAction) => Promise<ActionDone>;
  /** Idempotent. A private broker has ended and its folder is removed when the promise resolves. */
  release: () => Promise<void>;
}

export interface BrokerRequest<Connection extends BrokerConnection> {
  /** 'auto': the given broker, otherwise a broker that answers on this host, otherwise a private one; 'private': always a private one. */
  choice: 'auto' | 'private';
  /** The broker that the user has named. */
  given: Connection | null;
  /** The parent folder of a private broker's folder; default: the system's folder for temporary files. */
  temporaryFolder?: string | undefined;
  /** The number of a private broker's nodes. For a cluster, 'auto' starts a private broker unless a broker was given. */
  nodes?: number;
  /** The hosts of the nodes, round-robin, at most as many hosts as nodes; default: this host, reachable from this host alone. */
  hosts?: readonly Host[] | undefined;
  /** The memory that the nodes assume their host to have; default: the memory of the host. */
  memoryBytes?: number | undefined;
  /** The settings of a private broker. Unless they are empty, a broker found on this host is not used. */
  settings?: BrokerSettings;
  /** The size of a private broker's own disk for its data; default: no such disk. */
  diskBytes?: number | undefined;
  /** The cores that a private broker may use on a host; null, the default: all. */
  coresOn?: (host: Host) => number[] | null;
  /** Shows a line to the user. */
  log: (line: string) => void;
  /** Aborts the search; nothing is left running when the promise rejects with its reason. */
  signal: AbortSignal;
  /** The folders to search for a private broker's program; default: where packages install programs. */
  programFolders?: string[] | undefined;
  /** The port of a running broker on this host; default: the kind's own port. */
  localPort?: number;
}

export interface Child {
  /** 0 when the program could not be started. */
  pid: number;
  /** Resolves with how the program ended, as a clause: "epmd (pid 7) ended with exit code 1". */
  ended: Promise<string>;
  /** Whether the program ended by itself with exit code 0. */
  succeeded: Promise<boolean>;
  /** Ends the program by SIGKILL, and resolves when it has ended. */
  end: () => Promise<void>;
}

/** The process that supervises the nodes of a private broker on one host. */
export interface Supervisor<Connection extends BrokerConnection> {
  /** Rejects when a node cannot be started. */
  start: (instructions: SupervisorInstructions) => Promise<RunningNode<Connection>[]>;
  /** Rejects when a node does not see the whole cluster. */
  verify: () => Promise<void>;
  /** Resolves with a reason when a node or its supervisor ends unexpectedly. */
  died: Promise<string>;
  /** The sum of the nodes' times. */
  readTimes: () => Promise<ProcessTimes | null>;
  /** Rejects with a RunError or an UnavailableError when the action fails. */
  perform: (action: BrokerAction) => Promise<ActionDone>;
  /** Settles when the nodes and the supervisor have ended. */
  end: () => Promise<void>;
}

/** The first line to the supervisor. It contains a password, so it is not on the command line. */
export interface SupervisorInstructions {
  kind: string;
  plan: HostPlan;
  /** The folders to search for the kind's program; default: where packages install programs. */
  programFolders?: string[] | undefined;
  /** The kind's choice of a program may depend on these settings. */
  settings?: BrokerSettings | undefined;
  /** The folder for temporary files; default: the system's folder. */
  base?: string | undefined;
  /** The size of the broker's own disk for its data; default: no such disk. */
  diskBytes?: number | undefined;
  /** Whether `beat` commands follow, once a second. */
  hasHeartbeat: boolean;
}

/** The further lines to the supervisor. `verify` follows when the nodes of all hosts have started. */
export type SupervisorCommand =
  | {command: 'verify' | 'times' | 'beat'}
  | {command: 'perform'; id: number; action: BrokerAction};

/** The lines from the supervisor. `died`: a node has ended unexpectedly. */
export type SupervisorEvent =
  | {event: 'folder'; folder: string}
  | {event: 'started'; nodes: RunningNode[]}
  | {event: 'formed'}
  | {event: 'times'; times: ProcessTimes | null}
  | {event: 'performed'; id: number; done?: ActionDone; error?: string; code?: string | undefined}
  | {event: 'died'; reason: string}
  | {event: 'failed'; message: string};
