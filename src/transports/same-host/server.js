import {createServer} from 'node:net';
import {listen} from '../../net/listen.js';
import {SerializedRequests} from '../serialized-requests.js';
import {readFrames} from '../tcp/frames.js';
import {readOffer, sendOffer, sendRefusal} from './meeting.js';
import {Pump, Sender} from './sender.js';

/**
 * @import {OnRequest, Reply, ServeSettings, Server} from '../transport.js'
 * @import {End, Outbox} from './end.js'
 * @import {Socket} from 'node:net'
 */

/**
 * Serves clients on the same host, which find the server by a TCP port.
 * @param {ServeSettings} options @param {OnRequest} onRequest
 * @param {string} label of the transport
 * @param {End} end of this process
 * @returns {Promise<Server>}
 */
export async function serveOnHost(options, onRequest, label, end) {
  /** @type {Map<number, Served>} */
  const clients = new Map();
  const load = {openReplies: 0};
  const listener = createServer((socket) => serveSocket(socket));
  const pump = new Pump(end, (client, bytes) => clients.get(client)?.read(bytes), {
    isNeeded: () => clients.size > 0,
    // A handler may be waiting for a timer.
    mayWait: () => load.openReplies === 0,
    isForOne: () => clients.size === 1,
    onError: (error) => listener.emit('error', error),
  });
  let count = 0;

  /** @param {Socket} socket */
  async function serveSocket(socket) {
    socket.on('error', () => socket.destroy());
    count += 1;
    const client = count;
    try {
      const {offer, own} = await readOffer(socket, label);
      serveClient(socket, client, end.connect(offer, {peer: client, own}));
    } catch (error) {
      end.forget(client);
      sendRefusal(socket, /** @type {Error} */ (error));
    }
  }

  /** @param {Socket} socket @param {number} client @param {Outbox} outbox */
  function serveClient(socket, client, outbox) {
    const sender = new Sender(outbox, {
      onWaiting: () => pump.flushLater(sender),
      onError: (error) => socket.destroy(error),
    });
    /** @type {Served} */
    const served = {
      openReplies: 0,
      isGone: false,
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
      pause: () => end.pause(client, true),
      resume: () => {
        end.pause(client, false);
        pump.start();
      },
    };
    const requests = new SerializedRequests(connection, counting(load, served, onRequest));
    const readRequests = readFrames((request) => requests.take(request));
    clients.set(client, served);
    socket.on('close', () => {
      clients.delete(client);
      load.openReplies -= served.openReplies;
      served.isGone = true;
      sender.giveUp();
      end.forget(client);
    });
    sendOffer(socket, end.offer(client), client);
    pump.start();
  }

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
 * The state of a client at the server.
 * @typedef {{openReplies: number, isGone: boolean, read: (bytes: Buffer) => void}} Served openReplies: number of incomplete replies
 */

/**
 * Counts the incomplete replies.
 * @param {{openReplies: number}} load of all clients
 * @param {Served} served @param {OnRequest} onRequest
 * @returns {OnRequest}
 */
function counting(load, served, onRequest) {
  /** @type {Reply | null} shared by all requests of the connection */
  let counted = null;
  return (request, reply) => {
    counted ??= {
      write: reply.write,
      drained: reply.drained,
      end: (chunk) => {
        served.openReplies -= 1;
        if (!served.isGone) load.openReplies -= 1;
        reply.end(chunk);
      },
    };
    served.openReplies += 1;
    load.openReplies += 1;
    onRequest(request, counted);
  };
}
