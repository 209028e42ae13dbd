import type {fromMarkdown} from 'mdast-util-from-markdown';
import type {Standing, Table} from '../columns/column.js';
import type {FaultName} from '../faults/faults.js';
import type {Conclusion, FoundFaults, Row} from '../faults/found.js';
import type {CellRecord, CompletedRecord} from '../results/record-schema.js';

/** The format of the results on standard output, for programs. */
export type Format = {json: boolean; csv: boolean; csvSeparator: string};

/** A top-level node of a document. */
export type Block = ReturnType<typeof fromMarkdown>['children'][number];

export interface ShownFaults {
  found: FoundFaults;
  /** In the order of the rows; at least one. */
  conclusions: readonly Conclusion[];
  nameOf: (row: Row) => string;
  /** Whether a fault has a target in a row. */
  applies: (fault: FaultName, row: Row) => boolean;
  /** rate and window: null if all rows are programs. */
  run: {runId: string; startedAt: string; seed: number; rate: number | null; window: number | null};
  /** The facts about the host. */
  host: Record<string, unknown>;
  /** The versions of perf-battle, Node.js, libraries and brokers. */
  versions: Record<string, string | null>;
  /** The settings in force, as a user gives them. */
  settings: readonly {name: string; text: unknown}[];
  /** Whether the journal has no end of the run. */
  isInterrupted?: boolean;
}

/** The content of a journal. Its battles are unchecked. `name`: for messages and headings. */
export type ShownJournal = {
  name: string;
  records: readonly CellRecord[];
  battles: readonly Record<string, unknown>[];
};

export interface PastBattle {
  /** A commit or another label, otherwise the battle. */
  name: string;
  /** The name in at most eight characters. */
  mark: string;
  /** Start of the battle, to the minute, in UTC. */
  when: string;
  /** The kind of host that the battle ran on. */
  host: string;
  /** Whether the battle before this one ran on another kind of host. */
  isElsewhere: boolean;
  records: readonly CellRecord[];
}

export interface PastCell {
  /** Null if the cell never completed. */
  newest: CompletedRecord | null;
  /** The oldest first; `place`: the position of the battle, counted from 1. */
  measured: readonly {battle: PastBattle; place: number; record: CellRecord}[];
}

/** A table with the sentences and rows of its blocks. */
export interface ShownTable {
  table: Table;
  records: readonly CompletedRecord[];
  /** The columns that these records need. */
  columns: Table['columns'];
  /** A block for each payload size; `sentences`: each in parts, without its full stop; `rows`: the fastest first. */
  blocks: {payloadBytes: number; sentences: string[][]; rows: [CompletedRecord, Standing][]}[];
}

export type VersionRemarks = (record: Versioned) => string[];

export type Versioned = Pick<CompletedRecord, 'transport' | 'versions'>;

/** A column of a table of plain text. */
export interface TextColumn {
  heading: string;
  /** One per row, with or without colours. */
  cells: readonly string[];
  /** Shorter cells, for a column that readers want first, where the whole ones do not fit. */
  brief?: readonly string[];
  /** A column of priority 0, the default, is always shown. Of the others, lower numbers come first. */
  priority?: number;
  /** Whether the column is aligned to the left, as texts are; figures are aligned to the right. */
  isText?: boolean;
  /** Whether a cell that is too wide continues on another line, between words. */
  wraps?: boolean;
  /** In characters, for a column that wraps; a longer word still fits. */
  maxWidth?: number;
  /** In characters, to which a column that wraps is narrowed to make room for others; default: a fifth of the table. */
  leastWidth?: number;
  /** Adds colours. */
  paint?: (cell: string) => string;
}

/** Yellow is left out because it is unreadable on white, and blue because it is unreadable on black. */
export type Paint = (format: 'green' | 'magenta' | 'red' | 'bold', text: string) => string;
