import type {CompletedRecord} from '../results/record-schema.js';

/** One column of the table on a terminal. Each workload chooses its columns. */
export interface Column {
  heading: string;
  /** 0 is always shown; of the others, a table that is too wide shows those with the lower number first. It may depend on the records. */
  priority: number | ((records: readonly CompletedRecord[]) => number);
  /** With no more digits than its interval justifies. */
  cell: (record: CompletedRecord, standing: Standing) => string;
  /** The same in a table that has no room for that: without the interval. */
  inBrief?: (record: CompletedRecord, standing: Standing) => string;
  /** How `--detail` shows it, if that is different: with both ends of an interval. */
  inDetail?: {heading: string; cell: (record: CompletedRecord, standing: Standing) => string};
  /** Whether a table of these records has the column; always, unless given. */
  isShown?: (records: readonly CompletedRecord[]) => boolean;
}

/** How many times the time of another cell a cell takes. */
export interface Ratio {
  ratio: number;
  /** Its 95 % confidence interval; undefined in old records. */
  ratioCi95?: [low: number, high: number] | null;
  /** On the ratio; null or undefined in old records. */
  verdict?: {status: 'valid' | 'wide' | 'suspect'} | null;
}

/** How a cell compares with the fastest transport of the same table and payload; null if that is not known. */
export type Standing = 'floor' | 'fastest' | Ratio | null;
