import assert from 'node:assert/strict';
import {test} from 'node:test';
import {setImmediate as turn} from 'node:timers/promises';
import {streamsOf} from '../../src/brokers/nats/connection.js';
import {Calls} from '../../src/transports/jetstream/client.js';
import jetstream from '../../src/transports/jetstream/index.js';
import {
  consume,
  JetStreamApiError,
  outstandingOf,
  outstandingRequests,
  replyHeader,
  StreamPublisher,
} from '../../src/transports/jetstream/stream.js';
import {promised} from '../../src/transports/pending-replies.js';

/** A stream that acknowledges and refuses only when it is told to. */
function scriptedStream() {
  /** @type {{text: string, reply: string | undefined, acknowledge: () => void, refuse: (error: Error) => void}[]} */
  const sent = [];
  const js = {
    publish: (/** @type {string} */ _, /** @type {Buffer} */ payload, /** @type {any} */ {headers} = {}) =>
      new Promise((resolve, reject) => {
        sent.push({
          text: String(payload),
          reply: headers?.get(replyHeader),
          acknowledge: () => resolve({}),
          refuse: reject,
        });
      }),
  };
  return {js: /** @type {any} */ (js), sent};
}

function scriptedCalls() {
  const {js, sent} = scriptedStream();
  const strays = {count: 0};
  const onStray = () => {
    strays.count += 1;
  };
  const calls = new Calls(js, 'subject', {ofRequest: () => 0, ofReply: () => 0, onStray});
  /** @type {(error: Error | null, message: any) => void} */
  let callback = () => {};
  const subscribe = (/** @type {string} */ _, /** @type {any} */ options) => {
    callback = options.callback;
  };
  calls.listen(/** @type {any} */ ({subscribe}));
  const answer = (/** @type {string | undefined} */ subject, /** @type {string} */ text) =>
    callback(null, {subject, data: Buffer.from(text)});
  const request = promised((payload, waiting) => calls.ask(payload, waiting));
  return {calls, request, sent, answer, strays};
}

/** @param {Promise<unknown>} promise */
async function isSettled(promise) {
  await turn();
  return await Promise.race([promise.then(() => true), turn(false)]);
}

const refusal = new JetStreamApiError({code: 503, err_code: 10077, description: 'maximum messages exceeded'});

for (const first of ['acknowledgement', 'reply'])
  test(`a round trip ends when the reply and the acknowledgement are in, the ${first} first`, async () => {
    const {request, sent, answer} = scriptedCalls();
    const reply = request(Buffer.from('a'));
    const steps = [() => sent[0].acknowledge(), () => answer(sent[0].reply, 'A')];
    const [one, other] = first === 'reply' ? steps.toReversed() : steps;
    one();
    assert.equal(await isSettled(reply), false);
    other();
    assert.equal(String(await reply), 'A');
  });

test('a request that has its reply fails if its acknowledgement is a refusal, or the connection ends before it', async () => {
  const {calls, request, sent, answer, strays} = scriptedCalls();
  const [refused, lost] = ['a', 'b'].map((text) => request(Buffer.from(text)));
  for (const {reply} of sent) answer(reply, 'A');
  answer(sent[0].reply, 'again');
  assert.equal(strays.count, 1);
  sent[0].refuse(refusal);
  await assert.rejects(refused, {code: 'PB_NACK'});
  calls.fail(new Error('gone'));
  await assert.rejects(lost, {message: 'gone'});
});

test('replies find their requests, and one that nobody waits for is a stray', async () => {
  const {request, sent, answer, strays} = scriptedCalls();
  const replies = ['a', 'b', 'c'].map((text) => request(Buffer.from(text)));
  for (const {acknowledge} of sent) acknowledge();
  for (const {text, reply} of sent.toReversed()) answer(reply, text.toUpperCase());
  assert.deepEqual((await Promise.all(replies)).map(String), ['A', 'B', 'C']);
  answer(sent[0].reply, 'again');
  assert.equal(strays.count, 1);
});

test('a request that the stream refuses fails with the words of the server', async () => {
  const {request, sent} = scriptedCalls();
  const reply = request(Buffer.from('a'));
  sent[0].refuse(refusal);
  await assert.rejects(reply, {code: 'PB_NACK', message: /maximum messages exceeded/});
});

test('a request of a size that a consumer could never take is refused before it is sent', async () => {
  const {request, sent} = scriptedCalls();
  await assert.rejects(request(Buffer.alloc(24 * 1024 ** 2)), {
    code: 'PB_NACK',
    message: /takes messages of at most/,
  });
  assert.equal(sent.length, 0);
});

