import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Calls} from '../../../src/transports/nats/client.js';
import {promised} from '../../../src/transports/pending-replies.js';

/** Calls to a server that answers as the test says. */
function scriptedCalls() {
  /** @type {{payload: string, reply: string}[]} */
  const sent = [];
  const strays = {count: 0};
  const onStray = () => {
    strays.count += 1;
  };
  const publisher = {
    send: (/** @type {string} */ _, /** @type {Buffer} */ payload, /** @type {{reply: string}} */ {reply}) =>
      void sent.push({payload: String(payload), reply}),
  };
  const correlation = {ofRequest: () => 0, ofReply: () => 0, onStray};
  const calls = new Calls(/** @type {any} */ (publisher), 'subject', correlation);
  /** @type {(error: Error | null, message: any) => void} */
  let callback = () => {};
  calls.listen(
    /** @type {any} */ ({
      subscribe: (/** @type {string} */ _, /** @type {any} */ options) => {
        callback = options.callback;
      },
    }),
  );
  const answer = (
    /** @type {string} */ subject,
    /** @type {string} */ text,
    /** @type {object} */ more = {},
  ) => callback(null, {subject, data: Buffer.from(text), ...more});
  return {calls, request: promised((payload, waiting) => calls.ask(payload, waiting)), sent, answer, strays};
}

test('replies find their requests, in whatever order they come', async () => {
  const {request, sent, answer, strays} = scriptedCalls();
  const replies = ['a', 'b', 'c'].map((text) => request(Buffer.from(text)));
  for (const {payload, reply} of sent.toReversed()) answer(reply, payload.toUpperCase());
  assert.deepEqual((await Promise.all(replies)).map(String), ['A', 'B', 'C']);
  assert.equal(strays.count, 0);
});

test('a second reply, and one that nobody asked for, are strays', async () => {
  const {request, sent, answer, strays} = scriptedCalls();
  const reply = request(Buffer.from('a'));
  answer(sent[0].reply, 'first');
  answer(sent[0].reply, 'second');
  answer('_INBOX.other.1', 'nobody asked');
  assert.equal(String(await reply), 'first');
  assert.equal(strays.count, 2);
});

test('the parts of a reply are handed over until an empty one', async () => {
  const {request, sent, answer} = scriptedCalls();
  /** @type {string[]} */
  const parts = [];
  const reply = request(Buffer.from('a'), {onChunk: (chunk) => void parts.push(String(chunk))});
  for (const text of ['one', 'two', '']) answer(sent[0].reply, text);
  assert.equal((await reply).length, 0);
  assert.deepEqual(parts, ['one', 'two']);
});

test('a request to which nobody subscribes fails at once', async () => {
  const {request, sent, answer} = scriptedCalls();
  const reply = request(Buffer.from('a'), {onChunk: () => {}});
  answer(sent[0].reply, '', {headers: {code: 503}});
  await assert.rejects(reply, {code: 'PB_RETURNED', message: /\bsubject\b/});
});

test('all requests fail when the connection is lost, those to come included', async () => {
  const {calls, request} = scriptedCalls();
  const waiting = request(Buffer.from('a'));
  calls.fail(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  await assert.rejects(request(Buffer.from('b')), /gone/);
});
