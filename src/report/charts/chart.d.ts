/** How the values of one direction of a chart are spread over it. */
export interface Axis {
  /** With the unit. */
  label: string;
  /** 0 at the axis's beginning, 1 at its end. */
  toShare: (value: number) => number;
  ticks: readonly {value: number; label: string}[];
}

/** How a chart is drawn. In a layout as wide as its place its text has 12 pixels. */
export interface Layout {
  /** In pixels. */
  width?: number;
  /** Below the chart, such as where and when it was measured. */
  caption?: string | null;
}

/** Horizontal bars. */
export interface Bars {
  /** For those who do not see it. */
  title: string;
  /** From 0. */
  x: Axis;
  /** The names of the parts of each bar. */
  parts: readonly string[];
  bars: readonly Bar[];
}

export interface Bar {
  name: string;
  /** One for each name of a part. */
  parts: readonly number[];
  /** Their figures for a table, without the unit. */
  values: readonly string[];
  /** Its name and figures. */
  text: string;
}

export interface Lines {
  /** For those who do not see it. */
  title: string;
  x: Axis;
  y: Axis;
  series: readonly Series[];
  /** Places on the axis x at which a dashed rule separates what does not compare. */
  rules?: readonly number[];
}

export interface Series {
  name: string;
  /** Which colour, shape and dashes. */
  style: number;
  points: readonly Point[];
  /** The floor. */
  isDashed?: boolean;
}

export interface Point {
  x: number;
  y: number;
  /** Of y. */
  interval?: readonly [low: number, high: number] | null;
  /** Whether its mark is only an outline. */
  isHollow?: boolean;
  /** Whether no line leads to it from the point before. */
  beginsLine?: boolean;
  /** Its figure for a table, without the unit. */
  value?: string;
  /** Its name and figure; a point without one has no mark. */
  text?: string;
}

/** Figures of the parts of an axis, such as of a time. */
export interface Steps {
  /** For those who do not see it. */
  title: string;
  x: Axis;
  /** Of the axis x, one after the other; text: what all panels say of it. */
  parts: readonly {from: number; until: number; text: string}[];
  /** Below each other, over the same axis. */
  panels: readonly Panel[];
  /** Of the axis x, in which something else happened. */
  bands: {name: string; places: readonly {from: number; until: number}[]};
}

export interface Panel {
  y: Axis;
  style: number;
  /** One for each part; null: there is none. */
  values: readonly (number | null)[];
}

/** A chart and what its points say. */
export interface Drawing {
  /** SVG, without its style. */
  draw: (layout?: Layout) => string;
  values: Values;
}

/** The points of a chart, for a table. */
export interface Values {
  /** The figure and its unit. */
  what: string;
  /** Those after the name. */
  columns: readonly string[];
  rows: readonly {name: string; cells: readonly string[]}[];
  /** Whether the rows are so many that the reader opens them. */
  isFolded?: boolean;
}

export interface Chart extends Drawing {
  /** For links and file names. */
  id: string;
  title: string;
  /** What it shows and what it does not. */
  note: string;
  /** Whether it answers the question of its table. */
  isMain?: boolean;
}
