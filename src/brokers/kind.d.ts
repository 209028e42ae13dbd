import type {Host} from '../hosts/types.js';
import type {ProcessTimes} from '../measure/types.js';
import type {ClientFiles} from '../net/tls-files.js';
import type {Option, Settings} from '../options/contract.js';

/**
 * The contract of a broker kind. Everything that the program knows of RabbitMQ is in `rabbitmq/`, and likewise for each other kind. To add
 * one, write a folder with an entry (`BrokerKind`) and a driver (`BrokerDriver`), `infra/<kind>/install.sh`, and list the entry in
 * `index.js`.
 */

/** What any role needs to connect. A kind adds what only it knows, such as users and passwords. */
export interface BrokerConnection {
  /** A name or an address; IPv6 without brackets. */
  hostname: string;
  port: number;
  /** Of other protocols that the broker speaks, too, by the protocol. */
  otherPorts?: Readonly<Record<string, number>>;
}

/** How a client reaches a broker that may use TLS and may have users. */
export interface SecureConnection extends BrokerConnection, ClientFiles {
  tls: boolean;
  username: string | null;
  password: string | null;
}

/** What the options of a broker's address give, by their keys. */
export type AddressSettings<Name extends string> = Record<`${Name}Host`, string> &
  Record<`${Name}Port`, number> &
  Record<`${Name}${'Url' | 'Username' | 'Password'}`, string | null> &
  Partial<Record<`${Name}${'Ca' | 'Cert' | 'Key'}File`, string | null>>;

/** The entry of a kind. It only declares: planning and help load it too. Own: the values of its options. */
export interface BrokerKind<Connection extends BrokerConnection = any, Own = any> {
  /** As `broker` of a transport says it; also the folder of its install script below `infra/`. */
  name: string;
  /** Its name in messages: RabbitMQ. */
  label: string;
  /** What a private one needs to be installed: rabbitmq-server. */
  program: string;
  /** Programs that do the same, where that one is not installed. */
  otherPrograms?: readonly string[];
  /**
   * Where to look for the program of a private one with these settings, the best first; by default where packages put programs. Rejects with an
   * UnavailableError if the settings name one that is not there.
   */
  programFolders?: (settings?: BrokerSettings) => Promise<string[] | undefined>;
  /** Of a kind of which several versions can be on one host. */
  otherVersions?: OtherVersions;
  /** How a person installs the program of a kind that is not part of perf-battle. */
  install?: string;
  /** Of the module of one that is not part of perf-battle. */
  url?: string;
  /** Of its URLs: amqp, amqps. */
  schemes: readonly string[];
  /** All options of the kind. */
  options: readonly Option[];
  /** The one of them that takes a whole URL. */
  urlOption: Option;
  /** Those of them that name a broker: setting one is enough. */
  addressOptions: readonly Option[];
  /** Those of them that name what a run creates on the broker; a battle makes the defaults unique for each trial. */
  nameOptions: readonly Option[];
  /** The names under which the record has the versions that it reports; the first is the broker's own. */
  versions: readonly string[];
  /** Where to look for one on this host, with the default user. */
  local: Connection;
  /** The connection that these settings describe. */
  connectionFrom: (values: Own) => Connection;
  /** The other settings that its URL gives, by the option's key. */
  settingsOfUrl?: (url: string) => Readonly<Record<string, unknown>>;
  /** Throws a UsageError if the files that a connection names do not go together. */
  checkFiles?: (connection: Connection) => void;
  /** The connection as a URL without its password. */
  mask: (connection: Connection) => string;
  /** Whether its clients refuse a broker that was started with other settings; a person may then name one together with settings. */
  verifiesSettings?: boolean;
  /** How many nodes a private one has. */
  nodes: (values: Own) => number;
  /** The settings that follow from more than one node, unless the person chose others; there for a kind that can be a cluster. */
  clusterDefaults?: <Whole extends Settings>(settings: Whole) => Whole;
  /** About what a private one and its queues need; there if that is worth a word. */
  minMemoryBytes?: number;
  /** A private one takes no messages while the disk has less. */
  minFreeBytes?: number;
  load: () => Promise<BrokerDriver<Connection>>;
}

