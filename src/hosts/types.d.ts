import type {ChildProcessWithoutNullStreams} from 'node:child_process';
import type {LineName} from '../messages.js';
import type {Runtime} from '../packages/runtimes.js';
import type {Fingerprint} from '../results/types.js';
import type {PipedProcess, RoleProcess} from './role-process.js';

/**
 * The lines to the agent. `start`: the script's path is relative to the package. `write` and `end` are for the role's standard input,
 * which may carry secrets.
 */
export type StartRole = {command: 'start'; id: number; script: string} & ProcessSettings;

export type AgentCommand = StartRole | (RoleCommand & {id: number}) | {command: 'beat'};

export type RoleCommand =
  | {command: 'write'; text: string}
  | {command: 'end'}
  | {command: 'kill'; signal: NodeJS.Signals};

export type AgentEvent = (EventOfRole & {id: number}) | {event: 'beat'} | {event: 'process'; pid: number};

/**
 * The lines from the agent. `process` is written before it starts. `stdout` and `stderr`: what a role wrote; `error`: it could not be
 * started; `close`: it ended, and nothing more comes.
 */
export type EventOfRole =
  | {event: 'stdout' | 'stderr'; text: string}
  | {event: 'error'; message: string}
  | {event: 'close'; code: number | null; signal: NodeJS.Signals | null};

export interface AwakeRequest {
  /** Null: by loops only where processes have cores of their own. */
  wanted: 'awake' | 'sleeping' | null;
  /** False: by loops, also where idle cores can poll. */
  polling?: boolean;
  /** Null: no EC2 instance. */
  instanceTypeOf: (host: Host) => string | null;
  /** Gets the host on which cores may sleep, and the reason. */
  log: (line: string) => void;
  signal: AbortSignal;
}

/**
 * This package and its dependencies exactly as they are installed here. Another host can run a role with it, without access to a registry.
 */
export interface Bundle {
  /** The name of its folder in the other host's cache: the version and a hash of all contents. */
  name: string;
  /** The common folder of all files. */
  base: string;
  /** Relative to the base. */
  files: string[];
  /** This package's folder, relative to the base; empty when it is the base itself. */
  entry: string;
  /** The folder of those that `perf-battle install` has fetched, relative to the base; null: none goes along. */
  packages: string | null;
}

/** The cores that processes of a battle may use on a host. */
export interface Topology {
  /** At least one, in ascending order. */
  cores: Core[];
  /** What differs between machines, and is the same in all containers of one: the id of its boot. */
  machine: string | null;
  /** `taskset` of util-linux is there and allowed. */
  canPin: boolean;
}

export interface Core {
  number: number;
  /** The socket that the core is in. */
  package: number;
  /** The hardware threads of its physical core, itself included. */
  siblings: readonly number[];
}

/** How much of a host's CPU is in use before anything of a battle runs there. */
export interface ForeignLoad {
  /** The name of the host. */
  host: string;
  /** The cores that roles may use. */
  cores: number;
  /** The share of the capacity of these cores that was used by other processes, or taken by the hypervisor: 0 to 1. */
  share: number;
  /** The hypervisor's part of the share. */
  stealShare: number;
}

/** Where a role runs. */
export interface Host {
  /** The name for messages. */
  name: string;
  isRemote: boolean;
  /** The address that its servers bind to. */
  listenAddress: string | null;
  /** Translates a server's bound address to the one that clients connect to. */
  addressFor: (bound: string | null) => string | null;
  /** The address under which other hosts reach a private broker of this host; null: only this host reaches it. */
  brokerAddress: string | null;
  /** Rejects when the host is not available. */
  start: <Role extends LineName>(
    script: URL,
    role: Role,
    settings: ProcessSettings,
  ) => Promise<RoleProcess<Role>>;
  /** Starts a script in the session of the roles, with its pipes. It gets the heartbeats of a role. */
  startBesideRoles: (script: URL) => Promise<PipedProcess>;
  /** Runs a shell script to its end, and resolves with what it printed on standard output. */
  runShell: (script: string) => Promise<string>;
  /**
   * Starts a script that outlives an interrupt, with its pipes. `cores`: what the script and all that it starts may use; null: any; `words`
   * follow the script; `hasOwnMounts`: what the script mounts is unmounted with its end, and seen by no other program; only of this host.
   */
  startSupervisor: (
    script: URL,
    cores: number[] | null,
    words?: readonly string[],
    how?: {hasOwnMounts: boolean},
  ) => Promise<ChildProcessWithoutNullStreams>;
  /** Sets the address under which the other hosts reach the servers of this host. */
  setServerAddress?: (address: string) => void;
  /** Null on this host. */
  report: HostReport | null;
  close: () => Promise<void>;
}

export interface ProcessSettings {
  /** The words that follow the script on the command line. */
  words?: readonly string[];
  /** The cores that the process may use; null: any. */
  cores: number[] | null;
  /** The process keeps the memory that it has freed. */
  keepMemory: boolean;
  /**
   * The path of `setpriv`, by which the kernel ends the process with this one: one that is stopped hears nothing. Default null: it ends by
   * itself.
   */
  setpriv?: string | null;
  /** The runtime that runs it, on this host; null: the Node.js of this process. */
  runtime?: Runtime | null;
}

/** The properties that a host reports. */
export interface HostReport {
  fingerprint: Fingerprint;
  /** The addresses of its network interfaces. */
  addresses: string[];
}

/** Where the roles of a battle run. */
export interface Hosts {
  /** Assigned round-robin when there are more clients than hosts. */
  clients: readonly Host[];
  /** Likewise. */
  servers: readonly Host[];
  /** The brokers for the nodes of a private broker, assigned round-robin. */
  brokers: readonly Host[];
  /** All hosts, without duplicates and without hosts that are not available. */
  all: readonly Host[];
  /** Roles communicate over a network. */
  isNetworked: boolean;
  placement: Placement;
  close: () => Promise<void>;
}

/** On which cores the processes of a battle run. */
export interface Placement {
  placeRoles: (counts: RoleCounts) => PlacedRoles;
  /** The cores of a private broker's nodes on a host; null: any. */
  brokerCores: (host: Host) => number[] | null;
  /** The cores of a host on which its roles run and its broker may run; none: not decided. */
  used: (host: Host) => number[];
  /** Why a host's processes are not pinned. */
  notes: readonly string[];
}

export type RoleCounts = {clients: number; servers: number};

/** The places of each process, in their order. */
export type PlacedRoles = {clients: Placed[]; servers: Placed[]};

/** Null: the process may run anywhere. */
export type Placed = Place | null;

export interface Place {
  cores: number[];
  /** 'main': only the thread that runs the JavaScript stays on the cores; threads that compile and collect garbage may run anywhere. */
  threads: 'main' | 'all';
}
