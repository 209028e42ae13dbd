import {Agent} from 'node:https';
import {RunError} from '../../errors.js';
import {splitAddress} from '../../net/address.js';
import {bounded} from '../../net/bounded.js';
import {probe, probeTls} from '../../net/probe.js';
import {clientTrust} from '../../net/tls.js';
import {requireOptional} from '../../packages/load.js';
import {maxPayloadBytes} from '../../payload/bytes.js';
import {MarkedMessages} from '../marked-messages.js';
import {NumberedCalls} from '../numbered-calls.js';
import {promised} from '../pending-replies.js';

/**
 * @import * as Library from 'socket.io-client'
 * @import {SocketIoSettings} from './index.js'
 * @import {ClientSocket} from './events.js'
 * @import {Client, ConnectSettings} from '../transport.js'
 */

/** @type {typeof Library} */
const {io} = requireOptional('socket.io-client', {by: 'Socket.IO', install: 'socketio'});

/** @param {ConnectSettings & SocketIoSettings} options @returns {Promise<Client>} */
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
    // ws takes this option. The types of the library do not have it for clients.
    .../** @type {{}} */ ({maxPayload: maxPayloadBytes}),
    // The library passes on only some TLS settings, and the agent has all of them.
    ...(trust && {agent: /** @type {any} */ (new Agent(trust))}),
  });
  const calls = new NumberedCalls();
  socket.on('part', (number, part) => calls.takePart(number, part));
  socket.on('disconnect', (reason) => calls.fail(connectionLost(reason)));
  await bounded(opened(socket), options.greetingMs).catch((error) => {
    socket.disconnect();
    throw error;
  });
  const messages = new MarkedMessages({
    write: (payload) => socket.emit('send', payload),
    count: (reply) => socket.emit('count', reply),
    closed: calls.closed,
  });
  socket.io.engine.on('flush', () => messages.written());
  /** @type {Client['ask']} */
  const ask = (payload, waiting) => {
    const call = calls.add(waiting);
    if (!call) return;
    const {number} = call;
    const onReply = (/** @type {Buffer} */ reply) => calls.take(number, reply);
    if (waiting.onChunk === null) socket.emit('ask', payload, onReply);
    else socket.emit('askForParts', number, payload, onReply);
  };
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

/** @param {string} why */
function connectionLost(why) {
  return new RunError(`The connection of Socket.IO was lost (${why}).`, {code: 'PB_CONNECTION_LOST'});
}
