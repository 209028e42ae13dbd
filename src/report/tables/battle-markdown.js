import {markdownTable} from 'markdown-table';
import {nameOfCell, nameOfVariant} from '../../columns/names.js';
import {formatBytes, formatSize} from '../../payload/bytes.js';
import {battleNotes} from '../battle-notes.js';
import {blocksOf, standingsIn} from './blocks.js';
import {escapeCell} from './table-of.js';

/**
 * @import {Table} from '../../columns/tables.js'
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 */

/**
 * The tables of one battle as markdown, with their summaries, and notes on failed cells and verdicts: for the summary of a run in CI, or a
 * comment on a pull request.
 * @param {readonly CellRecord[]} records
 * @param {string} floor the transport that the others are compared with
 * @returns {string} without a line ending at its end
 */
export function battleMarkdown(records, floor) {
  const completed = records.filter((record) => record.outcome === 'completed');
  const notes = battleNotes(records, completed, {notes: [], detail: true}).filter((line) => line !== '');
  return [
    ...blocksOf(completed).flatMap(({table, blocks}) => tableParts(table, blocks, floor)),
    notes.map((note) => `- ${escapeCell(note)}`).join('\n'),
    ...reasonsOf(completed),
  ].join('\n\n');
}

/** @param {Table} table @param {readonly CompletedRecord[][]} blocks @param {string} floor @returns {string[]} */
function tableParts({title, summarize, columns}, blocks, floor) {
  const isFloor = (/** @type {CompletedRecord} */ {transport}) => transport === floor;
  const summary = blocks.flatMap((block) =>
    summarize(block, isFloor).map(
      (parts) => `- ${formatSize(block[0].payloadBytes)}: ${escapeCell(parts.join('; '))}.`,
    ),
  );
  const shown = columns.filter(({isShown}) => isShown?.(blocks.flat()) ?? true);
  const rows = blocks.flatMap((block) =>
    [...standingsIn(block, floor)].map(([record, standing]) => [
      formatBytes(record.payloadBytes),
      nameOfVariant(record.labels),
      ...shown.map(({cell}) => cell(record, standing)),
      record.verdict.status,
    ]),
  );
  const header = ['Payload', 'Transport', ...shown.map(({heading}) => heading), 'Verdict'];
  const lines = [header, ...rows].map((cells) => cells.map(escapeCell));
  return [`**${escapeCell(title)}**`, summary.join('\n'), markdownTable(lines)];
}

/** The reasons of each verdict, folded: there may be many. @param {readonly CompletedRecord[]} completed @returns {string[]} */
function reasonsOf(completed) {
  const reasons = completed.flatMap((record) =>
    record.verdict.warnings.map(
      ({code, message}) => `- ${escapeCell(`${nameOfCell(record)}: ${code}: ${message}`)}`,
    ),
  );
  if (reasons.length === 0) return [];
  return ['<details><summary>The reasons of each cell</summary>', reasons.join('\n'), '</details>'];
}
