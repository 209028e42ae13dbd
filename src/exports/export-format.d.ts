import type {Option} from '../options/contract.js';
import type {CellRecord} from '../results/record-schema.js';

/** A file format that records can be exported to besides results.md. CONTRIBUTING.md says how to add one. */
export interface ExportFormat {
  /** As --export takes it. */
  name: string;
  /** Whether the file of one battle replaces that of the battle before. */
  isReplaced?: boolean;
  /** What is written and where. */
  summary: string;
  /** The only file that it writes, if it is known beforehand. */
  fileFor?: (resultsPath: string) => string;
  /** Whether its rows have the name of a configuration, which --export-configuration sets. */
  hasConfiguration?: boolean;
  /** How `perf-battle chart` draws files of this format. */
  chartFiles?: ChartFiles;
  /** The paths of the files that were written. */
  write: (resultsPath: string, records: readonly CellRecord[], how: ExportHow) => Promise<string[]>;
}

export interface ChartFiles {
  /** Of `chart`: the paths of the files, a list. */
  option: Option;
  /** Size: of a message, in KB of 1024 bytes; throws a UsageError if the content is not of this format. */
  parse: (content: string) => Promise<{configuration: string; size: number; callsPerSecond: number}[]>;
}

export interface ExportHow {
  /** The name that a person gave the configuration, for formats that have one; null: the format makes one. */
  configuration: string | null;
  /** Ends the wait for another process that updates a file. */
  signal: AbortSignal;
}
