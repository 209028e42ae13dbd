/** Maps the values of one dimension of a chart to positions. */
export interface Axis {
  /** Includes the unit. */
  label: string;
  /** Returns 0 at the beginning of the axis and 1 at its end. */
  toShare: (value: number) => number;
  ticks: readonly {value: number; label: string}[];
}

/** The layout of a chart. If the chart is displayed at its width, its text has 12 pixels. */
export interface Layout {
  /** In pixels. */
  width?: number;
  /** A line below the chart, such as where and when it was measured. */
  caption?: string | null;
}

/** Horizontal bars. */
export interface Bars {
  /** Read by screen readers. */
  title: string;
  /** An axis from 0. */
  x: Axis;
  /** The names of the parts of each bar. */
  parts: readonly string[];
  bars: readonly Bar[];
}

export interface Bar {
  name: string;
  /** A figure for each name of a part. */
  parts: readonly number[];
  /** The figures for a table, without the unit. */
  values: readonly string[];
  /** The name and figures of the bar. */
  text: string;
}

export interface Lines {
  /** Read by screen readers. */
  title: string;
  x: Axis;
  y: Axis;
  series: readonly Series[];
  /** Values of x at which a dashed rule separates what is not comparable. */
  rules?: readonly number[];
}

export interface Series {
  name: string;
  /** Index of the colour, shape and dashes. */
  style: number;
  points: readonly Point[];
  /** Whether the series is the floor. */
  isDashed?: boolean;
}

export interface Point {
  x: number;
  y: number;
  /** The interval of y. */
  interval?: readonly [low: number, high: number] | null;
  /** Whether the mark is only an outline. */
  isHollow?: boolean;
  /** Whether no line connects the point with the previous one. */
  beginsLine?: boolean;
  /** The figure for a table, without the unit. */
  value?: string;
  /** The name and figure; a point without a text has no mark. */
  text?: string;
}

/** Figures over the parts of an axis, such as of a time. */
export interface Steps {
  /** Read by screen readers. */
  title: string;
  x: Axis;
  /** Consecutive parts of the axis x; text: what all panels say about the part. */
  parts: readonly {from: number; until: number; text: string}[];
  /** Panels below each other, over the same axis x. */
  panels: readonly Panel[];
  /** Parts of the axis x in which another event happened. */
  bands: {name: string; places: readonly {from: number; until: number}[]};
}

export interface Panel {
  y: Axis;
  style: number;
  /** A value for each part; null if the part has none. */
  values: readonly (number | null)[];
}

/** A chart and the figures of its points. */
export interface Drawing {
  /** SVG, without its style. */
  draw: (layout?: Layout) => string;
  values: Values;
}

/** The points of a chart, for a table. */
export interface Values {
  /** The figure and its unit. */
  what: string;
  /** The headings after the name. */
  columns: readonly string[];
  rows: readonly {name: string; cells: readonly string[]}[];
  /** Whether the table has so many rows that it is collapsed at first. */
  isFolded?: boolean;
}

export interface Chart extends Drawing {
  /** Used in links and file names. */
  id: string;
  title: string;
  /** What the chart shows and what it does not show. */
  note: string;
  /** Whether the chart answers the question of its table. */
  isMain?: boolean;
}
