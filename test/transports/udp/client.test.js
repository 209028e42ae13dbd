import assert from 'node:assert/strict';
import {test} from 'node:test';
import {promised} from '../../../src/transports/pending-replies.js';
import {Calls} from '../../../src/transports/udp/client.js';

/** Calls over a session that keeps what is written. */
function scriptedCalls() {
  /** @type {{id: number, text: string}[]} */
  const sent = [];
  const strays = {count: 0};
  const onStray = () => {
    strays.count += 1;
  };
  const session = {
    write: (/** @type {number} */ id, /** @type {Buffer} */ payload) => {
      sent.push({id, text: String(payload)});
      return true;
    },
    flush() {},
  };
  const calls = new Calls(session, {ofRequest: () => 0, ofReply: () => 0, onStray});
  return {calls, request: promised((payload, waiting) => calls.ask(payload, waiting)), sent, strays};
}

test('replies find their requests, in whatever order they come', async () => {
  const {calls, request, sent, strays} = scriptedCalls();
  const replies = ['a', 'b', 'c'].map((text) => request(Buffer.from(text)));
  for (const {id, text} of sent.toReversed()) calls.take(id, Buffer.from(text.toUpperCase()));
  assert.deepEqual((await Promise.all(replies)).map(String), ['A', 'B', 'C']);
  assert.equal(strays.count, 0);
});

test('a second reply, and one that nobody asked for, are strays', async () => {
  const {calls, request, sent, strays} = scriptedCalls();
  const reply = request(Buffer.from('a'));
  for (const id of [sent[0].id, sent[0].id, 77]) calls.take(id, Buffer.from('reply'));
  assert.equal(String(await reply), 'reply');
  assert.equal(strays.count, 2);
});

test('the parts of a reply are handed over until an empty one', async () => {
  const {calls, request, sent} = scriptedCalls();
  /** @type {string[]} */
  const parts = [];
  const reply = request(Buffer.from('a'), {onChunk: (part) => void parts.push(String(part))});
  for (const text of ['one', 'two', '']) calls.take(sent[0].id, Buffer.from(text));
  assert.equal((await reply).length, 0);
  assert.deepEqual(parts, ['one', 'two']);
});

test('no request has the id of one-way messages, also after the last id', () => {
  const {calls, request, sent} = scriptedCalls();
  calls.lastUsed = 2 ** 32 - 2;
  for (const text of ['a', 'b']) request(Buffer.from(text)).catch(() => {});
  assert.deepEqual(
    sent.map(({id}) => id),
    [2 ** 32 - 1, 1],
  );
});

for (const {what, end, code} of [
  {what: 'ends', end: (/** @type {Calls} */ calls) => calls.fail(new Error('gone')), code: undefined},
  {what: 'is closed', end: (/** @type {Calls} */ calls) => calls.finish(), code: 'PB_CLOSED'},
]) {
  test(`all requests fail when the session ${what}, and later ones too`, async () => {
    const {calls, request} = scriptedCalls();
    const before = request(Buffer.from('a'));
    end(calls);
    for (const reply of [before, request(Buffer.from('b'))])
      await assert.rejects(reply, (error) => /** @type {any} */ (error).code === code);
    if (code === undefined) await assert.rejects(calls.closed, /gone/);
    else await calls.closed;
  });
}
