import {rateWithInterval} from '../../columns/tables.js';
import {formatBytes} from '../../payload/bytes.js';
import {configurationOf, presetRemarks} from '../../results/newest-records.js';
import {tableOf} from './blocks.js';

/**
 * @import {ResultRow, ResultsKind} from '../../columns/column.js'
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 * @import {VersionRemarks, Versioned} from '../types.js'
 */

/**
 * Returns completed records as rows of the results tables. Each configuration has a row with a figure for each machine, and a row for each
 * phase that is timed apart. An open loop has a separate table, because response times are not comparable with round-trip times.
 * @param {readonly CellRecord[]} records
 * @param {readonly CellRecord[]} [others] records that already have rows; a new row names the versions in which it differs from them
 * @returns {Map<string, {kind: ResultsKind, rows: ResultRow[]}>} by the name of the table
 */
export function resultRows(records, others = []) {
  const versionsOf = versionRemarksByTable(
    [...records, ...others].filter((record) => record.outcome === 'completed'),
  );
  /** @type {ReturnType<typeof resultRows>} */
  const byTable = new Map();
  for (const group of sideBySide(records)) {
    const {name, results: kind} = tableOf(group[0]);
    const {rows} = byTable.get(name) ?? {rows: []};
    byTable.set(name, {kind, rows: [...rows, ...rowsOfConfiguration(group, versionsOf)]});
  }
  return byTable;
}

/**
 * Groups completed records of the same configuration on different machines. A second record of a machine starts a new group.
 * @param {readonly CellRecord[]} records
 */
function sideBySide(records) {
  /** @type {Map<string, CompletedRecord[][]>} */
  const groups = new Map();
  for (const record of records.filter((record) => record.outcome === 'completed')) {
    const key = configurationOf(record);
    const known = groups.get(key) ?? [];
    const open = known.find((group) => group.every(({machine}) => machine !== record.machine));
    if (open) open.push(record);
    else groups.set(key, [...known, [record]]);
  }
  return [...groups.values()].flat();
}

/**
 * @param {readonly CompletedRecord[]} group @param {(record: CompletedRecord) => string[]} versionsOf remarks on a record's versions
 * @returns {ResultRow[]}
 */
function rowsOfConfiguration(group, versionsOf) {
  const facilitator = facilitatorOf(group, versionsOf);
  const rowsByMachine = group.map((record) => rowsOf(record, facilitator));
  return rowsByMachine[0].map((row, part) => ({
    ...row,
    figures: Object.assign({}, ...rowsByMachine.map((rows) => rows[part]?.figures)),
    withIntervals: Object.assign({}, ...rowsByMachine.map((rows) => rows[part]?.withIntervals)),
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
  const parts = Object.entries(phases).map(([name, phase]) => ({
    ...row,
    workload: `${workload}: ${name}`,
    figures: {[machine]: phase.messagesPerSecond},
    withIntervals: {[machine]: rateWithInterval(phase)},
  }));
  if (isInParts) return parts;
  const whole = {
    figures: {[machine]: results.figureOf(record)},
    withIntervals: {[machine]: results.withInterval(record)},
  };
  return [{...row, workload, ...whole}, ...parts];
}

/**
 * Adds the preset and the differing versions to the names of records of several battles.
 * @param {readonly CompletedRecord[]} records @returns {CompletedRecord[]}
 */
export function withRemarks(records) {
  const versionsOf = versionRemarksByTable(records);
  return records.map((record) => {
    const {labels} = record;
    const settings = [...labels.settings, ...presetRemarks(record), ...versionsOf(record)];
    return {...record, labels: {...labels, settings}};
  });
}

/** @typedef {Pick<CompletedRecord, 'labels' | 'verdict' | 'machine' | 'config' | 'transport' | 'versions'>} Named */

/**
 * Returns the facilitator with remarks in parentheses: settings that are not the default, the preset, versions that differ between rows,
 * and "suspect". A remark that is true of only some machines names these machines.
 * @template {Named} One @param {readonly One[]} group one configuration @param {(record: One) => string[]} versionsOf remarks on a record's versions
 */
export function facilitatorOf(group, versionsOf) {
  const {facilitator, settings} = group[0].labels;
  const ofRecords = group.map((record) => [
    ...versionsOf(record),
    ...(record.verdict.status === 'suspect' ? ['suspect'] : []),
  ]);
  const found = [...new Set(ofRecords.flat())].map((remark) => {
    const machines = group
      .filter((_, index) => ofRecords[index].includes(remark))
      .map(({machine}) => machine);
    return machines.length < group.length ? `${remark} on ${machines.join(', ')}` : remark;
  });
  const remarks = [...settings, ...presetRemarks(group[0]), ...found];
  return remarks.length > 0 ? `${facilitator} (${remarks.join(', ')})` : facilitator;
}

/**
 * Returns remarks on the versions in which rows of a table differ: of Node.js, and of the broker of the row's transport.
 * @param {readonly Versioned[]} records of the table, and records that its rows are compared with
 * @returns {VersionRemarks} empty if all rows agree, or if a record does not have the version
 */
export function versionRemarksIn(records) {
  const nodes = new Set(records.map(nodeOf).filter(Boolean));
  /** @type {Map<string, Set<string>>} by transport */
  const brokers = new Map();
  for (const record of records) {
    const version = brokerOf(record);
    if (version) brokers.set(record.transport, (brokers.get(record.transport) ?? new Set()).add(version));
  }
  return (record) => [
    ...(nodes.size > 1 && nodeOf(record) ? [`Node.js ${nodeOf(record)}`] : []),
    ...((brokers.get(record.transport)?.size ?? 0) > 1 && brokerOf(record)
      ? [`broker ${brokerOf(record)}`]
      : []),
  ];
}

/** Compares the records of each table by themselves. @param {readonly CompletedRecord[]} records @returns {(record: CompletedRecord) => string[]} */
function versionRemarksByTable(records) {
  const nameOf = (/** @type {CompletedRecord} */ record) => tableOf(record).name;
  const remarks = new Map(
    [...new Set(records.map(nameOf))].map((name) => [
      name,
      versionRemarksIn(records.filter((record) => nameOf(record) === name)),
    ]),
  );
  return (record) => remarks.get(nameOf(record))?.(record) ?? [];
}

/** @param {Versioned} record */
function nodeOf({versions}) {
  return versions.node?.replace(/^v/, '') ?? null;
}

/** The version of a broker is stored under the name of its transport. @param {Versioned} record */
function brokerOf({transport, versions}) {
  return versions[transport] ?? null;
}
