import assert from 'node:assert/strict';
import {test} from 'node:test';
import {PendingReplies, promised} from '../../src/transports/pending-replies.js';
import {RequestSlot} from '../../src/workloads/request-window.js';

/**
 * @param {PendingReplies} pending
 * @param {Buffer} payload
 * @param {{onChunk: (chunk: Buffer) => void}} [parts]
 */
const request = (pending, payload, parts) =>
  promised((sent, waiting) => pending.add(sent, waiting))(payload, parts);

/** @param {number} id */
const message = (id) => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(id);
  return bytes;
};

function byId() {
  const strays = {count: 0};
  const read = (/** @type {Buffer} */ bytes) => (bytes.length < 4 ? Number.NaN : bytes.readUInt32BE());
  const correlation = {
    ofRequest: read,
    ofReply: read,
    onStray: () => {
      strays.count += 1;
    },
  };
  return {pending: new PendingReplies('lost', correlation), strays};
}

test('without a correlation the oldest request is answered first', async () => {
  const pending = new PendingReplies('lost');
  const replies = [1, 2, 3].map((id) => request(pending, message(id)));
  for (const text of ['a', 'b', 'c']) pending.take(Buffer.from(text));
  assert.deepEqual((await Promise.all(replies)).map(String), ['a', 'b', 'c']);
  pending.take(Buffer.from('nobody waits for this one'));
});

test('without a correlation the order is kept for any number of requests, and memory grows only with those that wait', () => {
  const pending = new PendingReplies('lost');
  /** @type {number[]} */
  const answered = [];
  let asked = 0;
  const ask = (/** @type {number} */ count) => {
    for (let index = 0; index < count; index += 1) {
      const number = asked++;
      pending.add(message(number), {
        onChunk: null,
        resolve: () => answered.push(number),
        reject: assert.fail,
      });
    }
  };
  ask(10);
  for (let round = 0; round < 5000; round += 1) {
    pending.take(message(0));
    ask(round === 7 ? 200 : 1);
  }
  for (let left = asked - answered.length; left > 0; left -= 1) pending.take(message(0));
  assert.equal(answered.length, 10 + 4999 + 200);
  assert.ok(answered.every((number, index) => number === index));
  const {waiting} = pending;
  assert.ok('ring' in waiting && waiting.ring.length === 256);
});

test('parts go to their own request until an empty one, and never to the next request', async () => {
  const pending = new PendingReplies('lost');
  /** @type {string[]} */
  const parts = [];
  const first = request(pending, message(1), {onChunk: (chunk) => parts.push(String(chunk))});
  const second = request(pending, message(2));
  for (const text of ['a', 'b', '', 'c']) pending.take(Buffer.from(text));
  assert.deepEqual([parts, (await first).length, String(await second)], [['a', 'b'], 0, 'c']);
});

test('with a correlation a reply answers its own request in any order', async () => {
  const {pending, strays} = byId();
  const ids = Array.from({length: 300}, (_, index) => index * 37);
  const replies = ids.map((id) => request(pending, message(id)));
  for (const id of ids.toReversed()) pending.take(message(id));
  assert.deepEqual(
    (await Promise.all(replies)).map((reply) => reply.readUInt32BE()),
    ids,
  );
  assert.equal(strays.count, 0);
});

test('ids that share a slot are distinguished', async () => {
  const {pending, strays} = byId();
  const ids = [5, 5 + 4096, 5 + 2 * 4096, 6];
  const replies = ids.map((id) => request(pending, message(id)));
  for (const id of [ids[1], ids[3], ids[0], ids[2]]) pending.take(message(id));
  assert.deepEqual(
    (await Promise.all(replies)).map((reply) => reply.readUInt32BE()),
    ids,
  );
  pending.take(message(ids[1]));
  assert.equal(strays.count, 1);
});

test('a reply that is a duplicate, has an unknown id or has no id is a stray', async () => {
  const {pending, strays} = byId();
  const reply = request(pending, message(1));
  for (const stray of [message(1), message(1), message(9), Buffer.alloc(2)]) pending.take(stray);
  await reply;
  assert.equal(strays.count, 3);
});

for (const [name, make] of /** @type {const} */ ([
  ['in order', () => new PendingReplies('The server closed the connection.')],
  ['by id', () => byId().pending],
])) {
  test(`when the connection is lost, all requests and each later one fail, ${name}`, async () => {
    const pending = make();
    const replies = [1, 2, 4097 + 1].map((id) => request(pending, message(id)));
    pending.fail(new Error('reset'));
    for (const reply of replies) await assert.rejects(reply, {code: 'PB_CONNECTION_LOST', message: /reset/});
    await assert.rejects(request(pending, message(3)), {code: 'PB_CONNECTION_LOST'});
    await assert.rejects(pending.closed, {code: 'PB_CONNECTION_LOST'});
  });

  test(`a slot of a window learns that the connection is lost, ${name}`, () => {
    const pending = make();
    /** @type {unknown[]} */
    const failures = [];
    const slot = new RequestSlot({take: () => {}, fail: (error) => void failures.push(error)}, 0);
    pending.add(message(1), slot);
    pending.fail(new Error('reset'));
    assert.equal(failures.length, 1);
  });

  test(`a close by the client fails the waiting requests, ${name}, and is not a failure itself`, async () => {
    const pending = make();
    const reply = request(pending, message(1));
    pending.finish();
    await assert.rejects(reply, {code: 'PB_CLOSED'});
    await pending.closed;
  });
}
