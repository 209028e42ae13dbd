import type {Option} from '../options/contract.js';
import type {CellRecord} from '../results/record-schema.js';

/** A file format of exported records. CONTRIBUTING.md explains how to add a format. */
export interface ExportFormat {
  /** The value of --export. */
  name: string;
  /** Whether the file of a battle replaces the file of the battle before. */
  isReplaced?: boolean;
  /** Says what is written, and where. */
  summary: string;
  /** The only file that the format writes, if its path is known in advance. */
  fileFor?: (resultsPath: string) => string;
  /** Whether the rows have the name of a configuration, which --export-configuration sets. */
  hasConfiguration?: boolean;
  /** Tells `perf-battle chart` how to draw files of this format. */
  chartFiles?: ChartFiles;
  /** Resolves with the paths of the written files. */
  write: (resultsPath: string, records: readonly CellRecord[], how: ExportHow) => Promise<string[]>;
}

export interface ChartFiles {
  /** The option of `chart` for the list of paths. */
  option: Option;
  /** Throws a UsageError if the content has another format. size: the message size, in KB of 1024 bytes. */
  parse: (content: string) => Promise<{configuration: string; size: number; callsPerSecond: number}[]>;
}

export interface ExportHow {
  /** The name of the configuration in --export-configuration; null if the format chooses a name. */
  configuration: string | null;
  /** Ends waiting for another process that updates a file. */
  signal: AbortSignal;
}
