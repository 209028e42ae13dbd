import type {fromMarkdown} from 'mdast-util-from-markdown';
import type {Standing, Table} from '../columns/column.js';
import type {FaultName} from '../faults/faults.js';
import type {Conclusion, FoundFaults, Row} from '../faults/found.js';
import type {CellRecord, CompletedRecord} from '../results/record-schema.js';

/** What programs read on standard output, instead of what people read. */
export type Format = {json: boolean; csv: boolean; csvSeparator: string};

/** A top-level node of a document. */
export type Block = ReturnType<typeof fromMarkdown>['children'][number];

export interface ShownFaults {
  found: FoundFaults;
  /** The conclusions on the rows, in the order of the rows; at least one. */
  conclusions: readonly Conclusion[];
  nameOf: (row: Row) => string;
  /** Whether a fault has a target in a row. */
  applies: (fault: FaultName, row: Row) => boolean;
  run: {runId: string; startedAt: string; seed: number; rate: number; window: number};
  /** The facts about the host. */
  host: Record<string, unknown>;
  /** The versions of perf-battle, Node.js, libraries and brokers. */
  versions: Record<string, string | null>;
  /** The settings in force, as a person gives them. */
  settings: readonly {name: string; text: unknown}[];
}

/** What a journal holds. Its battles are unchecked. `name`: for a person. */
export type ShownJournal = {
  name: string;
  records: readonly CellRecord[];
  battles: readonly Record<string, unknown>[];
};

export interface PastBattle {
  /** What was measured: a commit or another label, otherwise the battle. */
  name: string;
  /** The same in at most eight characters. */
  mark: string;
  /** When the battle began, to the minute, in UTC. */
  when: string;
  /** What kind of host the battle ran on. */
  host: string;
  /** The battle before this one ran on another kind of host. */
  isElsewhere: boolean;
  records: readonly CellRecord[];
}

export interface PastCell {
  /** Null if the cell never completed. */
  newest: CompletedRecord | null;
  /** The oldest first; `place`: that of the battle, counted from 1. */
  measured: readonly {battle: PastBattle; place: number; record: CellRecord}[];
}

/** A table with what its blocks say and show. */
export interface ShownTable {
  table: Table;
  records: readonly CompletedRecord[];
  /** The columns that these records need. */
  columns: Table['columns'];
  /** One for each payload size; `sentences`: each in parts, without its full stop; `rows`: the fastest first. */
  blocks: {payloadBytes: number; sentences: string[][]; rows: [CompletedRecord, Standing][]}[];
}

export type VersionRemarks = (record: Versioned) => string[];

export type Versioned = Pick<CompletedRecord, 'transport' | 'versions'>;

/** A column of a table of plain text. */
export interface TextColumn {
  heading: string;
  /** One per row, with or without colours. */
  cells: readonly string[];
  /** The cells of a column that people want first, where there is no room for the others. */
  brief?: readonly string[];
  /** 0, the default, is always shown; of the others, those with the lower number come first. */
  priority?: number;
  /** Aligned to the left; figures are aligned to the right. */
  isText?: boolean;
  /** A cell that is too wide continues on another line, between words. */
  wraps?: boolean;
  /** In characters, of a column that wraps; a longer word has its place. */
  maxWidth?: number;
  /** Adds colours. */
  paint?: (cell: string) => string;
}

/** Yellow cannot be read on white, nor blue on black. */
export type Paint = (format: 'green' | 'magenta' | 'red' | 'bold', text: string) => string;
