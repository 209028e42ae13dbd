import assert from 'node:assert/strict';
import {test} from 'node:test';
import {BrokeredCalls} from '../../src/transports/brokered-calls.js';
import {promised} from '../../src/transports/pending-replies.js';

/** Calls to a server that answers as the test says. */
function scriptedCalls() {
  /** @type {{number: number, text: string}[]} */
  const sent = [];
  const strays = {count: 0};
  const onStray = () => {
    strays.count += 1;
  };
  const correlation = {ofRequest: () => 0, ofReply: () => 0, onStray};
  const send = (/** @type {Buffer} */ payload, /** @type {{number: number}} */ {number}) => {
    if (payload.length > 9) throw new Error('too large');
    sent.push({number, text: String(payload)});
  };
  const calls = new BrokeredCalls(correlation, send, {isAcknowledged: true});
  return {calls, request: promised((payload, waiting) => calls.ask(payload, waiting)), sent, strays};
}

test('replies find their requests in any order; a second one, and one that nobody asked for, are strays', async () => {
  const {calls, request, sent, strays} = scriptedCalls();
  const replies = ['a', 'b', 'c'].map((text) => request(Buffer.from(text)));
  for (const {number, text} of sent.toReversed()) calls.take(number, Buffer.from(text.toUpperCase()));
  assert.deepEqual((await Promise.all(replies)).map(String), ['A', 'B', 'C']);
  calls.take(sent[0].number, Buffer.from('again'));
  calls.take(99, Buffer.from('nobody asked'));
  assert.equal(strays.count, 2);
});

test('the parts of a reply are handed over until an empty one', async () => {
  const {calls, request, sent} = scriptedCalls();
  /** @type {string[]} */
  const parts = [];
  const reply = request(Buffer.from('a'), {onChunk: (chunk) => void parts.push(String(chunk))});
  for (const text of ['one', 'two', '']) calls.take(sent[0].number, Buffer.from(text));
  assert.equal((await reply).length, 0);
  assert.deepEqual(parts, ['one', 'two']);
});

test('all requests fail when the connection is lost, those to come included', async () => {
  const {calls, request} = scriptedCalls();
  const waiting = request(Buffer.from('a'));
  calls.fail(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  await assert.rejects(request(Buffer.from('b')), /gone/);
});

test('a request that cannot be sent fails alone', async () => {
  const {calls, request, sent} = scriptedCalls();
  await assert.rejects(request(Buffer.alloc(10)), /too large/);
  const reply = request(Buffer.from('a'));
  calls.take(sent[0].number, Buffer.from('A'));
  assert.equal(String(await reply), 'A');
});
