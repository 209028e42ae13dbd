import {nameOfVariant} from '../../columns/names.js';
import {formatBytes, formatSize} from '../../payload/bytes.js';
import {groupBy} from '../../stats/numbers.js';
import {battleNotes} from '../battle-notes.js';
import {joinIndented, painter, widthOf, wrapIndented} from '../terminal.js';
import {blocksOf, standingOf, standingsIn} from './blocks.js';
import {detailFigures} from './detail-columns.js';
import {textTable} from './text-table.js';

/**
 * @import {Standing} from '../../columns/column.js'
 * @import {Table} from '../../columns/tables.js'
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 * @import {Paint} from '../terminal.js'
 * @import {TextColumn} from './text-table.js'
 */

/**
 * @typedef {object} PrintedBattle
 * @property {string} floor the transport that the others are compared with
 * @property {readonly string[]} [notes] paragraphs on the transports that took part
 * @property {boolean} [detail] whether all figures and warnings of each cell follow
 */

/**
 * Prints the tables of a battle on a terminal: one for each workload and machine, with a block for each payload and the fastest transport first.
 * Each begins with a sentence for each payload that says what it shows. Notes on failed cells and on the verdicts follow.
 *
 * @param {readonly CellRecord[]} records of one battle, or of several, whose versions and presets the rows name then
 * @param {PrintedBattle} battle
 * @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>} stream
 */
export function printTable(records, battle, stream) {
  const paint = painter(stream);
  const width = widthOf(stream);
  const completed = records.filter((record) => record.outcome === 'completed');
  const places = [...groupBy(completed, placeOf)];
  for (const [place, cells] of places) {
    for (const {table, blocks} of blocksOf(cells)) {
      const lines = sectionLines(table, blocks, {battle, place, paint, width});
      stream.write(`\n${lines.join('\n')}\n`);
    }
  }
  const {notes = [], detail = false} = battle;
  for (const line of battleNotes(records, completed, {notes, detail}))
    stream.write(`${wrapIndented(line, width).join('\n')}\n`);
  if (!detail) return;
  const nameOf = (/** @type {CompletedRecord} */ record) =>
    places.length > 1 ? `${nameOfVariant(record.labels)}, ${placeOf(record)}` : nameOfVariant(record.labels);
  for (const line of completed.flatMap((record) => cellDetails(record, nameOf(record), battle.floor, width)))
    stream.write(`${line}\n`);
}

/** @param {CompletedRecord} record */
function placeOf({environment, machine}) {
  return `${environment}, ${machine}`;
}

/**
 * Title, summary and table of a workload, and what the table left out.
 * @param {Table} table
 * @param {readonly CompletedRecord[][]} blocks
 * @param {{battle: PrintedBattle, place: string, paint: Paint, width: number}} how place: where all of it was measured
 * @returns {string[]}
 */
function sectionLines({title, summarize, columns}, blocks, {battle, place, paint, width}) {
  const {floor, detail} = battle;
  const isFloor = (/** @type {CompletedRecord} */ {transport}) => transport === floor;
  const summary = blocks.flatMap((block) =>
    summarize(block, isFloor).flatMap((parts) =>
      joinIndented(asSentence(formatSize(block[0].payloadBytes), parts), width),
    ),
  );
  const shown = columns.filter(({isShown}) => isShown?.(blocks.flat()) ?? true);
  const {lines, dropped} = textTable(textColumns(blocks, {columns: shown, floor}, paint), width);
  const where = detail ? 'see below' : 'see perf-battle table --detail';
  const note = `Columns that do not fit in ${width} characters (${where}): ${dropped.join(', ')}`;
  return [
    ...wrapIndented(`${title}, ${place}`, width),
    ...summary,
    '',
    ...lines,
    ...(lines.some((line) => line.includes('≤')) ? wrapIndented(boundNote, width) : []),
    ...(dropped.length > 0 ? wrapIndented(note, width) : []),
  ];
}

const boundNote = '≤: no difference was shown; with 95 % confidence the ratio is at most this.';

/** @param {string} size @param {readonly string[]} parts @returns {string[]} between which a line may end */
function asSentence(size, parts) {
  return parts.map(
    (part, index) => `${index === 0 ? `${size}: ` : ''}${part}${index < parts.length - 1 ? ';' : ''}`,
  );
}

/**
 * @param {readonly CompletedRecord[][]} blocks
 * @param {{columns: Table['columns'], floor: string}} shown
 * @param {Paint} paint
 * @returns {TextColumn[]} with an empty row between blocks
 */
function textColumns(blocks, {columns, floor}, paint) {
  const standings = blocks.map((block) => standingsIn(block, floor));
  /** @param {(record: CompletedRecord, standing: Standing, isFirst: boolean) => string} cellOf */
  const cells = (cellOf) =>
    standings.flatMap((block, at) => [
      ...(at > 0 ? [''] : []),
      ...[...block].map(([record, standing], index) => cellOf(record, standing, index === 0)),
    ]);
  return [
    {
      heading: 'Payload',
      cells: cells(({payloadBytes}, _standing, isFirst) => (isFirst ? formatBytes(payloadBytes) : '')),
      isText: true,
      paint: (text) => paint('bold', text),
    },
    {heading: 'Transport', cells: cells(({labels}) => nameOfVariant(labels)), isText: true, wraps: true},
    ...columns.map(({heading, priority, cell, inBrief}) => ({
      heading,
      priority: typeof priority === 'number' ? priority : priority(blocks.flat()),
      cells: cells(cell),
      ...(inBrief && {brief: cells(inBrief)}),
      paint: (/** @type {string} */ text) => (text === 'fastest' ? paint('green', text) : text),
    })),
    {
      heading: 'Verdict',
      cells: cells(({verdict}) => verdict.status),
      isText: true,
      paint: (text) => paintVerdict(text, paint),
    },
  ];
}

/** @param {string} status @param {Paint} paint */
function paintVerdict(status, paint) {
  if (status === 'valid') return status;
  return paint(status === 'wide' ? 'magenta' : 'red', status);
}

/**
 * All figures of a cell, and what is wrong with it, for `--detail`. The notes below the table have the advice.
 *
 * @param {CompletedRecord} record
 * @param {string} name
 * @param {string} floor the transport that the others are compared with
 * @param {number} width in characters
 * @returns {string[]} lines: an empty one, its name, its figures, its warnings
 */
function cellDetails(record, name, floor, width) {
  const {payloadBytes, workload, verdict} = record;
  return [
    '',
    ...wrapIndented(`${name}, ${formatSize(payloadBytes)}, ${workload}: ${verdict.status}`, width),
    ...figureLines(record, floor, width),
    ...verdict.warnings.flatMap(({code, message}) => wrapIndented(`${code}: ${message}`, width, 2)),
  ];
}

/** @param {CompletedRecord} record @param {string} floor @param {number} width */
function figureLines(record, floor, width) {
  const standing = record.transport === floor ? 'floor' : standingOf(record);
  const figures = detailFigures([record]).map(({heading, cell}) => `${heading} ${cell(record, standing)}`);
  const parts = figures.map((text, index) => (index < figures.length - 1 ? `${text};` : text));
  return joinIndented(parts, width, 2);
}
