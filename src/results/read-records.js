import {capWarnings} from './cap-warnings.js';
import {firstMistake} from './first-mistake.js';
import {isOlder} from './newest-of-cell.js';
import {cellRecord} from './record-schema.js';

/**
 * @import {Entry, Journal} from './journal.js'
 * @import {CellRecord} from './record-schema.js'
 */

/**
 * The records of cells in a journal, with its battles as they stand there, and warnings of the lines that are skipped.
 * @param {Pick<Journal<any>, 'read'>} journal
 * @returns {Promise<{records: CellRecord[], battles: Entry[], warnings: string[]}>}
 */
export async function readJournalRecords(journal) {
  const {entries, warnings} = await journal.read();
  const {records, warnings: malformed} = readRecords(entries);
  const battles = entries.filter(({kind}) => kind === 'battle');
  return {records, battles, warnings: [...warnings, ...malformed]};
}

/**
 * The records of cells among a journal's entries, validated because a journal may be edited by hand. The newest of each id counts.
 * @param {readonly Entry[]} entries
 * @returns {{records: CellRecord[], warnings: string[]}}
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
    if (checked.success) addNewest(records, checked.data, doubled);
    else warnings.push(`The record of cell ${entry.id} is skipped: ${firstMistake(checked.error)}.`);
  }
  if (doubled.size > 0) warnings.push(describeDoubled(doubled));
  return {records: [...records.values()], warnings: capWarnings(warnings)};
}

/** @param {Map<string, CellRecord>} records @param {CellRecord} record @param {Set<string>} doubled is added to */
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
