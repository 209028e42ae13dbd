import type {CellRecord} from '../results/record-schema.js';
import type {Entry} from '../results/types.js';
import type {Interval} from '../stats/interval.js';
import type {Ratio} from '../stats/ratio.js';

/** How a cell of side b compares with the same cell of side a. */
export interface SideComparison {
  a: CellRecord;
  /** The cell of a side that is equal to a. */
  again: CellRecord;
  b: CellRecord;
  /** The ratio of the times, b to a, paired by round; null if a side has no figures. */
  ratio: Ratio | null;
  /** The ratio of the two equal sides, again to a. */
  equal: Ratio | null;
  /** The result of b. */
  result: 'slower' | 'faster' | 'no difference shown' | 'cannot tell';
  /** The reason for 'cannot tell' or 'no difference shown', or a remark if the equal sides differ. */
  why: string | null;
}

/** How a cell of one battle compares with the same cell of another. */
export interface Comparison {
  old: CellRecord | null;
  new: CellRecord | null;
  /** Whether the cell is one of raw TCP, which shows how much the hosts themselves differ. */
  isFloor: boolean;
  /** The ratio of the times, new to old; null if one side has no figures. */
  ratio: RatioOfSides | null;
  /** The ratio of raw TCP in the same battles; null if a battle has no raw TCP. */
  floor: RatioOfSides | null;
  result: Result;
  /** The reason why the cell is not comparable or cannot be judged, or a remark on the result. */
  why: string | null;
  /** The differences of machine, versions and settings. */
  differences: readonly Difference[];
}

export type RatioOfSides = {ratio: number; ci95: Interval | null; pValue: number | null};

/** The result of the new cell. */
export type Result = 'slower' | 'faster' | 'no difference shown' | 'cannot tell' | 'not comparable';

export interface Difference {
  /** The machine, the version of a part, or a setting by its name in the record. */
  what: string;
  old: unknown;
  new: unknown;
}

/** One side of a comparison. */
export interface Side {
  /** The name in messages and tables. */
  name: string;
  /** Identifies the records: two names of the same records have the same source. */
  source: string;
  /** A record for each cell. */
  records: readonly CellRecord[];
  /** All records; the floor of each cell is searched here. */
  all: readonly CellRecord[];
  /** Whether the side is a battle in the journal of --results, and not in a file that the user named. */
  isOfResults: boolean;
  /** The stored entry of the battle, unchecked; null for a whole file, and if no entry is stored. */
  battle: Entry | null;
}
