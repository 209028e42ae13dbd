import {formatShortMs} from '../../columns/figures.js';
import {formatMinute} from '../../columns/names.js';
import {configurationOf} from '../../results/newest-records.js';
import {groupBy} from '../../stats/numbers.js';
import {logAxis, orderAxis} from '../charts/axis.js';
import {lineChart} from '../charts/line-chart.js';
import {comparedFigures} from './charts/over-size.js';
import {formatMark} from './charts/series.js';
import {asObject, placeOf} from './place.js';

/**
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 * @import {Chart, Point} from '../charts/chart.js'
 * @import {PastBattle, PastCell, ShownJournal} from '../types.js'
 */

/** More points than this cannot be told apart. */
export const maxBattles = 100;

/**
 * The newest battles of a journal, the oldest of them first. The sides of a comparison within a battle are left out.
 * @param {ShownJournal} journal @returns {PastBattle[]} at most `maxBattles`
 */
export function pastBattles({records, battles}) {
  const lines = new Map(battles.map((line) => [line.id, asObject(line)]));
  const single = records.filter(({variant}) => variant.side === undefined);
  const shown = [...groupBy(single, ({battleId}) => battleId)]
    .map(([id, cells]) => ({id, cells, ...placeOf(cells, lines.get(id) ?? null)}))
    .toSorted((one, other) => (one.startedAt < other.startedAt ? -1 : 1))
    .slice(-maxBattles)
    .map(({id, cells, startedAt, host}) => ({
      ...namesOf(cells[0].config.label, id),
      when: formatMinute(startedAt),
      host,
      records: cells,
    }));
  return shown.map((battle, index) => ({
    ...battle,
    isElsewhere: index > 0 && battle.host !== shown[index - 1].host,
  }));
}

/** @param {unknown} label that --label gave @param {string} id of the battle */
function namesOf(label, id) {
  if (typeof label !== 'string') return {name: `battle ${id}`, mark: id.slice(0, 8)};
  if (/^[\da-f]{12,64}$/i.test(label))
    return {name: `commit ${label.slice(0, 10)}`, mark: label.slice(0, 7).toLowerCase()};
  return {name: shorten(label, 60), mark: shorten(label, 8)};
}

/** @param {string} text @param {number} length */
function shorten(text, length) {
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : text;
}

/**
 * The cells of battles, in the order of the newest battle that has them.
 * @param {readonly PastBattle[]} battles @returns {PastCell[]}
 */
export function pastCells(battles) {
  const newestFirst = battles
    .map((battle, index) => ({battle, place: index + 1}))
    .toReversed()
    .flatMap(({battle, place}) => battle.records.map((record) => ({battle, place, record})));
  return [...groupBy(newestFirst, ({record}) => configurationOf(record)).values()].map((measured) => ({
    newest: measured.map(({record}) => record).find((record) => record.outcome === 'completed') ?? null,
    measured: measured.toReversed(),
  }));
}

/** @typedef {PastCell['measured'][number] & {record: CompletedRecord}} Completed */

/**
 * The figure of a cell over the battles, with its intervals. Each kind of host has a line of its own, which ends where another one comes.
 * @param {PastCell} cell @param {readonly PastBattle[]} battles of its journal
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
      {label: figure.label, format: formatMark},
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
 * @param {PastCell['measured']} measured @param {typeof comparedFigures[keyof typeof comparedFigures]} figure
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
