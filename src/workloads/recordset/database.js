import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {UnavailableError} from '../../errors.js';
import {makeRows} from './rows.js';

/**
 * @import {Row, Source} from './rows.js'
 *
 * @typedef {object} Database of node:sqlite, of which the types of the oldest supported Node.js know nothing
 * @property {(statements: string) => void} exec
 * @property {(statement: string) => Statement} prepare
 *
 * @typedef {object} Statement
 * @property {(...values: (string | number | null)[]) => unknown} run
 * @property {() => Iterable<StoredRow>} iterate
 * @property {() => StoredRow[]} all
 *
 * @typedef {{id: number, orderId: number, productCode: string, quantity: number, unitPrice: string, orderedAt: number,
 *   shippedAt: number | null, discount: number | null, isReturned: number, comment: string}} StoredRow
 */

/** The first version that has it without a flag. */
const neededVersion = '22.13';
const moduleName = 'node:sqlite';

const createTable = `
  PRAGMA journal_mode = MEMORY;
  CREATE TABLE lines (
    id INTEGER PRIMARY KEY, orderId INTEGER, productCode TEXT, quantity INTEGER, unitPrice TEXT,
    orderedAt INTEGER, shippedAt INTEGER, discount REAL, isReturned INTEGER, comment TEXT
  )`;
const insert = 'INSERT INTO lines VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
const query = 'SELECT * FROM lines ORDER BY id';

/**
 * @returns {Promise<(rows: number, seed: number) => Source>} writes a set of rows into a table of SQLite. It is in a file that no other process can
 *   open, and that is gone with this one
 * @throws {UnavailableError} when this Node.js has no SQLite
 */
export async function loadSqlite() {
  const {DatabaseSync} = await import(moduleName).catch(() => {
    throw new UnavailableError(
      `--rows-from sqlite needs Node.js ${neededVersion} or newer on the server's host; it has ${process.version}.`,
    );
  });
  return (rows, seed) => makeTable(open(DatabaseSync), rows, seed);
}

/** @param {Database} database @param {number} rows @param {number} seed @returns {Source} */
function makeTable(database, rows, seed) {
  database.exec(createTable);
  const insertion = database.prepare(insert);
  database.exec('BEGIN');
  for (const row of makeRows(rows, seed)) insertion.run(...valuesOf(row));
  database.exec('COMMIT');
  return {
    streamed: () => mapped(database.prepare(query).iterate()),
    preloaded: () => database.prepare(query).all().map(toRow),
  };
}

/** @param {new (path: string) => Database} DatabaseSync */
function open(DatabaseSync) {
  const folder = mkdtempSync(join(tmpdir(), 'perf-battle-table-'));
  try {
    const database = new DatabaseSync(join(folder, 'table.sqlite'));
    // SQLite opens the file when it first needs it.
    database.exec('PRAGMA user_version = 1');
    return database;
  } finally {
    rmSync(folder, {recursive: true});
  }
}

/** @param {Row} row @returns {(string | number | null)[]} in the order of the columns */
function valuesOf({id, orderId, productCode, quantity, unitPrice, ...row}) {
  const {orderedAt, shippedAt, discount, isReturned, comment} = row;
  return [
    ...[id, orderId, productCode, quantity, unitPrice],
    ...[orderedAt.getTime(), shippedAt?.getTime() ?? null, discount, Number(isReturned), comment],
  ];
}

/** @param {Iterable<StoredRow>} stored @returns {Generator<Row, void>} */
function* mapped(stored) {
  for (const row of stored) yield toRow(row);
}

/** @param {StoredRow} stored @returns {Row} */
function toRow({orderedAt, shippedAt, isReturned, ...same}) {
  return {
    ...same,
    orderedAt: new Date(orderedAt),
    shippedAt: shippedAt === null ? null : new Date(shippedAt),
    isReturned: isReturned === 1,
  };
}
