import {Agent} from 'node:https';
import {RunError} from '../../errors.js';
import {splitAddress} from '../../net/address.js';
import {bounded} from '../../net/bounded.js';
import {probe, probeTls} from '../../net/probe.js';
import {clientTrust} from '../../net/tls.js';
import {requireOptional} from '../../packages/load.js';
import {maxPayloadBytes} from '../../payload/bytes.js';
import {promised} from '../pending-replies.js';
import {Messages} from './messages.js';

/**
 * @import * as Library from 'socket.io-client'
 * @import {SocketIoSettings} from './index.js'
 * @import {ClientSocket} from './events.js'
 * @import {Client, ConnectSettings, Waiting} from '../transport.js'
 */

/** @type {typeof Library} */
const {io} = requireOptional('socket.io-client', {by: 'Socket.IO', install: 'socketio'});

/**
 * @param {ConnectSettings & SocketIoSettings} options
 * @returns {Promise<Client>}
 */
export async function connect(options) {
  const [address] = options.servers;
  const {host, port} = splitAddress(address);
  const trust = await clientTrust(options);
  const details = trust ? await probeTls(host, port, trust) : await probe({host, port});
  /** @type {ClientSocket} */
  const socket = io(`${trust ? 'https' : 'http'}://${address}`, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    // The library knows this one by its server alone.
    .../** @type {{}} */ ({maxPayload: maxPayloadBytes}),
    // The library passes on some settings of TLS only; the agent has all.
    ...(trust && {agent: /** @type {any} */ (new Agent(trust))}),
  });
  const calls = new Calls(socket);
  await bounded(opened(socket), options.greetingMs).catch((error) => {
    socket.disconnect();
    throw error;
  });
  const messages = new Messages(socket, calls.closed);
  const ask = (/** @type {Buffer} */ payload, /** @type {Waiting} */ waiting) => calls.ask(payload, waiting);
  return {
    ask,
    request: promised(ask),
    abandon: ({exchange}) => exchange?.abandon(),
    send: (payload) => messages.send(payload),
    drained: () => messages.drained(),
    flushed: () => messages.flushed(),
    closed: calls.closed,
    details,
    async close() {
      calls.finish();
      socket.disconnect();
    },
  };
}

/** @param {ClientSocket} socket @returns {Promise<void>} */
function opened(socket) {
  return new Promise((resolve, reject) => {
    socket.once('connect_error', reject);
    socket.once('connect', () => {
      socket.off('connect_error', reject);
      resolve();
    });
  });
}

/** The requests that wait for an acknowledgement. The library forgets them when the connection ends. */
class Calls {
  /** @param {ClientSocket} socket */
  constructor(socket) {
    this.socket = socket;
    /** @type {Set<Call>} */
    this.waiting = new Set();
    /** Those with replies of several parts, by number. @type {Map<number, Waiting>} */
    this.parted = new Map();
    this.count = 0;
    /** @type {Error | null} */
    this.failure = null;
    /** @type {Promise<never>} */
    this.closed = new Promise((_, reject) => {
      this.rejectClosed = reject;
    });
    this.closed.catch(() => {});
    socket.on('part', (number, part) => this.parted.get(number)?.onChunk?.(part));
    socket.on('disconnect', (reason) => this.#fail(connectionLost(reason)));
  }

  /** @param {Buffer} payload @param {Waiting} waiting */
  ask(payload, waiting) {
    if (this.failure) return waiting.reject(this.failure);
    this.count += 1;
    const call = new Call(this, this.count, waiting);
    this.waiting.add(call);
    if (waiting.onChunk === null) {
      this.socket.emit('ask', payload, call.onReply);
    } else {
      this.parted.set(call.number, waiting);
      this.socket.emit('askForParts', call.number, payload, call.onReply);
    }
  }

  /** @param {Call} call @returns {boolean} whether it still waited */
  remove(call) {
    if (call.waiting.onChunk !== null) this.parted.delete(call.number);
    return this.waiting.delete(call);
  }

  /** For a connection that the client closes. */
  finish() {
    this.#end(new RunError('The connection was closed.', {code: 'PB_CLOSED'}));
  }

  /** @param {Error} error */
  #fail(error) {
    if (this.failure) return;
    this.rejectClosed?.(error);
    this.#end(error);
  }

  /** @param {Error} error */
  #end(error) {
    this.failure ??= error;
    const all = [...this.waiting];
    this.waiting.clear();
    this.parted.clear();
    for (const {waiting} of all) waiting.reject(this.failure);
  }
}

class Call {
  /** @param {Calls} calls @param {number} number @param {Waiting} waiting */
  constructor(calls, number, waiting) {
    this.calls = calls;
    this.number = number;
    this.waiting = waiting;
    waiting.exchange = this;
    this.onReply = (/** @type {Buffer} */ reply) => {
      if (!calls.remove(this)) return;
      waiting.exchange = null;
      waiting.resolve(reply);
    };
  }

  abandon() {
    this.calls.remove(this);
  }
}

/** @param {string} why */
function connectionLost(why) {
  return new RunError(`The connection of Socket.IO was lost (${why}).`, {code: 'PB_CONNECTION_LOST'});
}
