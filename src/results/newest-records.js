import {isDeepStrictEqual} from 'node:util';

/** @import {CellIdentity, CellRecord, CompletedRecord} from './record-schema.js' */

const {compare} = new Intl.Collator('en', {numeric: true});

/**
 * Returns the newest completed record of each configuration: of the same names and settings, workload, payload, environment and machine.
 * Sides of a comparison within a battle are left out.
 * @param {readonly CellRecord[]} records in the order of the journal
 * @returns {CompletedRecord[]} by payload, environment and transport; default settings first
 */
export function newestRecords(records) {
  /** @type {Map<string, CompletedRecord>} */
  const newest = new Map();
  for (const record of records) {
    if (record.outcome === 'completed' && record.variant.side === undefined)
      newest.set(`${configurationOf(record)} on ${record.machine}`, record);
  }
  return sortRecords([...newest.values()], records);
}

/**
 * Returns the newest record of each configuration with any outcome. A judgement needs the latest cell even if it failed.
 * @param {readonly CellRecord[]} records in the order of the journal @returns {CellRecord[]} in the order of `newestRecords`
 */
export function newestOutcomes(records) {
  /** @type {Map<string, CellRecord[]>} */
  const newest = new Map();
  for (const record of records.toReversed()) {
    if (record.variant.side !== undefined) continue;
    const {transport, workload, payloadBytes, environment, machine} = record;
    const key = JSON.stringify([transport, workload, payloadBytes, environment, machine]);
    const laters = newest.get(key) ?? [];
    if (!laters.some((later) => isSameCell(later, record))) newest.set(key, [...laters, record]);
  }
  return sortRecords([...newest.values()].flat().toReversed(), records);
}

/**
 * Compares two cells. A failed cell is identified by its settings, because it may lack the labels that only running processes report.
 * @param {CellRecord} one @param {CellRecord} other of the same transport, workload, payload, environment and machine
 */
function isSameCell(one, other) {
  if (configurationOf(one) === configurationOf(other)) return true;
  if (one.outcome === 'completed' && other.outcome === 'completed') return false;
  const common = Object.keys(one.variant).filter((key) => key in other.variant);
  return (
    isDeepStrictEqual(presetRemarks(one), presetRemarks(other)) &&
    common.every((key) => isDeepStrictEqual(one.variant[key], other.variant[key]))
  );
}

/** @template {CellRecord} One @param {readonly One[]} some @param {readonly CellRecord[]} records all of the journal */
function sortRecords(some, records) {
  const environments = [...new Set(some.map(({environment}) => environment))];
  const ranks = transportRanks(records);
  const environmentRankOf = (/** @type {CellRecord} */ {environment}) => environments.indexOf(environment);
  const rankOf = (/** @type {CellRecord} */ {transport}) => ranks.get(transport) ?? 0;
  return some.toSorted(
    (one, other) =>
      compare(one.workload, other.workload) ||
      one.payloadBytes - other.payloadBytes ||
      environmentRankOf(one) - environmentRankOf(other) ||
      rankOf(one) - rankOf(other) ||
      one.labels.settings.length - other.labels.settings.length ||
      compare(one.labels.settings.join(), other.labels.settings.join()) ||
      compare(one.labels.persistent, other.labels.persistent) ||
      compare(presetRemarks(one).join(), presetRemarks(other).join()) ||
      cellNumber(one.id) - cellNumber(other.id),
  );
}

/**
 * Identifies the row of a record by the text of the row, because a reader cannot tell rows of the same text apart. So a setting that a later
 * version adds does not keep older figures apart from newer ones. The machine is not included, because machines are columns.
 * @param {CellRecord} record
 */
export function configurationOf(record) {
  const {transport, labels, workload, payloadBytes, environment} = record;
  // Programs with different names share a transport.
  const {facilitator, qualifier, settings, persistent} = labels;
  const said = [facilitator, qualifier, [...settings].sort(), persistent, presetRemarks(record)];
  return JSON.stringify([environment, workload, payloadBytes, transport, ...said]);
}

/** Returns the rank of each transport: the highest rank that it had in the plan of any battle. @param {readonly CellRecord[]} records */
function transportRanks(records) {
  /** @type {Map<string, Set<string>>} */
  const battles = new Map();
  const planned = [...records].sort((one, other) => cellNumber(one.id) - cellNumber(other.id));
  for (const {battleId, transport} of planned)
    battles.set(battleId, (battles.get(battleId) ?? new Set()).add(transport));
  /** @type {Map<string, number>} */
  const ranks = new Map();
  for (const transports of battles.values()) {
    for (const [rank, transport] of [...transports].entries())
      ranks.set(transport, Math.max(rank, ranks.get(transport) ?? 0));
  }
  return ranks;
}

/** The id of a cell ends with its number in the plan. @param {string} id */
function cellNumber(id) {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}

/**
 * Returns whether a record precedes the completion of its cell, which happens in merged journals. A resumed battle does not measure a completed
 * cell again.
 * @param {Pick<CellRecord, 'outcome'>} record @param {Pick<CellRecord, 'outcome'> | undefined} known of the same cell
 */
export function isOlder({outcome}, known) {
  return known?.outcome === 'completed' && outcome !== 'completed';
}

/**
 * Names the preset of a battle for a row. A preset determines the length of a trial, which no other setting shows.
 * @param {Pick<CellIdentity, 'config'>} record @returns {string[]} empty without a preset
 */
export function presetRemarks({config}) {
  const {preset = null} = config;
  return preset === null ? [] : [`preset ${preset}`, ...scaleRemarks({config})];
}

/** @param {Pick<CellIdentity, 'config'>} record @returns {string[]} empty if the battle used all messages of its preset */
export function scaleRemarks({config: {scale = 1}}) {
  return scale === 1 ? [] : [`scale ${scale}`];
}
