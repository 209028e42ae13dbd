import {formatBytes} from '../payload/format-bytes.js';
import {configurationOf} from './newest-records.js';
import {presetRemarks} from './preset-remarks.js';
import {tableOf} from './table-of.js';

/**
 * @import {ResultRow, ResultsKind} from '../columns/results-kinds.js'
 * @import {CellRecord, CompletedRecord} from '../results/record-schema.js'
 */

/**
 * Completed records as rows of the results tables. Each configuration has a row, with the machines side by side, and one more for each
 * phase that is timed apart. An open loop has a table of its own, because its response times cannot be compared with round-trip times.
 *
 * @param {readonly CellRecord[]} records
 * @returns {Map<string, {kind: ResultsKind, rows: ResultRow[]}>} by the name of the table
 */
export function resultRows(records) {
  /** @type {ReturnType<typeof resultRows>} */
  const byTable = new Map();
  for (const group of sideBySide(records)) {
    const {name, results: kind} = tableOf(group[0]);
    const {rows} = byTable.get(name) ?? {rows: []};
    byTable.set(name, {kind, rows: [...rows, ...rowsOfConfiguration(group)]});
  }
  return byTable;
}

/**
 * Groups completed records of the same configuration on different machines. A second record of a machine starts a new group.
 * @param {readonly CellRecord[]} records
 * @returns {CompletedRecord[][]}
 */
function sideBySide(records) {
  /** @type {Map<string, CompletedRecord[][]>} */
  const groups = new Map();
  for (const record of records) {
    if (record.outcome !== 'completed') continue;
    const key = configurationOf(record);
    const known = groups.get(key) ?? [];
    const open = known.find((group) => group.every(({machine}) => machine !== record.machine));
    if (open) open.push(record);
    else groups.set(key, [...known, [record]]);
  }
  return [...groups.values()].flat();
}

/**
 * @param {readonly CompletedRecord[]} group
 * @returns {ResultRow[]}
 */
function rowsOfConfiguration(group) {
  const facilitator = facilitatorOf(...group);
  const rowsByMachine = group.map((record) => rowsOf(record, facilitator));
  return rowsByMachine[0].map((row, part) => ({
    ...row,
    figures: Object.assign({}, ...rowsByMachine.map((rows) => rows[part]?.figures)),
  }));
}

/** @param {CompletedRecord} record @param {string} facilitator @returns {ResultRow[]} */
function rowsOf(record, facilitator) {
  const {environment, labels, machine, payloadBytes, phases, workload} = record;
  const {isInParts, results} = tableOf(record);
  const row = {
    facilitator,
    environment,
    payloadSize: formatBytes(payloadBytes),
    persistent: labels.persistent,
  };
  const parts = Object.entries(phases).map(([name, {messagesPerSecond}]) => ({
    ...row,
    workload: `${workload}: ${name}`,
    figures: {[machine]: messagesPerSecond},
  }));
  if (isInParts) return parts;
  return [{...row, workload, figures: {[machine]: results.figureOf(record)}}, ...parts];
}

/**
 * The facilitator, with settings that are not the default, the preset, and "suspect", in parentheses. If only some machines are suspect, they
 * are named.
 * @param {readonly Pick<CompletedRecord, 'labels' | 'verdict' | 'machine' | 'config'>[]} group one configuration
 */
export function facilitatorOf(...group) {
  const {facilitator, settings} = group[0].labels;
  const suspects = group.filter(({verdict}) => verdict.status === 'suspect');
  const whose =
    suspects.length < group.length ? ` on ${suspects.map(({machine}) => machine).join(', ')}` : '';
  const suspect = suspects.length > 0 ? [`suspect${whose}`] : [];
  const remarks = [...settings, ...presetRemarks(group[0]), ...suspect];
  return remarks.length > 0 ? `${facilitator} (${remarks.join(', ')})` : facilitator;
}