test('all requests fail when the connection is lost, those to come included', async () => {
  const {calls, request} = scriptedCalls();
  const waiting = request(Buffer.from('a'));
  calls.fail(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  await assert.rejects(request(Buffer.from('b')), /gone/);
});

/** @param {number} window */
function scriptedPublisher(window) {
  const {js, sent} = scriptedStream();
  /** @type {(error: Error) => void} */
  let lose = () => {};
  /** @type {Promise<void>} */
  const closed = new Promise((_, reject) => {
    lose = reject;
  });
  return {publisher: new StreamPublisher(js, 'subject', {window, closed}), sent, lose};
}

test('a publisher waits for an acknowledgement when its window is full, and counts what was confirmed', async () => {
  const {publisher, sent} = scriptedPublisher(2);
  assert.deepEqual([publisher.publish(Buffer.from('a')), publisher.publish(Buffer.from('b'))], [true, false]);
  const drained = publisher.drained();
  assert.equal(await isSettled(drained), false);
  sent[0].acknowledge();
  assert.equal(await isSettled(drained), true);
  const flushed = publisher.flushed();
  assert.equal(await isSettled(flushed), false);
  sent[1].acknowledge();
  assert.deepEqual(await flushed, {confirmed: 2});
});

test('a message that the stream refuses fails a publisher, unless its outcome was asked for', async () => {
  const {publisher, sent} = scriptedPublisher(9);
  /** @type {string[]} */
  const outcomes = [];
  const outcome = {
    confirmed: () => void outcomes.push('confirmed'),
    refused: () => void outcomes.push('refused'),
  };
  for (const text of ['a', 'b', 'c']) publisher.publish(Buffer.from(text), outcome);
  sent[0].acknowledge();
  sent[1].refuse(refusal);
  // The connection was lost: nobody knows what became of the message.
  sent[2].refuse(new Error('connection closed'));
  assert.deepEqual(await publisher.flushed(), {confirmed: 1});
  assert.deepEqual(outcomes, ['confirmed', 'refused']);
  publisher.publish(Buffer.from('d'));
  sent[3].refuse(refusal);
  await assert.rejects(publisher.flushed(), {code: 'PB_NACK'});
});

test('a publisher fails with its connection', async () => {
  const {publisher, lose} = scriptedPublisher(1);
  publisher.publish(Buffer.from('a'));
  const drained = publisher.drained();
  lose(new Error('gone'));
  await assert.rejects(drained, /gone/);
});

test('the streams of a subject have names without dots, and subjects that core NATS does not use', () => {
  const {requestStream, requests, presence, storeStream, store} = streamsOf({subject: 'a.b-1'});
  assert.deepEqual(
    [requestStream, requests],
    ['a_b-1_jetstream_file_requests', 'a.b-1.jetstream.file.requests'],
  );
  // Pairs with both kinds of storage may run side by side under one name.
  const inMemory = streamsOf({subject: 'a.b-1', jetstreamStorage: 'memory'});
  assert.notEqual(inMemory.requestStream, requestStream);
  assert.notEqual(inMemory.presence, presence);
  assert.deepEqual(
    [storeStream('x-0'), store('x-0')],
    ['a_b-1_jetstream_store_x-0', 'a.b-1.jetstream.store.x-0'],
  );
});

test('syncing has no meaning in memory, and the note on the disk is below rows that do not wait for it', () => {
  const variant = (
    /** @type {'memory' | 'file'} */ jetstreamStorage,
    /** @type {'interval' | 'always'} */ jetstreamSync,
  ) => ({
    jetstreamStorage,
    jetstreamSync,
  });
  assert.deepEqual(jetstream.ignores(variant('memory', 'always')), ['jetstreamSync']);
  assert.deepEqual(jetstream.ignores(variant('file', 'always')), []);
  assert.equal(jetstream.notesOn([variant('memory', 'interval'), variant('file', 'always')]).length, 0);
  assert.match(jetstream.notesOn([variant('file', 'interval')])[0], /--jetstream-sync always/);
});

test('a taker asks for messages by their number: the library and the server count bytes differently, and then nothing comes for half a minute', async () => {
  /** @type {any[]} */
  const asked = [];
  const consumer = /** @type {any} */ ({
    consume: async (/** @type {any} */ how) => {
      asked.push(how);
      return {closed: () => new Promise(() => {})};
    },
  });
  await consume(consumer, {onMessage() {}, onEnd() {}, outstanding: outstandingRequests({})});
  assert.deepEqual([asked[0].max_messages, asked[0].max_bytes], [24, undefined]);
  assert.ok(asked[0].threshold_messages < 24);
  assert.deepEqual(
    [1024, 1_024_000, 4e6, 30e6].map((payloadBytes) => outstandingRequests({payloadBytes})),
    [24, 24, 6, 1],
  );
});

test('as many messages are on their way as fit into the bound of the server, by their mean size in the stream', async () => {
  const managerOf = (/** @type {number} */ messages, /** @type {number} */ bytes) =>
    /** @type {any} */ ({streams: {info: async () => ({state: {messages, bytes}})}});
  for (const [messages, bytes, expected] of [
    [0, 0, 24],
    [5000, 5000 * 1100, 100],
    [10, 10 * 1_024_100, 24],
    [2, 2 * 20e6, 1],
    [1, 60e6, 1],
  ])
    assert.equal(
      await outstandingOf(managerOf(messages, bytes), 'stream'),
      expected,
      `${messages} of ${bytes}`,
    );
});
