import type {Settings} from '../options/contract.js';

/** One side of a battle of two. */
export interface Side {
  name: SideName;
  /** Settings in place of those of the battle, by key. */
  values: Record<string, unknown>;
  /** Of these values. */
  origins: Settings['origins'];
  program: Program;
}

/** `a again` is equal to `a`: it shows how far apart two equal sides are. */
export type SideName = 'a' | 'a again' | 'b';

/** What runs the roles, if it is not what runs the battle. */
export interface Program {
  /** The path of the program of Node.js. */
  node?: string;
  /** Of a checkout or an installation of perf-battle. */
  folder?: string;
  /** What git knows as a commit of perf-battle, in place of a folder. */
  ref?: string;
  /** The path of the folder in which programs of other authors start. */
  programsIn?: string;
  /** What git knows as a commit of the repository of the current folder, in place of that folder. */
  programsRef?: string;
  /** The versions that npm is to provide, by name: node, ws. */
  packages?: Record<string, string>;
  /** The role that it runs; without it, both. */
  only?: 'client' | 'server';
  /** All of that as a person wrote it: ws@8.18. */
  given: string[];
}
