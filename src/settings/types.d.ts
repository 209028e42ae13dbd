import type {ScriptValuesOf, Settings} from '../options/contract.js';
import type {TransportName, TransportSettings} from '../transports/index.js';
import type {WorkloadOption} from '../workloads/index.js';

/** A value as on a command line: 2, '10ms', '1kb,2kb', ['http', 'tcp'], true. */
export type GivenValue = string | number | boolean | readonly (string | number)[];

/** The settings in force in a cell, by the option's key: those of the transport, of the load, and of every socket. */
export type Variant<Name extends TransportName = TransportName> = TransportSettings[Name] &
  Partial<ScriptValuesOf<WorkloadOption>> & {
    noDelay: boolean;
    keepMemory: boolean;
    profile?: boolean;
    runtime?: string;
    brokerNodes?: number;
    side?: string;
  } & Partial<Program>;

/** One side of a battle of two. */
export interface Side {
  name: SideName;
  /** Settings in place of those of the battle, by key. */
  values: Record<string, unknown>;
  /** Where these values come from. */
  origins: Settings['origins'];
  program: Program;
}

/** `a again` is equal to `a`: it shows how far apart two equal sides are. */
export type SideName = 'a' | 'a again' | 'b';

/** What runs the roles, if it is not what runs the battle. */
export interface Program {
  /** The path of the program of Node.js. */
  node?: string;
  /** The folder of a checkout or an installation of perf-battle. */
  folder?: string;
  /** What git knows as a commit of perf-battle, in place of a folder. */
  ref?: string;
  /** The path of the folder in which programs of other authors start. */
  programsIn?: string;
  /** What git knows as a commit of the repository of the current folder, in place of that folder. */
  programsRef?: string;
  /** The versions that npm is to provide, by name: node, ws. */
  packages?: Record<string, string>;
  /** The role that the program runs; default both. */
  only?: 'client' | 'server';
  /** The program as a person wrote it: ws@8.18. */
  given: string[];
}
