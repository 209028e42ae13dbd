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

/** Of a figure over trials. */
export type Interval = readonly [low: number, high: number];

/** How the records of a workload are shown. */
export interface Table {
  /** In results.md and in `table --detail`. */
  name: string;
  /** Above the table on a terminal. */
  title: string;
  /** On a terminal. */
  columns: readonly Column[];
  /** What the cells of one payload size show, in a sentence. */
  summarize: Summarize;
  /** The figure by which its cells are compared, for a headline; none if no cell is the fastest. */
  compared?: Compared;
  /** The kind of its table in results.md. */
  results: ResultsKind;
  /**
   * Shows the phases of a record in place of the whole. They follow each other, so a rate over both is meaningless. Otherwise a phase is timed
   * beside the whole, and both are shown.
   */
  isInParts?: boolean;
}

/**
 * Says what the cells of one payload size show, in sentences without their full stops, each in parts. Block: at least one record, the fastest
 * first.
 */
export type Summarize = (
  block: readonly CompletedRecord[],
  isFloor: (record: CompletedRecord) => boolean,
) => string[][];

/** The figure by which cells are compared. */
export interface Compared {
  /** With its unit. */
  figureOf: (record: CompletedRecord) => string;
  /** Of the figure, after its value. */
  name?: string;
  /** Before the name of the floor, if the figure is no time. */
  what?: string;
}

/** A kind of table in a results file. The format of results.md fixes markers, columns and names. */
export interface ResultsKind {
  /** The text of the comment before the table. */
  marker: string;
  /** They identify the table. */
  firstColumns: readonly string[];
  /** Of the columns that hold figures, before the name of a machine. */
  prefix: string;
  /** The cells of firstColumns after the Id. */
  nameOf: (row: ResultRow) => string[];
  figureOf: (record: CompletedRecord) => number;
  format: (figure: number) => string;
  /** The figure and its interval; null if it has none. */
  withInterval: (record: CompletedRecord) => string | null;
}

export interface ResultRow {
  /** For example `RabbitMQ` or `HTTP (no keep-alive, suspect)`. */
  facilitator: string;
  /** For example `local`. */
  environment: string;
  /** For example `1kb`. */
  payloadSize: string;
  /** `Yes`, `No` or `*N/A*`. */
  persistent: string;
  /** In the tables that have such a column. */
  workload?: string;
  /** Per machine, as the kind of table defines them; null or absent where there is none. */
  figures: Record<string, number | null>;
  /** The same with their intervals. */
  withIntervals?: Record<string, string | null>;
}
