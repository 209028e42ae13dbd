import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Taker} from '../../src/transports/taker.js';

/** Deliveries that a test makes. @param {() => Promise<unknown>} [begin] */
function scripted(begin = async () => {}) {
  /** @type {string[]} */
  const log = [];
  const taker = new Taker({
    begin: async () => {
      log.push('begin');
      await begin();
    },
    end: async () => void log.push('end'),
  });
  /** @type {string[]} */
  const taken = [];
  const onMessage = (/** @type {Buffer} */ payload) => void taken.push(String(payload));
  const offer = (/** @type {string} */ text) => taker.offer(Buffer.from(text));
  return {taker, log, taken, onMessage, offer};
}

test('messages are delivered until as many were taken, and then no more', async () => {
  const {taker, log, taken, onMessage, offer} = scripted();
  const done = taker.take(2, onMessage);
  for (const text of ['a', 'b', 'c']) offer(text);
  await done;
  assert.deepEqual(
    [taken, log],
    [
      ['a', 'b'],
      ['begin', 'end'],
    ],
  );
  await taker.take(1, onMessage);
  assert.deepEqual(taken, ['a', 'b', 'c'], 'what came too early is kept');
  assert.deepEqual(log, ['begin', 'end', 'begin', 'end']);
});

test('one that stays gets the next messages without a new begin', async () => {
  const {taker, log, taken, onMessage, offer} = scripted();
  for (const text of ['a', 'b']) {
    const done = taker.take(1, onMessage, {stay: true});
    offer(text);
    await done;
  }
  const last = taker.take(1, onMessage);
  offer('c');
  await last;
  assert.deepEqual(
    [taken, log],
    [
      ['a', 'b', 'c'],
      ['begin', 'end'],
    ],
  );
});

test('all may come before the deliveries have quite begun: they end only afterwards', async () => {
  /** @type {() => void} */
  let isThere = () => {};
  const begun = new Promise((resolve) => {
    isThere = () => resolve(undefined);
  });
  const {taker, log, onMessage, offer} = scripted(() => begun);
  const done = taker.take(1, onMessage);
  offer('a');
  await Promise.resolve();
  assert.deepEqual(log, ['begin']);
  isThere();
  await done;
  assert.deepEqual(log, ['begin', 'end']);
});

test('a failure ends what is taken, and all that is taken later', async () => {
  const {taker, onMessage} = scripted();
  const done = taker.take(1, onMessage);
  taker.fail(new Error('lost'));
  taker.fail(new Error('again'));
  await assert.rejects(done, /lost/);
  await assert.rejects(taker.take(1, onMessage), /lost/);
  assert.ok(taker.hasFailed);
  const {taker: refused, onMessage: other} = scripted(() => Promise.reject(new Error('refused')));
  await assert.rejects(refused.take(1, other), /refused/);
});
