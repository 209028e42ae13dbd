import type {CellRecord} from '../results/record-schema.js';
import type {Entry} from '../results/types.js';
import type {Interval} from '../stats/interval.js';
import type {Ratio} from '../stats/ratio.js';

/** How a cell of side b compares with that of side a. */
export interface SideComparison {
  a: CellRecord;
  /** The cell of a side that is equal to a. */
  again: CellRecord;
  b: CellRecord;
  /** The ratio of the times, b to a, paired by round; null if one has no figures. */
  ratio: Ratio | null;
  /** The same of the two equal sides. */
  equal: Ratio | null;
  /** The result of b. */
  result: 'slower' | 'faster' | 'no difference shown' | 'cannot tell';
  /** Why the result is 'cannot tell', or a remark on another result although the equal sides differ. */
  why: string | null;
}

/** How a cell of one battle compares with the same cell of another. */
export interface Comparison {
  old: CellRecord | null;
  new: CellRecord | null;
  /** The cell is one of raw TCP, which shows how far the hosts themselves are alike. */
  isFloor: boolean;
  /** The ratio of the times, new to old; null if one side has no figures. */
  ratio: RatioOfSides | null;
  /** The same of raw TCP in the same battles; null if one has none. */
  floor: RatioOfSides | null;
  result: Result;
  /** Why the cell is not comparable or cannot be judged, or what the result accounts for. */
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
  /** The name for a person. */
  name: string;
  /** The same text for the same records, however a person named them. */
  source: string;
  /** One for each cell. */
  records: readonly CellRecord[];
  /** All records, among which the floor of each cell is found. */
  all: readonly CellRecord[];
  /** The side is a battle of the own journal, and not of a file that the person named. */
  isOfResults: boolean;
  /** What is stored of the one battle, unchecked; null for a whole file, and if nothing is stored. */
  battle: Entry | null;
}
