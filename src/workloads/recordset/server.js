import {setImmediate as yieldToEvents} from 'node:timers/promises';
import {LRUCache} from 'lru-cache';
import {maxRows, readRequest, recordSetBytes} from './request.js';
import {encodeInChunks, makeRows} from './rows.js';

/**
 * @import {Reply} from '../../transports/transport.js'
 * @import {MakeHandler} from '../workload.js'
 * @import {Source} from './rows.js'
 */

/** @typedef {{rows?: number, rowsFrom?: 'memory' | 'sqlite', seed: number}} RowsSettings */

/**
 * Answers with the requested rows, from a table of SQLite, or from memory, as if a database had returned them. Each answer is encoded again, as a
 * real server must. Streamed: each chunk is sent while the next is encoded. Preloaded: the whole set is encoded before its first byte is
 * sent.
 * @type {MakeHandler<RowsSettings>}
 */
export async function makeRecordSetHandler({options: {rows, rowsFrom, seed}}) {
  const make = rowsFrom === 'sqlite' ? await (await import('./database.js')).loadSqlite() : inMemory;
  const sets = new Sets((count) => make(count, seed));
  if (rows) sets.get(rows);
  return {
    onRequest(request, reply) {
      const asked = readRequest(request);
      if (!asked) return reply.end();
      const chunks = encodeInChunks(asked.stamp, sets.get(asked.rows)[asked.delivery](), asked.rows);
      if (asked.delivery === 'preloaded') reply.end(Buffer.concat([...chunks]));
      // Only the connection can fail here, and it reports that itself.
      else writeAll(chunks, recordSetBytes(asked.rows), reply).catch(() => {});
    },
  };
}

/**
 * A transport with room may only have queued a chunk. Yielding to the event loop lets it send the chunk, and lets other requests proceed.
 * @param {Iterable<Buffer>} chunks
 * @param {number} bytes of all of them
 * @param {Reply} reply
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
 * Row sets by their number of rows, because a client by hand may request another number than the server is configured with. All kept sets
 * together have at most as many rows as the largest set may have.
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
