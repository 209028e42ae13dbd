import {nameOfVariant} from '../../columns/names.js';
import {formatBytes, formatSize} from '../../payload/bytes.js';
import {groupBy} from '../../stats/numbers.js';
import {joinIndented, widthOf, wrapIndented} from '../../text/lines.js';
import {battleNotes} from '../battle-notes.js';
import {painter} from '../terminal.js';
import {shownTables, standingOf} from './blocks.js';
import {detailFigures} from './detail-columns.js';
import {droppedNote, textTable} from './text-table.js';

/**
 * @import {Standing} from '../../columns/column.js'
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 * @import {Paint, ShownTable, TextColumn} from '../types.js'
 */

/**
 * @typedef {{floor: string, notes?: readonly string[], detail?: boolean}} PrintedBattle floor: the transport that the others are compared with;
 *   notes: paragraphs on the transports that took part; detail: whether to print all figures and warnings of each cell
 */

/**
 * Prints the tables of a battle on a terminal, one for each workload and machine. A table has a block for each payload, with the fastest
 * transport first. Above each table is a summary; below all tables are notes on failed cells and on the verdicts.
 * @param {readonly CellRecord[]} records of one battle, or of several if the rows name their versions and presets
 * @param {PrintedBattle} battle @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>} stream
 */
export function printTable(records, battle, stream) {
  const paint = painter(stream);
  const width = widthOf(stream);
  const completed = records.filter((record) => record.outcome === 'completed');
  const places = [...groupBy(completed, placeOf)];
  for (const [place, cells] of places) {
    for (const shown of shownTables(cells, battle.floor)) {
      const lines = sectionLines(shown, {detail: battle.detail, place, paint, width});
      stream.write(`\n${lines.join('\n')}\n`);
    }
  }
  const {notes = [], detail = false} = battle;
  stream.write('\n');
  for (const line of battleNotes(records, {notes, detail}))
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
 * Returns the title, summary and table of a workload, and the names of the columns that were left out.
 * @param {ShownTable} shown @param {{detail: boolean | undefined, place: string, paint: Paint, width: number}} how place: environment and machine
 */
function sectionLines(shown, {detail, place, paint, width}) {
  const summary = shown.blocks.flatMap(({payloadBytes, sentences}) =>
    sentences.flatMap(([first, ...others]) =>
      joinIndented(separated([`${formatSize(payloadBytes)}: ${first}`, ...others]), width),
    ),
  );
  const {lines, dropped} = textTable(textColumns(shown, paint), width);
  const where = detail ? ' (see below)' : ' (see perf-battle table --detail)';
  return [
    ...wrapIndented(`${shown.table.title}, ${place}`, width),
    ...summary,
    '',
    ...lines,
    ...(lines.some((line) => line.includes('≤')) ? wrapIndented(boundNote, width) : []),
    ...droppedNote(dropped, width, where).flatMap((note) => wrapIndented(note, width)),
  ];
}

const boundNote = '≤: no difference was shown; with 95 % confidence the ratio is at most this.';

/** Returns parts between which a line may break. @param {readonly string[]} parts */
function separated(parts) {
  return parts.map((part, index) => (index < parts.length - 1 ? `${part};` : part));
}

/** @param {ShownTable} shown @param {Paint} paint @returns {TextColumn[]} with an empty row between blocks */
function textColumns({records, columns, blocks}, paint) {
  /** @param {(record: CompletedRecord, standing: Standing, isFirst: boolean) => string} cellOf */
  const cells = (cellOf) =>
    blocks.flatMap(({rows}, at) => [
      ...(at > 0 ? [''] : []),
      ...rows.map(([record, standing], index) => cellOf(record, standing, index === 0)),
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
      ...withPriority(typeof priority === 'number' ? priority : priority(records), cells(cell)),
      ...(inBrief && {brief: cells(inBrief)}),
      paint: (/** @type {string} */ text) => (text === 'fastest' ? paint('green', text) : text),
    })),
    {
      heading: 'Verdict',
      cells: cells(({verdict}) => verdict.status),
      isText: true,
      paint: (text) => (text === 'valid' ? text : paint(text === 'wide' ? 'magenta' : 'red', text)),
    },
  ];
}

/** Names do not break for a column without a figure. @param {number} priority @param {readonly string[]} cells */
function withPriority(priority, cells) {
  const isEmpty = cells.every((cell) => cell === '' || cell === 'n/a');
  return {cells, priority: isEmpty && priority > 0 ? unwanted : priority};
}

const unwanted = 9;

/**
 * Returns all figures and warnings of a cell, for `--detail`. The notes below the table have the advice.
 * @param {CompletedRecord} record @param {string} name @param {string} floor the transport that the others are compared with
 * @param {number} width in characters @returns {string[]} an empty line, the name, the figures, the warnings
 */
function cellDetails(record, name, floor, width) {
  const {payloadBytes, workload, verdict} = record;
  const standing = record.transport === floor ? 'floor' : standingOf(record);
  const figures = detailFigures([record]).map(({heading, cell}) => `${heading} ${cell(record, standing)}`);
  return [
    '',
    ...wrapIndented(`${name}, ${formatSize(payloadBytes)}, ${workload}: ${verdict.status}`, width),
    ...joinIndented(separated(figures), width, 2),
    ...verdict.warnings.flatMap(({code, message}) => wrapIndented(`${code}: ${message}`, width, 2)),
  ];
}
