import {tableOf} from './tables/table-of.js';

/** @import {CompletedRecord} from '../results/record-schema.js' */

/** @typedef {Pick<CompletedRecord, 'transport' | 'versions'>} Versioned */

/** @typedef {(record: Versioned) => string[]} VersionRemarks */

/**
 * How rows of one table name the versions that they differ in: of Node.js, and of the broker of their transport.
 * @param {readonly Versioned[]} records of the table, and those that its rows are compared with
 * @returns {VersionRemarks} empty where all rows agree, or a record does not have the version
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

/**
 * The same for several tables, each by itself.
 * @param {readonly CompletedRecord[]} records
 * @returns {(record: CompletedRecord) => string[]}
 */
export function versionRemarksByTable(records) {
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

/** A broker's own version has the name of its transport. @param {Versioned} record */
function brokerOf({transport, versions}) {
  return versions[transport] ?? null;
}