/** How a private broker of another version than the installed one is named and installed. */
export interface OtherVersions {
  /** It names the version, also as `broker=NAME@VERSION` of a side of `ab`. */
  option: Option;
  /** The value of the option that names the installed one. */
  installed: string;
  /** The setting of a private one that has this value of the option. */
  setting: (value: string) => BrokerSettings;
  /** Those that the kind's install script can put beside the installed one, with `--beside`. */
  offered: readonly string[];
}

/** What can be done with a broker of this kind. It is loaded only when one is needed. */
export interface BrokerDriver<Connection extends BrokerConnection = any> {
  /** Connects once, and closes again. */
  greet: (connection: Connection, bounds: {timeoutMs: number; signal: AbortSignal}) => Promise<Greeting>;
  /** Why the broker takes no messages now; null: it does; missing for a kind that has no such state. */
  readAlarm?: (
    connection: Connection,
    bounds: {timeoutMs: number; signal: AbortSignal},
  ) => Promise<string | null>;
  /** Deletes what the roles of pairs that have ended may have left on a broker; missing for a kind on which nothing stays. */
  removeLeft?: (
    connection: Connection,
    pairs: readonly PairNames[],
    bounds: {timeoutMs: number; signal?: AbortSignal},
  ) => Promise<void>;
  /**
   * Whether a message begins in these first bytes of a TCP segment, in either direction; missing for a kind whose messages are not
   * recognized on the wire.
   */
  beginsMessage?: (bytes: Buffer) => boolean;
  /** How the operating system calls the process whose CPU time is read. */
  processName: RegExp;
  /**
   * Lets the broker of this host use hardly any memory, so that it takes no messages, or as much as before; missing for a kind that has no such limit.
   */
  limitMemory?: (
    running: RunningHost<Connection>,
    how: {isLow: boolean; host: HostFolder; signal: AbortSignal},
  ) => Promise<void>;
  /** What each host runs of a private one. */
  planHosts: (hostnames: readonly string[], asked: AskedOfPrivate) => HostPlan[];
  /** Starts what one host runs of it; nothing of it runs when the promise rejects. */
  startOnHost: (plan: any, folder: HostFolder, signal: AbortSignal) => Promise<RunningHost<Connection>>;
}

/** The names that a pair of a battle uses on the broker. */
export interface PairNames {
  /** By the keys of the kind's nameOptions; and `pair`, which is unique. */
  names: any;
  /** How many it has at most. */
  clients: number;
  /** Whether no other program can have the same names: the user chose none. */
  isUnique: boolean;
}

/** What a broker says of itself. */
export interface Greeting {
  product: string | null;
  versions: Record<string, string | null>;
  /** To the one that answered, where several were named. */
  connection?: any;
}

/** Of a private broker, by names that its kind and its transports agree on; empty: its kind's own. */
export type BrokerSettings = Readonly<Record<string, string>>;

export interface AskedOfPrivate {
  /** How many nodes on all hosts together, at least one a host. */
  nodes: number;
  /** The memory that the nodes assume their host to have; default what it has. */
  memoryBytes: number | undefined;
  settings?: BrokerSettings | undefined;
}

/** Plain data, because it is sent to the supervisor on that host; a kind adds what its nodes need. */
export interface HostPlan {
  /** The name or address under which the roles reach the nodes. */
  hostname: string;
}

export interface HostFolder {
  /** Of the private broker on this host. */
  folder: string;
  /** What it stores; it may be a disk of its own. */
  data: string;
  /** Path of the kind's program. */
  program: string;
  /** Path of `setpriv`, which ties a process's life to its parent's (Linux). */
  setpriv: string | null;
}

