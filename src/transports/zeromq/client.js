import {RunError} from '../../errors.js';
import {joinAddress, splitAddress} from '../../net/address.js';
import {bounded} from '../../net/bounded.js';
import {addressReached} from '../../net/probe.js';
import {maxPayloadBytes} from '../../payload/bytes.js';
import {MarkedMessages} from '../marked-messages.js';
import {NumberedCalls} from '../numbered-calls.js';
import {promised} from '../pending-replies.js';
import {headOf, kinds, library, Outbox, readHead} from './library.js';

/**
 * @import {Dealer} from 'zeromq'
 * @import {Client, ConnectSettings} from '../transport.js'
 */

const nothing = Buffer.alloc(0);

/** @param {ConnectSettings} options @returns {Promise<Client>} */
export async function connect({servers, greetingMs}) {
  // The library retries without a reason if it cannot connect, so the server is probed first.
  const {host, port} = splitAddress(servers[0]);
  const address = (await addressReached({host, port})) ?? host;
  const dealer = new library.Dealer({
    linger: 0,
    ipv6: true,
    reconnectInterval: -1,
    maxMessageSize: maxPayloadBytes,
  });
  const calls = new NumberedCalls();
  dealer.events.on('disconnect', () => calls.fail(connectionLost('the server ended it')));
  const opened = new Promise((resolve, reject) => {
    dealer.events.on('handshake', () => resolve(null));
    const refuse = () =>
      reject(Object.assign(new Error('the server ended the connection'), {code: 'ECONNRESET'}));
    // The server may have ended after the probe. The library does not reconnect, so the wait would not end.
    dealer.events.on('close', refuse);
    dealer.events.on('disconnect', refuse);
  });
  opened.catch(() => {});
  // The library would try only one address of a host name.
  dealer.connect(`tcp://${joinAddress(address, port)}`);
  await bounded(opened, greetingMs).catch((error) => {
    dealer.close();
    throw error;
  });
  const outbox = new Outbox(dealer);
  const ended = takeAll(dealer, calls);
  /** @type {Client['ask']} */
  const ask = (payload, waiting) => {
    const call = calls.add(waiting);
    if (call) outbox.send([headOf(kinds.ask, call.number), payload]);
  };
  const messages = messagesTo(outbox, calls);
  return {
    ask,
    request: promised(ask),
    abandon: ({exchange}) => exchange?.abandon(),
    send: (payload) => messages.send(payload),
    drained: () => messages.drained(),
    flushed: () => messages.flushed(),
    closed: calls.closed,
    async close() {
      calls.finish();
      if (!dealer.closed) dealer.close();
      await ended;
    },
  };
}

/** @param {Outbox} outbox @param {NumberedCalls} calls */
function messagesTo(outbox, calls) {
  const messages = new MarkedMessages({
    write(payload) {
      // The library sends later from the buffer, in its own thread, so the payload is copied.
      if (outbox.send([headOf(kinds.send, 0), Buffer.from(payload)])) messages.written();
      else outbox.drained().then(() => messages.written());
    },
    count(reply) {
      const resolve = (/** @type {Buffer} */ count) => reply(count.readDoubleBE());
      // `closed` reports a lost connection.
      const call = calls.add({resolve, reject() {}, onChunk: null});
      if (call) outbox.send([headOf(kinds.count, call.number), nothing]);
    },
    closed: calls.closed,
  });
  return messages;
}

/** Resolves when the dealer is closed. @param {Dealer} dealer @param {NumberedCalls} calls */
async function takeAll(dealer, calls) {
  for await (const [head, payload = nothing] of dealer) {
    const {kind, number} = readHead(head);
    if (kind === kinds.part) calls.takePart(number, payload);
    else if (kind === kinds.reply) calls.take(number, payload);
  }
}

/** @param {string} why */
function connectionLost(why) {
  return new RunError(`The connection of ZeroMQ was lost (${why}).`, {code: 'PB_CONNECTION_LOST'});
}
