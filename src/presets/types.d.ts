import type {FaultName} from '../faults/faults.js';
import type {WarmUp} from '../measure/types.js';
import type {DocumentName, PublishedFigure} from '../results/published/figures.js';

/** A published experiment with a fault, as settings of `perf-battle faults`. It has no published figures, only a description. */
export interface FaultPreset {
  name: string;
  document: DocumentName;
  /** What the preset reproduces. */
  summary: string;
  /** The settings that replace defaults, by the option's key. */
  settings: Readonly<Record<string, unknown>>;
  /** The fault that is added if programs of --external are given; without: the sentence on a run without them. */
  programs: {fault: FaultName; without: string} | null;
  /** Sentences on the published observations. */
  published: readonly string[];
  /** Sentences on the differences here. */
  differs: readonly string[];
}

/** The workload of a published benchmark. To add a preset, declare it in a file here and list it in index.js. */
export interface Preset<Own = Readonly<Record<string, unknown>>> {
  name: string;
  /** The document whose figures are shown next to the measured ones. */
  document: DocumentName;
  /** What the preset reproduces. */
  summary: string;
  /** Sentences on what cannot be compared, and on what is assumed because the text does not state it. */
  differs: readonly string[];
  /** Further sentences, which depend on the measured sizes. */
  notesOn?: (payloadBytes: readonly number[]) => string[];
  /** The transports that the preset needs. */
  needs: readonly string[];
  /** The settings that replace defaults, by the option's key. */
  settings: Own;
  /** The settings that differ in a second set of cells of the same battle: the workload as a competent user runs it today. */
  today?: Own;
  /** The length of a trial. */
  lengthOf: (cell: PresetCell) => PresetLength;
  /** The name, without extension, of the benchmark's own data file for these results. */
  dataFile?: string;
  /** How measured records are compared with the figures of the text. */
  comparison: Comparison;
}

export type PresetCell = {workload: string; payloadBytes: number};

export type PresetLength = {samples: number; warmUp: WarmUp};

export interface Comparison {
  /** mean: round-trip time in ms; rate: per second; bands: µs of the fastest per cent; total: ms for a number of messages. */
  figure: 'mean' | 'rate' | 'bands' | 'total';
  /** What the figure measures. */
  what: string;
  /** The unit of a rate. */
  unit?: string;
  /** Whether the text also has the CPU of the processes, in per cent of one core. */
  hasCpu?: boolean;
  /** The number of messages of a total; a run with another number is scaled to this number. */
  messages?: number;
  /** Whether a figure of the text belongs to this preset. */
  isShown: (figure: PublishedFigure) => boolean;
}