/** What one host runs of a private broker. */
export interface RunningHost<Connection extends BrokerConnection = any> {
  /** In their order. */
  nodes: HostedNode<Connection>[];
  /** Resolves with the reason when a process that the nodes need ends. */
  ended: Promise<string>;
  /** By SIGKILL: nothing that they hold is wanted. */
  end: () => Promise<void>;
  /** Rejects when a node does not see the whole cluster. */
  verify: () => Promise<void>;
  /**
   * Starts the same nodes again, on their data and at the same ports, after they have ended. Indexes: of those that have; default all. The others run on.
   */
  again: (signal: AbortSignal, indexes?: readonly number[]) => Promise<RunningHost<Connection>>;
}

export interface HostedNode<Connection extends BrokerConnection = any> extends RunningNode<Connection> {
  /** Resolves with the reason when it ends. */
  ended: Promise<string>;
}

export interface RunningNode<Connection extends BrokerConnection = any> {
  /** Of the process whose CPU time counts. */
  pid: number;
  connection: Connection;
  versions: Record<string, string | null>;
}

/**
 * What is done to a private broker on purpose. kill, stop: SIGKILL, SIGTERM to its nodes, whose end is waited for; start: again those that have ended, on their data, at the same
 * ports; pause, resume: SIGSTOP, SIGCONT; sync: what its disk has only in the page cache is written; copy: the disk, see `Disk`; use: a copy, in place
 * of the disk; restore: the disk itself again, without copies; fill: the disk, but for some megabytes; empty: frees that again; exhaust, relieve: the memory
 * that the broker may use, see `limitMemory`; written: see `Written`. nodes: the indexes of some of a cluster; default all.
 */
export type BrokerAction =
  | {type: 'kill'; nodes?: readonly number[]}
  | {type: 'start' | 'stop' | 'pause' | 'resume' | 'exhaust' | 'relieve'}
  | {type: 'sync' | 'copy' | 'restore' | 'fill' | 'empty' | 'written'}
  | {type: 'use'; copy: number};

export interface ActionDone {
  /** When it began, by the monotonic clock of its host. */
  fromMs: number;
  /** When it was done. */
  atMs: number;
  /** The number of the copy. */
  copy?: number;
  written?: Written;
}

/** What a broker has written so far. */
export interface Written {
  /** Of the page cache, by its processes (`write_bytes` of /proc/PID/io); null where that cannot be read. */
  dirtiedBytes: number | null;
  /** That its device was asked for; null without a disk of its own. */
  flushes: number | null;
  /** The same as dirtiedBytes, of each node. */
  dirtiedBytesByNode: (number | null)[];
}

/** A broker in use by a run, until it is released. */
export interface Broker<Connection extends BrokerConnection = BrokerConnection> {
  /** The name of its kind. */
  kind: string;
  source: 'given' | 'found' | 'private';
  /** Of the nodes of a private one; null for others. */
  hosts: readonly Host[] | null;
  /** To its first node. */
  connection: Connection;
  /** To each of its nodes; of one that was given or found, that one. */
  connections: readonly Connection[];
  /** For messages, without the password. */
  label: string;
  versions: Record<string, string | null>;
  /** Of the processes of all its nodes together; null where those of one are not available. */
  readTimes: () => Promise<ProcessTimes | null>;
  /** Of these processes when it was provisioned, as `readTimes` has it; null where it is not known. */
  instance: string | null;
  /** Whether another private broker of the same battle has died before it. */
  isReplacement?: boolean;
  /** Of its first node's process; null on another host, or when it was not found. */
  pid: number | null;
  /** Resolves with a reason when a node of a private broker ends unasked; never for other brokers. */
  died: Promise<string>;
  /** Does something to a private broker of one host; missing for others, which perf-battle never harms. */
  perform?: (action: BrokerAction) => Promise<ActionDone>;
  /** Idempotent; when it resolves, a private broker has ended and its folder is removed. */
  release: () => Promise<void>;
}

