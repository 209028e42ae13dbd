import {createServer} from 'node:net';
import {listen} from '../listen.js';
import {SerializedRequests} from '../serialized-requests.js';
import {readFrames} from '../tcp-frames.js';
import {readOffer, sendOffer} from './meeting.js';
import {Pump} from './pump.js';
import {Sender} from './sender.js';

/**
 * @import {OnRequest, Reply, ServeSettings, Server} from '../transport.js'
 * @import {End} from './end.js'
 * @import {Socket} from 'node:net'
 */

/**
 * Serves clients of the same host, which find it by a TCP port.
 * @param {ServeSettings} options
 * @param {OnRequest} onRequest
 * @param {string} label of the transport
 * @param {End} end of this process
 * @returns {Promise<Server>}
 */
export async function serveOnHost(options, onRequest, label, end) {
  /** @type {Map<number, Served>} */
  const clients = new Map();
  const pump = new Pump(end, (client, bytes) => clients.get(client)?.read(bytes), {
    isNeeded: () => clients.size > 0 && !some(clients, ({isPaused}) => isPaused),
    // A handler may be waiting for a timer.
    mayWait: () => !some(clients, ({openReplies}) => openReplies > 0),
  });
  let count = 0;

  /** @param {Socket} socket */
  async function serveSocket(socket) {
    socket.on('error', () => socket.destroy());
    const {offer, own} = await readOffer(socket, label);
    count += 1;
    const client = count;
    const sender = new Sender(end.connect(offer, client, own), {
      onWaiting: () => pump.flushLater(sender),
      onError: (error) => socket.destroy(error),
    });
    /** @type {Served} */
    const served = {
      openReplies: 0,
      isPaused: false,
      read(bytes) {
        try {
          readRequests(bytes);
        } catch {
          socket.destroy();
        }
      },
    };
    const connection = {
      send: (/** @type {Buffer} */ message) => sender.send(message),
      drained: () => sender.drained(),
      unreadBytes: () => sender.waitingBytes,
      pause: () => {
        served.isPaused = true;
      },
      resume: () => {
        served.isPaused = false;
        pump.start();
      },
    };
    const requests = new SerializedRequests(connection, counting(served, onRequest));
    const readRequests = readFrames((request) => requests.take(request));
    clients.set(client, served);
    socket.on('close', () => {
      clients.delete(client);
      sender.giveUp();
      end.forget(client);
    });
    sendOffer(socket, end.offer(client), client);
    pump.start();
  }

  const listener = createServer((socket) => serveSocket(socket).catch(() => socket.destroy()));
  const listening = await listen(listener, options);
  return {
    ...listening,
    details: end.details,
    async close() {
      pump.stop();
      await listening.close();
      end.close();
    },
  };
}

/**
 * What a server keeps of a client.
 * @typedef {{openReplies: number, isPaused: boolean, read: (bytes: Buffer) => void}} Served openReplies: requests whose reply is not complete;
 *   isPaused: whether nothing more may be received, from any client, because all share one queue
 */

/** @param {ReadonlyMap<number, Served>} clients @param {(client: Served) => boolean} is */
function some(clients, is) {
  for (const client of clients.values()) if (is(client)) return true;
  return false;
}

/**
 * Counts the replies that are not complete.
 * @param {Served} served
 * @param {OnRequest} onRequest
 * @returns {OnRequest}
 */
function counting(served, onRequest) {
  /** @type {Reply | null} of this connection, whose requests share one */
  let counted = null;
  return (request, reply) => {
    counted ??= {
      write: reply.write,
      drained: reply.drained,
      end: (chunk) => {
        served.openReplies -= 1;
        reply.end(chunk);
      },
    };
    served.openReplies += 1;
    onRequest(request, counted);
  };
}
