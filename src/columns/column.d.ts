import type {CompletedRecord} from '../results/record-schema.js';

/** One column of the table on a terminal. Each workload chooses its columns. */
export interface Column {
  heading: string;
  /** A column of priority 0 is always shown. If a table is too wide, columns with a higher number are omitted first. */
  priority: number | ((records: readonly CompletedRecord[]) => number);
  /** Formats a figure with no more digits than its interval justifies. */
  cell: (record: CompletedRecord, standing: Standing) => string;
  /** As `cell`, without the interval, for a table that is too wide. */
  inBrief?: (record: CompletedRecord, standing: Standing) => string;
  /** The column in `--detail`, with both ends of an interval; default as above. */
  inDetail?: {heading: string; cell: (record: CompletedRecord, standing: Standing) => string};
  /** Whether a table of these records has the column; default always. */
  isShown?: (records: readonly CompletedRecord[]) => boolean;
}

/** The time of a cell divided by the time of another cell. */
export interface Ratio {
  ratio: number;
  /** The 95 % confidence interval; undefined in old records. */
  ratioCi95?: [low: number, high: number] | null;
  /** The verdict on the ratio; null or undefined in old records. */
  verdict?: {status: 'valid' | 'wide' | 'suspect'} | null;
}

/** How a cell compares with the fastest transport of the same table and payload; null if unknown. */
export type Standing = 'floor' | 'fastest' | Ratio | null;

/** The interval of a figure over trials. */
export type Interval = readonly [low: number, high: number];

/** How the records of a workload are shown. */
export interface Table {
  /** The name in results.md and in `table --detail`. */
  name: string;
  /** The title of the table on a terminal. */
  title: string;
  /** The columns on a terminal. */
  columns: readonly Column[];
  summarize: Summarize;
  /** The figure by which cells are compared in a headline; undefined if no cell is the fastest. */
  compared?: Compared;
  /** The kind of table in results.md. */
  results: ResultsKind;
  /**
   * If true, the table shows the phases of a record instead of the whole: the phases follow each other, so a rate over all is meaningless.
   * Otherwise a phase is timed within the whole, and the table shows the phase and the whole.
   */
  isInParts?: boolean;
}

/**
 * Describes the cells of one payload size. Returns sentences without full stops, each as a list of parts. The block has at least one record,
 * the fastest first.
 */
export type Summarize = (
  block: readonly CompletedRecord[],
  isFloor: (record: CompletedRecord) => boolean,
) => string[][];

/** The figure by which cells are compared. */
export interface Compared {
  /** Formats the figure with its unit. */
  figureOf: (record: CompletedRecord) => string;
  /** The name of the figure, printed after the value. */
  name?: string;
  /** Words before the name of the floor, if the figure is not a time. */
  what?: string;
}

/** A kind of table in a results file. The format of results.md fixes markers, columns and names. */
export interface ResultsKind {
  /** The text of the comment before the table. */
  marker: string;
  /** The headings that identify the table. */
  firstColumns: readonly string[];
  /** The beginning of the heading of a column of figures, before the name of the machine. */
  prefix: string;
  /** The cells of `firstColumns` after the Id. */
  nameOf: (row: ResultRow) => string[];
  figureOf: (record: CompletedRecord) => number;
  format: (figure: number) => string;
  /** The figure with its interval; null if the figure has no interval. */
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
  /** Present if the table has such a column. */
  workload?: string;
  /** By machine, as `ResultsKind.figureOf` defines the figure; null or absent without a figure. */
  figures: Record<string, number | null>;
  /** By machine, the figures with their intervals. */
  withIntervals?: Record<string, string | null>;
}
