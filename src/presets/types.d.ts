import type {WarmUp} from '../measure/types.js';
import type {DocumentName, PublishedFigure} from '../results/published/figures.js';

/** Published experiments in which something was killed, as settings of `perf-battle faults`. They have no figures, only what happened. */
export interface FaultPreset {
  name: string;
  document: DocumentName;
  /** What the preset reproduces. */
  summary: string;
  /** By the option's key, instead of defaults. */
  settings: Readonly<Record<string, unknown>>;
  /** Sentences: what happened in the text. */
  published: readonly string[];
  /** Sentences: what is different here. */
  differs: readonly string[];
}

/** The workload of a published benchmark. To add one, declare it in a file here and list it in index.js. */
export interface Preset<Own = Readonly<Record<string, unknown>>> {
  name: string;
  /** The document whose figures are shown next to the measured ones. */
  document: DocumentName;
  /** What the preset reproduces. */
  summary: string;
  /** Sentences: what cannot be compared, and what is assumed where the text is silent. */
  differs: readonly string[];
  /** Further sentences of that kind, on the measured sizes. */
  notesOn?: (payloadBytes: readonly number[]) => string[];
  /** Transports that the preset cannot do without. */
  needs: readonly string[];
  /** By the option's key, instead of defaults. */
  settings: Own;
  /** What differs in a second set of cells, which the same battle runs: the same workload as a competent user runs it today. */
  today?: Own;
  /** The length of a trial. */
  lengthOf: (cell: PresetCell) => PresetLength;
  /** The name, without its ending, of the data file in which the benchmark itself keeps these results. */
  dataFile?: string;
  /** How a record becomes figures of the text's kind. */
  comparison: Comparison;
}

export type PresetCell = {workload: string; payloadBytes: number};

export type PresetLength = {samples: number; warmUp: WarmUp};

export interface Comparison {
  /** 'mean': round-trip time in ms; 'rate': per second; 'bands': µs of the fastest per cent; 'total': ms for a number of messages. */
  figure: 'mean' | 'rate' | 'bands' | 'total';
  /** What the figure is of. */
  what: string;
  /** The unit of a rate. */
  unit?: string;
  /** The text also gives the CPU of the processes, in per cent of one core. */
  hasCpu?: boolean;
  /** The messages of a total; a run with another number is scaled to it. */
  messages?: number;
  /** Whether a figure of the text belongs to this preset. */
  isShown: (figure: PublishedFigure) => boolean;
}
