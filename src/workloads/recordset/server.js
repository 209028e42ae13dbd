import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setImmediate as yieldToEvents} from 'node:timers/promises';
import {LRUCache} from 'lru-cache';
import {UnavailableError} from '../../errors.js';
import {maxRows, readRequest, recordSetBytes} from './request.js';
import {encodeInChunks, makeRows} from './rows.js';

/**
 * @import {Reply} from '../../transports/transport.js'
 * @import {MakeHandler} from '../workload.js'
 * @import {Row, Source} from './rows.js'
 */

/** @typedef {{rows?: number, rowsFrom?: 'memory' | 'sqlite', seed: number}} RowsSettings */

/**
 * Answers with the requested rows, from a table of SQLite, or from memory like rows that a database returned. Each answer is encoded again, as in
 * a real server. Streamed: each chunk is sent while the next is encoded. Preloaded: the whole set is encoded before its first byte is sent.
 * @type {MakeHandler<RowsSettings>}
 */
export async function makeRecordSetHandler({options: {rows, rowsFrom, seed}}) {
  const make = rowsFrom === 'sqlite' ? await loadSqlite() : inMemory;
  const sets = new Sets((count) => make(count, seed));
  if (rows) sets.get(rows);
  return {
    onRequest(request, reply) {
      const asked = readRequest(request);
      if (!asked) return reply.end();
      const chunks = encodeInChunks(asked.stamp, sets.get(asked.rows)[asked.delivery](), asked.rows);
      if (asked.delivery === 'preloaded') reply.end(Buffer.concat([...chunks]));
      // Only the connection can fail here, and it reports its failure itself.
      else writeAll(chunks, recordSetBytes(asked.rows), reply).catch(() => {});
    },
  };
}

/**
 * A transport with room may only have queued a chunk. Yielding to the event loop lets it send the chunk, and lets other requests proceed.
 * @param {Iterable<Buffer>} chunks @param {number} bytes of all chunks @param {Reply} reply
 */
async function writeAll(chunks, bytes, reply) {
  let remaining = bytes;
  for (const chunk of chunks) {
    const hasRoom = reply.write(chunk);
    remaining -= chunk.length;
    if (remaining > 0) await (hasRoom ? yieldToEvents() : reply.drained());
  }
  reply.end();
}

/** @param {number} rows @param {number} seed @returns {Source} */
function inMemory(rows, seed) {
  const made = [...makeRows(rows, seed)];
  return {streamed: () => made, preloaded: () => made};
}

/**
 * Keeps row sets by their number of rows, because a client by hand may request another number than the server is configured with. All kept sets
 * together have at most as many rows as the largest allowed set.
 */
class Sets {
  /** @param {(rows: number) => Source} make */
  constructor(make) {
    this.make = make;
    /** @type {LRUCache<number, Source>} */
    this.made = new LRUCache({maxSize: maxRows, sizeCalculation: (_, rows) => rows});
  }

  /** @param {number} rows */
  get(rows) {
    const known = this.made.get(rows);
    if (known) return known;
    const set = this.make(rows);
    this.made.set(rows, set);
    return set;
  }
}

/**
 * @typedef {object} Database of node:sqlite, which the types of the oldest supported Node.js lack
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

/** The first version that has SQLite without a flag. */
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
 * @returns {Promise<(rows: number, seed: number) => Source>} writes a set of rows into a table of SQLite, in a file that no other process can
 *   open. The file disappears with this process
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
    // SQLite opens the file only when a statement needs it.
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
