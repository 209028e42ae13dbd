import assert from 'node:assert/strict';
import {EventEmitter} from 'node:events';
import {test} from 'node:test';
import {destinations, SocketLink} from '../../src/transports/stomp/connection.js';
import stomp from '../../src/transports/stomp/index.js';
import {DestinationPublisher, Outgoing} from '../../src/transports/stomp/outgoing.js';

test('names of queues and exchanges are safe within a destination', () => {
  assert.equal(destinations.queue('a/b%:c'), '/amq/queue/a%2Fb%25%3Ac');
  assert.equal(destinations.exchange('e/1', 'k'), '/exchange/e%2F1/k');
});

/** A socket that keeps what is written. */
function socketLike() {
  const socket = Object.assign(new EventEmitter(), {
    ...{destroyed: false, writableCorked: 0, writableNeedDrain: false},
    /** @type {string[]} */
    written: [],
    cork() {
      socket.writableCorked += 1;
    },
    uncork() {
      socket.writableCorked -= 1;
    },
    write: (/** @type {string | Uint8Array} */ data) => socket.written.push(Buffer.from(data).toString()),
    end: () => socket.emit('close'),
    destroy: () => {
      socket.destroyed = true;
      socket.emit('close');
    },
  });
  return socket;
}

/** @param {ReturnType<typeof socketLike>} socket @param {(error: Error) => void} [fail] */
const linkOver = (socket, fail = () => {}) =>
  new SocketLink(/** @type {any} */ (socket), {opens: 'connect', url: 'host:1', maxBodyBytes: 1000, fail});

test('a socket opens, reads, writes and closes as a WebSocket does', async () => {
  const socket = socketLike();
  const link = linkOver(socket);
  /** @type {string[]} */
  const seen = [];
  link.onopen = () => void seen.push(`open ${link.readyState}`);
  link.onmessage = ({data}) => void seen.push(String(data));
  link.onclose = () => void seen.push(`close ${link.readyState}`);
  socket.emit('connect');
  socket.emit('data', Buffer.from('CONNECTED'));
  link.send('SEND');
  link.send(new Uint8Array([65, 0]).buffer);
  assert.equal(socket.writableCorked, 1);
  await new Promise((resolve) => process.nextTick(resolve));
  assert.equal(socket.writableCorked, 0);
  link.terminate();
  link.send('late');
  assert.deepEqual(seen, ['open 1', 'CONNECTED', 'close 3']);
  assert.deepEqual(socket.written, ['SEND', 'A\0']);
});

test('a frame that never ends is cut off, and many that end are not', () => {
  const socket = socketLike();
  /** @type {string[]} */
  const failures = [];
  const link = linkOver(socket, ({message}) => failures.push(message));
  const part = Buffer.alloc(32 * 1024);
  for (let count = 0; count < 10; count += 1) {
    link.onmessage = () => link.frameEnded();
    socket.emit('data', part);
  }
  assert.deepEqual([failures, socket.destroyed], [[], false]);
  link.onmessage = () => {};
  for (let count = 0; count < 3; count += 1) socket.emit('data', part);
  assert.deepEqual([failures, socket.destroyed], [['the broker sent a frame of more than 1000 bytes'], true]);
});

/** A connection that keeps what it sends. */
function connectionLike() {
  /** @type {{destination: string, text: string, headers: object, onReceipt: (() => void) | null}[]} */
  const sent = [];
  /** @type {string[]} */
  const subscribed = [];
  const opened = {
    socket: Object.assign(new EventEmitter(), {writableNeedDrain: false}),
    closed: new Promise(() => {}),
    send: (/** @type {any} */ destination, /** @type {any} */ payload, headers = {}, onReceipt = null) =>
      sent.push({destination, text: String(payload), headers, onReceipt}),
    subscribe: async (/** @type {string} */ destination) => {
      subscribed.push(destination);
      return {end: async () => void subscribed.push('end')};
    },
  };
  return {sent, subscribed, socket: opened.socket, opened: /** @type {any} */ (opened)};
}

test('a window bounds messages without a receipt, and each message reports its own', async () => {
  const {sent, opened, subscribed} = connectionLike();
  const outgoing = new Outgoing(opened, {isConfirmed: true, isPersistent: true});
  const publisher = new DestinationPublisher(outgoing, {destination: '/amq/queue/q', window: 2});
  /** @type {string[]} */
  const outcomes = [];
  const outcome = {confirmed: () => outcomes.push('confirmed'), refused: () => outcomes.push('refused')};
  assert.equal(publisher.publish(Buffer.from('a')), true);
  assert.equal(publisher.publish(Buffer.from('b'), outcome), false);
  assert.deepEqual(
    sent.map(({destination, text, headers}) => [destination, text, headers]),
    ['a', 'b'].map((text) => ['/amq/queue/q', text, {persistent: 'true'}]),
  );
  sent[1].onReceipt?.();
  await publisher.drained();
  assert.deepEqual(outcomes, ['confirmed']);
  sent[0].onReceipt?.();
  assert.deepEqual(await publisher.flushed(), {confirmed: 2});
  assert.deepEqual(subscribed, []);
});

test('without receipts the socket bounds the messages, and a subscription says that the broker has them', async () => {
  const {sent, opened, socket, subscribed} = connectionLike();
  const outgoing = new Outgoing(opened, {isConfirmed: false, isPersistent: false});
  const publisher = new DestinationPublisher(outgoing, {destination: '/amq/queue/q', window: 1});
  assert.equal(publisher.publish(Buffer.from('a')), true);
  socket.writableNeedDrain = true;
  assert.equal(publisher.publish(Buffer.from('b')), false);
  const drained = publisher.drained();
  socket.writableNeedDrain = false;
  socket.emit('drain');
  await drained;
  assert.ok(sent.every(({onReceipt, headers}) => onReceipt === null && !('persistent' in headers)));
  assert.deepEqual(await publisher.flushed(), {confirmed: null});
  assert.deepEqual(subscribed, ['/exchange/amq.direct/perf-battle-mark', 'end']);
});

test('quorum queues refuse transient messages, and settings without effect are none', () => {
  const {refuse, ignores} = stomp;
  assert.match(String(refuse({deliveryMode: 1, queueType: 'quorum'})), /not supported by quorum queues/);
  assert.equal(refuse({deliveryMode: 2, queueType: 'quorum'}), null);
  const ignored = (/** @type {object} */ variant) => ignores(/** @type {any} */ (variant));
  assert.deepEqual(ignored({stompReceipts: true}), []);
  assert.deepEqual(ignored({stompReceipts: false}), ['stompPrefetch']);
  assert.ok(ignored({stompReceipts: true, subscribers: 3}).includes('deliveryMode'));
});
