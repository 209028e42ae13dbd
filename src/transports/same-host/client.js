import {connect as connectSocket} from 'node:net';
import {splitAddress} from '../../net/address.js';
import {bounded} from '../../net/bounded.js';
import {PendingReplies, promised} from '../pending-replies.js';
import {readFrames} from '../tcp/frames.js';
import {readOffer, sendOffer} from './meeting.js';
import {Pump, Sender} from './sender.js';

/**
 * @import {Client, ConnectSettings} from '../transport.js'
 * @import {End} from './end.js'
 */

/** The peer number of the server at a client. */
const server = 0;

/**
 * Connects to a server on the same host.
 * @param {ConnectSettings} options
 * @param {string} label of the transport
 * @param {End} end of this process
 * @returns {Promise<Client>}
 */
export async function connectOnHost({servers, concurrency, correlation, greetingMs}, label, end) {
  const socket = connectSocket({...splitAddress(servers[0]), noDelay: true});
  // Before the server's answer, an error rejects the wait for it.
  socket.on('error', () => {});
  sendOffer(socket, end.offer(server), server);
  const outbox = await bounded(readOffer(socket, label), greetingMs)
    .then(({offer, own}) => end.connect(offer, {peer: server, own}))
    .catch((error) => {
      socket.destroy();
      end.close();
      throw socket.errored ?? error;
    });
  const pending = new PendingReplies(`The ${label} server ended.`, correlation);
  const readReplies = readFrames((reply) => pending.take(reply));
  const read = (/** @type {number} */ _server, /** @type {Buffer} */ bytes) => {
    try {
      readReplies(bytes);
    } catch (error) {
      socket.destroy(/** @type {Error} */ (error));
    }
  };
  const pump = new Pump(end, read, {
    isNeeded: () => pending.count > 0,
    // With fewer requests in flight, the workload may be waiting for the time of the next request.
    mayWait: () => pending.count === 0 || pending.count >= concurrency,
    isForOne: () => true,
    onError: (error) => socket.destroy(error),
  });
  const sender = new Sender(outbox, {
    onWaiting: () => pump.flushLater(sender),
    onError: (error) => socket.destroy(error),
  });
  socket.on('close', () => {
    pump.stop();
    sender.giveUp();
    end.close();
    pending.fail(socket.errored ?? undefined);
  });
  /** @type {Client['ask']} */
  const ask = (payload, waiting) => {
    pending.add(payload, waiting);
    if (socket.destroyed) return;
    sender.send(payload);
    pump.start();
  };
  return {
    ask,
    request: promised(ask),
    // The caller reuses the payload, which may still wait for room.
    abandon: () => sender.keepOwn(),
    send: (payload) => sender.send(payload),
    drained: () => sender.drained(),
    async flushed() {
      await sender.drained();
      return {confirmed: null};
    },
    closed: pending.closed,
    details: end.details,
    async close() {
      pending.finish();
      socket.destroy();
    },
  };
}