/** Which broker a battle needs, and where. */
export interface BrokerRequest<Connection extends BrokerConnection> {
  /** 'auto': the broker given, otherwise one that answers on this host, otherwise a private one; 'private': always a private one. */
  choice: 'auto' | 'private';
  /** The broker that the user named. */
  given: Connection | null;
  /** The temporary folder where a private broker's folder is made; default the system's. */
  temporaryFolder?: string | undefined;
  /** How many nodes a private broker has; several are a cluster, which 'auto' starts unless a broker was given. */
  nodes?: number;
  /**
   * The hosts where its nodes are started, round-robin, on at most as many hosts as there are nodes; default this host, for this host
   * alone.
   */
  hosts?: readonly Host[] | undefined;
  /** The memory that its nodes assume their host to have; default what it has. */
  memoryBytes?: number | undefined;
  /** The settings of a private broker. With some, no other is taken. */
  settings?: BrokerSettings;
  /** The size of a disk of its own for what a private broker stores; default none. */
  diskBytes?: number | undefined;
  /** The cores that a private broker may use on a host; null: any, which is the default. */
  coresOn?: (host: Host) => number[] | null;
  /** Shows a line to the user. */
  log: (line: string) => void;
  /** Ends the search; nothing is left running when the promise rejects with its reason. */
  signal: AbortSignal;
  /** Where to look for the program of a private broker; default where packages put it. */
  programFolders?: string[] | undefined;
  /** Where to look for a running broker on this host; default the kind's own port. */
  localPort?: number;
}

/** A program that runs. */
export interface Child {
  /** 0 when the program could not be started. */
  pid: number;
  /** Resolves with how the program ended, as a clause: "epmd (pid 7) ended with exit code 1". */
  ended: Promise<string>;
  /** Whether the program ended by itself with exit code 0. */
  succeeded: Promise<boolean>;
  /** Ends the program by SIGKILL; resolves when it has ended. */
  end: () => Promise<void>;
}

/** The process that supervises the nodes of a private broker on one host. */
export interface Supervisor<Connection extends BrokerConnection> {
  /** Rejects when a node cannot be started. */
  start: (instructions: SupervisorInstructions) => Promise<RunningNode<Connection>[]>;
  /** Rejects when a node does not see the whole cluster. */
  verify: () => Promise<void>;
  /** Settles when a node or its supervisor ends unasked. */
  died: Promise<string>;
  /** Reads the times of the nodes together. */
  readTimes: () => Promise<ProcessTimes | null>;
  /** Does something to the nodes; rejects with an UnavailableError when that fails. */
  perform: (action: BrokerAction) => Promise<ActionDone>;
  /** Settles when everything is gone. */
  end: () => Promise<void>;
}

/** The first line to the supervisor. A password is in it, which is why it is not on a command line. */
export interface SupervisorInstructions {
  /** Name of the kind of broker. */
  kind: string;
  plan: HostPlan;
  /** Where to look for the kind's program; default where packages put it. */
  programFolders?: string[] | undefined;
  /** The settings that the program of the kind may follow from. */
  settings?: BrokerSettings | undefined;
  /** The folder for temporary files; default the system's. */
  base?: string | undefined;
  /** The size of a disk of its own for what the broker stores; default none. */
  diskBytes?: number | undefined;
  /** Whether `beat` commands follow, once a second. */
  beats: boolean;
}

/** The further lines to the supervisor. `verify`: asked when the nodes of all hosts have started. */
export type SupervisorCommand =
  | {command: 'verify' | 'times' | 'beat'}
  | {command: 'perform'; id: number; action: BrokerAction};

/** The lines from the supervisor. `died`: a node ended unasked. */
export type SupervisorEvent =
  | {event: 'folder'; folder: string}
  | {event: 'started'; nodes: RunningNode[]}
  | {event: 'formed'}
  | {event: 'times'; times: ProcessTimes | null}
  | {event: 'performed'; id: number; done?: ActionDone; error?: string; code?: string | undefined}
  | {event: 'died'; reason: string}
  | {event: 'failed'; message: string};
