import {formatShortMs} from '../../../columns/figures.js';
import {logAxis, orderAxis} from '../../charts/axis.js';
import {lineChart} from '../../charts/line-chart.js';
import {comparedFigures} from './compared-figures.js';

/**
 * @import {Point} from '../../charts/line-chart.js'
 * @import {CellRecord, CompletedRecord} from '../../../results/record-schema.js'
 * @import {PastBattle, PastCell} from '../past-battles.js'
 * @import {Chart, Values} from './series.js'
 */

/** @typedef {PastCell['measured'][number] & {record: CompletedRecord}} Completed */

/**
 * The figure of a cell over the battles, with its intervals. Each kind of host has a line of its own, which ends where another one comes.
 * @param {PastCell} cell
 * @param {readonly PastBattle[]} battles of its journal
 * @param {{id: string, title: string, isMain: boolean, hosts: readonly string[]}} what hosts: all kinds, each of which has a style
 * @returns {Chart | null} null if there is nothing to draw
 */
export function figureOverBattles({newest, measured}, battles, {id, title, isMain, hosts}) {
  if (newest === null) return null;
  const figure = comparedFigures[newest.comparedBy];
  const drawn = measured.flatMap(({record, ...at}) => {
    if (record.outcome !== 'completed' || record.comparedBy !== newest.comparedBy) return [];
    const {value, interval, text} = figure.of(record);
    return value !== null && value > 0 ? [{...at, record, y: value, interval, text}] : [];
  });
  if (drawn.length === 0) return null;
  const series = hosts
    .map((host, index) => ({
      name: host,
      // The first colour is that of raw TCP on other charts.
      style: index + 1,
      points: drawn.flatMap(({battle, place, record, y, interval, text}, at) => {
        if (battle.host !== host) return [];
        const said = `${battle.name}, ${battle.when}: ${text} ${figure.unit}; ${verdictOf(record)}; ${hostOf(battle, record)}; record ${record.id}`;
        const beginsLine = at > 0 && drawn[at - 1].battle.host !== host;
        return [{x: place, y, interval, isHollow: isSuspect(record), beginsLine, text: said}];
      }),
    }))
    .filter(({points}) => points.length > 0);
  const rules = battles.flatMap(({isElsewhere}, index) => (isElsewhere ? [index + 0.5] : []));
  const axes = {
    x: orderAxis(
      battles.map(({mark}) => mark),
      'battle, the newest on the right',
    ),
    y: logAxis(
      drawn.map(({y}) => y),
      {label: figure.label, format: figure.format},
    ),
  };
  return {
    ...{id, title, isMain},
    note: noteOn(series.flatMap(({points}) => points)),
    draw: (layout) => lineChart({title, ...axes, series, rules}, layout),
    values: valuesOf(measured, figure),
  };
}

/** @param {CompletedRecord} record */
function isSuspect({verdict}) {
  return verdict.status === 'suspect';
}

/** A verdict with its reasons. @param {CompletedRecord} record */
function verdictOf({verdict: {status, warnings}}) {
  return [status, ...warnings.map(({code}) => code).filter((code) => code !== status)].join(', ');
}

/** @param {PastBattle} battle @param {CellRecord} record */
function hostOf({host}, {hosts: {client}}) {
  return `${host} (${client})`;
}

/** @param {readonly Point[]} points */
function noteOn(points) {
  return [
    ...(points.some(({interval}) => interval) ? ['Vertical lines are 95 % intervals over trials.'] : []),
    ...(points.some(({isHollow}) => isHollow) ? ['A hollow mark is suspect.'] : []),
    ...(points.some(({beginsLine}) => beginsLine)
      ? ['At a dashed rule the host changes: figures on both sides of it do not compare.']
      : []),
    'The vertical axis is logarithmic.',
  ].join(' ');
}

/**
 * What the points say, for a table, with the battles in which the cell has no figure. The newest comes first.
 * @param {PastCell['measured']} measured
 * @param {typeof comparedFigures[keyof typeof comparedFigures]} figure
 * @returns {Values}
 */
function valuesOf(measured, figure) {
  return {
    what: figure.label,
    columns: ['Measured', figure.unit, 'p99, ms', 'Verdict', 'Host', 'Record'],
    rows: measured.toReversed().map(({battle, record}) => ({
      name: battle.name,
      cells: [battle.when, ...figuresOf(record, figure), hostOf(battle, record), record.id],
    })),
    isFolded: true,
  };
}

/** @param {CellRecord} record @param {typeof comparedFigures[keyof typeof comparedFigures]} figure */
function figuresOf(record, figure) {
  if (record.outcome !== 'completed') return ['', '', record.outcome];
  const {rtt} = record;
  return [
    figure.of(record).text,
    formatShortMs(rtt?.p99Ms ?? null, rtt?.ci95?.p99Ms ?? null),
    verdictOf(record),
  ];
}
