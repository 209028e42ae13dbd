import {nameOfVariant} from '../../columns/names.js';
import {formatBytes, formatSize} from '../../payload/bytes.js';
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
 * @property {string} machine
 * @property {string} environment
 * @property {string} floor the transport that the others are compared with
 * @property {readonly string[]} [notes] paragraphs on the transports that took part
 * @property {boolean} [detail] whether all figures and warnings of each cell follow
 */

/**
 * Prints the tables of a battle on a terminal: one for each workload, with a block for each payload and the fastest transport first. Each
 * begins with a sentence for each payload that says what it shows. Notes on failed cells and on the verdicts follow.
 *
 * @param {readonly CellRecord[]} records of one battle
 * @param {PrintedBattle} battle
 * @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>} stream
 */
export function printTable(records, battle, stream) {
  const paint = painter(stream);
  const width = widthOf(stream);
  const completed = records.filter((record) => record.outcome === 'completed');
  for (const {table, blocks} of blocksOf(completed)) {
    const lines = sectionLines(table, blocks, {battle, paint, width});
    stream.write(`\n${lines.join('\n')}\n`);
  }
  const {notes = [], detail = false} = battle;
  for (const line of battleNotes(records, completed, {notes, detail}))
    stream.write(`${wrapIndented(line, width).join('\n')}\n`);
  if (battle.detail)
    for (const line of cellDetails(completed, battle.floor, width)) stream.write(`${line}\n`);
}

/**
 * Title, summary and table of a workload, and what the table left out.
 * @param {Table} table
 * @param {readonly CompletedRecord[][]} blocks
 * @param {{battle: PrintedBattle, paint: Paint, width: number}} how
 * @returns {string[]}
 */
function sectionLines({title, summarize, columns}, blocks, {battle, paint, width}) {
  const {machine, environment, floor, detail} = battle;
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
    ...wrapIndented(`${title}, ${environment}, ${machine}`, width),
    ...summary,
    '',
    ...lines,
    ...(dropped.length > 0 ? wrapIndented(note, width) : []),
  ];
}

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
    ...columns.map(({heading, priority, cell}) => ({
      heading,
      priority,
      cells: cells(cell),
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
  return paint(status === 'wide' ? 'yellow' : 'red', status);
}

/**
 * All figures of each cell, and what is wrong with it, for `--detail`. The notes below the table have the advice.
 *
 * @param {readonly CompletedRecord[]} records
 * @param {string} floor the transport that the others are compared with
 * @param {number} width in characters
 * @returns {string[]} lines: for each cell an empty one, its name, its figures, its warnings
 */
function cellDetails(records, floor, width) {
  return records.flatMap((record) => [
    '',
    ...wrapIndented(
      `${nameOfVariant(record.labels)}, ${formatSize(record.payloadBytes)}, ${record.workload}: ${record.verdict.status}`,
      width,
    ),
    ...figureLines(record, floor, width),
    ...record.verdict.warnings.flatMap(({code, message}) => wrapIndented(`${code}: ${message}`, width, 2)),
  ]);
}

/** @param {CompletedRecord} record @param {string} floor @param {number} width */
function figureLines(record, floor, width) {
  const standing = record.transport === floor ? 'floor' : standingOf(record);
  const figures = detailFigures([record]).map(({heading, cell}) => `${heading} ${cell(record, standing)}`);
  const parts = figures.map((text, index) => (index < figures.length - 1 ? `${text};` : text));
  return joinIndented(parts, width, 2);
}
