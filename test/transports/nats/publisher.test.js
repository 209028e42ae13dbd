import assert from 'node:assert/strict';
import {test} from 'node:test';
import {setImmediate as turn} from 'node:timers/promises';
import {Publisher} from '../../../src/transports/nats/publisher.js';

const message = Buffer.alloc(100 * 1024);
/** Messages of this size after which 4 MiB are under way. */
const room = 40;

/** A server that answers a flush only when told to. */
function scriptedServer({maxPayload = 1024 * 1024} = {}) {
  /** @type {(() => void)[]} */
  const flushes = [];
  /** @type {string[]} */
  const published = [];
  /** @type {(error: Error) => void} */
  let lose = () => {};
  /** @type {Promise<void>} */
  const closed = new Promise((_, reject) => {
    lose = reject;
  });
  const nats = {
    info: {max_payload: maxPayload},
    publish: (/** @type {string} */ subject) => void published.push(subject),
    flush: () => new Promise((resolve) => flushes.push(() => resolve(undefined))),
  };
  const publisher = new Publisher(/** @type {any} */ (nats), closed);
  return {publisher, published, flushes, lose};
}

/** @param {Promise<unknown>} promise */
async function isSettled(promise) {
  await turn();
  return await Promise.race([promise.then(() => true), turn(false)]);
}

test('a publisher waits when 4 MiB have no answer, and goes on when some have', async () => {
  const {publisher, flushes} = scriptedServer();
  const answers = Array.from({length: room + 1}, () => publisher.publish('subject', message));
  assert.deepEqual([answers.indexOf(false), answers.length], [room, room + 1]);
  const drained = publisher.drained();
  assert.equal(await isSettled(drained), false);
  flushes.shift()?.();
  assert.equal(await isSettled(drained), true);
});

test('a ping follows after every 256 KiB, and not after every message', () => {
  const {publisher, published, flushes} = scriptedServer();
  for (let count = 0; count < 9; count += 1) publisher.publish('subject', message);
  assert.equal(published.length, 9);
  assert.equal(flushes.length, 3);
});

test('what was published is flushed when the server has answered after the last message, and nothing is confirmed', async () => {
  const {publisher, flushes} = scriptedServer();
  for (let count = 0; count < 4; count += 1) publisher.publish('subject', message);
  const flushed = publisher.flushed();
  const [first, last] = flushes;
  first();
  assert.equal(await isSettled(flushed), false);
  last();
  assert.deepEqual(await flushed, {confirmed: null});
});

test('who waits is told when the connection is lost', async () => {
  const {publisher, lose} = scriptedServer();
  for (let count = 0; count <= room; count += 1) publisher.publish('subject', message);
  const waiting = [publisher.drained(), publisher.flushed()];
  lose(new Error('gone'));
  for (const promise of waiting) await assert.rejects(promise, /gone/);
});

test('a message that the server would refuse is not sent', () => {
  const {publisher, published} = scriptedServer({maxPayload: 1000});
  assert.throws(() => publisher.publish('subject', message), {
    code: 'PB_NACK',
    message: /\b1000 .*\b102400\b.*max_payload/,
  });
  assert.deepEqual(published, []);
});

test('a message is refused, with the reason, if a server could take it but not keep it for a subscriber', () => {
  const {publisher, published} = scriptedServer({maxPayload: 64 * 1024 * 1024});
  publisher.publish('subject', Buffer.alloc(64 * 1024 * 1024 - 1024));
  assert.equal(published.length, 1);
  assert.throws(() => publisher.publish('subject', Buffer.alloc(64 * 1024 * 1024)), {
    code: 'PB_NACK',
    message: /\b67107840 .*\b67108864\b.*max_payload.*max_pending.*--payload/,
  });
});
