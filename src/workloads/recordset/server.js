import {setImmediate as turn} from 'node:timers/promises';
import {LRUCache} from 'lru-cache';
import {encodeInChunks} from './encoder.js';
import {maxRows, readRequest} from './request.js';
import {makeRows} from './rows.js';
import {recordSetBytes} from './size.js';

/**
 * @import {Reply} from '../../transports/transport.js'
 * @import {MakeHandler} from '../workload.js'
 * @import {Row} from './row.js'
 */

/**
 * Answers with the rows that a request asks for. The rows are made beforehand, as a database would have them ready; each answer is encoded
 * anew, for a server whose rows are fresh has to: streamed, chunk by chunk, each on its way while the next is encoded; preloaded, the whole
 * set before its first byte is sent.
 *
 * @type {MakeHandler<{rows?: number, seed: number}>}
 */
export async function makeRecordSetHandler({options: {rows, seed}}) {
  const sets = new Sets(seed);
  if (rows) sets.get(rows);
  return {
    onRequest(request, reply) {
      const asked = readRequest(request);
      if (!asked) return reply.end();
      const chunks = encodeInChunks(asked.stamp, sets.get(asked.rows));
      if (asked.delivery === 'preloaded') reply.end(Buffer.concat([...chunks]));
      // What fails here is the connection, which tells of its end itself.
      else writeAll(chunks, recordSetBytes(asked.rows), reply).catch(() => {});
    },
  };
}

/**
 * A transport that has room may still only have taken note of a chunk: at a turn of the event loop it gets it on its way, and other requests
 * their turn.
 * @param {Iterable<Buffer>} chunks
 * @param {number} bytes of all of them
 * @param {Reply} reply
 */
async function writeAll(chunks, bytes, reply) {
  let left = bytes;
  for (const chunk of chunks) {
    const hasRoom = reply.write(chunk);
    left -= chunk.length;
    if (left > 0) await (hasRoom ? turn() : reply.drained());
  }
  reply.end();
}

/** By their number of rows: a client by hand may ask for another than the server was told of. As many are kept as the largest set has rows. */
class Sets {
  /** @param {number} seed */
  constructor(seed) {
    this.seed = seed;
    /** @type {LRUCache<number, readonly Row[]>} */
    this.made = new LRUCache({maxSize: maxRows, sizeCalculation: (set) => set.length});
  }

  /** @param {number} rows */
  get(rows) {
    const known = this.made.get(rows);
    if (known) return known;
    const set = [...makeRows(rows, this.seed)];
    this.made.set(rows, set);
    return set;
  }
}
