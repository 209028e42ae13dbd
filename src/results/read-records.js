import {percentileOverTrials} from '../stats/trial-summary.js';
import {capWarnings, firstMistake} from './journal.js';
import {isOlder} from './newest-records.js';
import {cellRecord} from './record-schema.js';

/**
 * @import {EncodedHistogram} from '../stats/histogram.js'
 * @import {Journal} from './journal.js'
 * @import {CellRecord, CompletedRecord} from './record-schema.js'
 * @import {Entry} from './types.js'
 */

/**
 * Returns the cell records of a journal, its battle lines, the lines of its trials, and warnings about skipped lines.
 * @param {Pick<Journal<any>, 'read'>} journal
 */
export async function readJournalRecords(journal) {
  const {entries, warnings} = await journal.read();
  const {records, warnings: malformed} = readRecords(entries);
  const battles = entries.filter(({kind}) => kind === 'battle');
  const trials = entries.filter(({kind}) => kind === 'trial');
  return {records, battles, trials, warnings: [...warnings, ...malformed]};
}

/**
 * Returns the valid cell records of a journal, which users may have edited. Of several records with the same id, the newest counts.
 * @param {readonly Entry[]} entries
 */
export function readRecords(entries) {
  /** @type {Map<string, CellRecord>} */
  const records = new Map();
  /** @type {Set<string>} */
  const doubled = new Set();
  const warnings = [];
  for (const entry of entries) {
    if (entry.kind !== 'cell') continue;
    const checked = cellRecord.safeParse(entry);
    if (checked.success) addNewest(records, withP95(checked.data, entry), doubled);
    else warnings.push(`The record of cell ${entry.id} is skipped: ${firstMistake(checked.error)}.`);
  }
  if (doubled.size > 0) warnings.push(describeDoubled(doubled));
  return {records: [...records.values()], warnings: capWarnings(warnings)};
}

/** @param {Map<string, CellRecord>} records @param {CellRecord} record @param {Set<string>} doubled gets the id of a repeated record */
function addNewest(records, record, doubled) {
  const known = records.get(record.id);
  if (known?.outcome === 'completed' && record.outcome === 'completed') doubled.add(record.id);
  if (!isOlder(record, known)) records.set(record.id, record);
}

/** @param {ReadonlySet<string>} ids */
function describeDoubled(ids) {
  const which =
    ids.size === 1 ? `The cell ${[...ids]} has` : `${ids.size} cells, such as ${[...ids][0]}, have`;
  return `${which} more than one record in the journal. The newest counts.`;
}

/** The percentile of a trial without samples, or with an unreadable histogram. */
const unknown = {ms: null, ci95Ms: null};

/**
 * Adds the p95 of the round trips to records of older versions. Their trials are decoded only when the p95 is read, because decoding
 * hundreds of records takes seconds.
 * @param {CellRecord} record @param {Entry} entry the line of the journal
 */
function withP95(record, entry) {
  if (record.outcome !== 'completed' || record.rtt === null || 'p95Ms' in entry.rtt) return record;
  const {rtt, trials} = record;
  /** @type {typeof unknown | ReturnType<typeof percentileOverTrials> | null} */
  let known = null;
  const p95 = () => {
    known ??= p95Of(trials);
    return known;
  };
  Object.defineProperty(rtt, 'p95Ms', {enumerable: true, get: () => p95().ms});
  if (rtt.ci95) Object.defineProperty(rtt.ci95, 'p95Ms', {enumerable: true, get: () => p95().ci95Ms});
  return record;
}

/** @param {CompletedRecord['trials']} trials */
function p95Of(trials) {
  const used = /** @type {EncodedHistogram[]} */ (trials.filter(({used}) => used));
  if (used.length === 0 || used.some(({histogram}) => histogram === null)) return unknown;
  try {
    return percentileOverTrials(used, 95);
  } catch {
    return unknown;
  }
}
