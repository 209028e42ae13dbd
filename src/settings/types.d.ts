import type {ScriptValuesOf, Settings} from '../options/contract.js';
import type {TransportName, TransportSettings} from '../transports/index.js';
import type {WorkloadOption} from '../workloads/index.js';

/** A value, as on a command line: 2, '10ms', '1kb,2kb', ['http', 'tcp'], true. */
export type GivenValue = string | number | boolean | readonly (string | number)[];

/** The settings in force in a cell, by the option's key: settings of the transport, of the load, and of all sockets. */
export type Variant<Name extends TransportName = TransportName> = TransportSettings[Name] &
  Partial<ScriptValuesOf<WorkloadOption>> & {
    noDelay: boolean;
    keepMemory: boolean;
    profile?: boolean;
    runtime?: string;
    brokerNodes?: number;
    side?: string;
  } & Partial<Program>;

/** A side of a battle that compares two sides. */
export interface Side {
  name: SideName;
  /** Settings that replace settings of the battle, by key. */
  values: Record<string, unknown>;
  /** The origins of `values`. */
  origins: Settings['origins'];
  program: Program;
}

/** `a again` equals `a`: it shows how much two equal sides differ. */
export type SideName = 'a' | 'a again' | 'b';

/** The program that runs the roles, if it differs from the program that runs the battle. */
export interface Program {
  /** The path of the executable of Node.js. */
  node?: string;
  /** The folder of a checkout or an installation of perf-battle. */
  folder?: string;
  /** A commit of perf-battle, as git names it, instead of a folder. */
  ref?: string;
  /** The path of the folder in which programs of other authors start. */
  programsIn?: string;
  /** A commit of the repository of the current folder, as git names it, instead of a folder. */
  programsRef?: string;
  /** The versions of packages, which npm provides, by name: node, ws. */
  packages?: Record<string, string>;
  /** The role that the program runs; default both. */
  only?: 'client' | 'server';
  /** The words of the user: ws@8.18. */
  given: string[];
}
