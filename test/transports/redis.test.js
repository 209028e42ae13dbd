import assert from 'node:assert/strict';
import {test} from 'node:test';
import {setImmediate as turn} from 'node:timers/promises';
import {lists, mediumOf, oneWay, readHeader, requestHeader} from '../../src/transports/redis/messages.js';
import {Publisher} from '../../src/transports/redis/publisher.js';

/** @import {Medium} from '../../src/transports/redis/medium.js' */

const message = Buffer.alloc(100 * 1024);
/** Messages of this size after which 4 MiB are under way. */
const room = 40;

/**
 * A server that answers a message only when told to.
 * @param {{medium?: Medium, window?: number}} [how]
 */
function scriptedServer({medium = lists, window} = {}) {
  /** @type {{resolve: (answer: unknown) => void, reject: (error: Error) => void}[]} */
  const answers = [];
  const post = () => new Promise((resolve, reject) => answers.push({resolve, reject}));
  /** @type {(error: Error) => void} */
  let end = () => {};
  /** @type {Promise<void>} */
  const closed = new Promise((_, reject) => {
    end = reject;
  });
  /** @type {string[]} */
  const lost = [];
  const connections = /** @type {any} */ ({
    writer: {},
    closed,
    lose: (/** @type {string} */ what) => lost.push(what),
  });
  const publisher = new Publisher(connections, {...medium, post, put: post}, {window});
  return {publisher, answers, lost, end};
}

/** @param {Promise<unknown>} promise */
async function isSettled(promise) {
  await turn();
  return await Promise.race([promise.then(() => true), turn(false)]);
}

/** As the library makes it. @param {string} text */
function refusal(text) {
  return Object.assign(new Error(text), {name: 'ReplyError'});
}

test('a publisher waits when 4 MiB have no answer, and goes on when some have', async () => {
  const {publisher, answers} = scriptedServer();
  const posted = Array.from({length: room + 1}, () => publisher.post('key', oneWay, message));
  assert.equal(posted.indexOf(false), room);
  const drained = publisher.drained();
  assert.equal(await isSettled(drained), false);
  for (const {resolve} of answers.slice(0, 2)) resolve(1);
  assert.equal(await isSettled(drained), true);
});

test('a publisher waits when a window of messages has no answer', async () => {
  const {publisher, answers} = scriptedServer({window: 2});
  const posted = [1, 2].map(() => publisher.post('key', oneWay, Buffer.from('a')));
  assert.deepEqual(posted, [true, false]);
  const flushed = publisher.flushed();
  answers[0].resolve(1);
  assert.equal(await isSettled(flushed), false);
  answers[1].resolve(2);
  assert.deepEqual(await flushed, {confirmed: 2});
});

test('each message gets its own outcome, and one that the server refuses is not confirmed', async () => {
  const {publisher, answers, lost} = scriptedServer();
  /** @type {string[]} */
  const outcomes = [];
  for (const name of ['a', 'b', 'c'])
    publisher.put('key', Buffer.from(name), {
      confirmed: () => outcomes.push(`${name} confirmed`),
      refused: () => outcomes.push(`${name} refused`),
    });
  answers[0].resolve(1);
  answers[1].reject(refusal('OOM command not allowed'));
  answers[2].resolve(2);
  assert.deepEqual(await publisher.flushed(), {confirmed: 2});
  assert.deepEqual(outcomes, ['a confirmed', 'b refused', 'c confirmed']);
  assert.deepEqual(lost, []);
});

test('a message without an outcome that the server refuses ends the connection', async () => {
  const {publisher, answers, lost} = scriptedServer();
  publisher.post('key', oneWay, message);
  answers[0].reject(refusal('OOM command not allowed'));
  await assert.rejects(publisher.flushed(), {code: 'PB_NACK', message: /refused a message: OOM/});
  assert.equal(lost.length, 1);
});

test('what was not answered before the connection was lost has no outcome', async () => {
  const {publisher, answers, end} = scriptedServer();
  const never = () => assert.fail('it is not known');
  publisher.put('key', message, {confirmed: never, refused: never});
  answers[0].reject(new Error('Connection is closed.'));
  end(new Error('gone'));
  await assert.rejects(publisher.flushed(), /gone/);
});

test('a channel without a subscriber loses the server, and confirms nothing', async () => {
  const medium = mediumOf({redisVia: 'pubsub'});
  const heard = scriptedServer({medium});
  heard.publisher.post('key', oneWay, message);
  heard.answers[0].resolve(1);
  assert.deepEqual(await heard.publisher.flushed(), {confirmed: null});
  const unheard = scriptedServer({medium});
  unheard.publisher.post('key', oneWay, message);
  unheard.answers[0].resolve(0);
  await assert.rejects(unheard.publisher.flushed(), {code: 'PB_RETURNED'});
});

test('many messages are answered in their order', async () => {
  const {publisher, answers} = scriptedServer();
  /** @type {number[]} */
  const confirmed = [];
  for (let number = 0; number < 5000; number += 1) {
    publisher.put('key', Buffer.alloc(0), {confirmed: () => confirmed.push(number), refused: assert.fail});
    if (number % 2 === 1) answers.shift()?.resolve(1);
    if (number % 500 === 0) await turn();
  }
  for (const {resolve} of answers) resolve(1);
  assert.deepEqual(await publisher.flushed(), {confirmed: 5000});
  assert.deepEqual(
    confirmed,
    Array.from({length: 5000}, (_, number) => number),
  );
});

test('the header of a request has its number and where its reply goes', () => {
  const replyTo = 'perf-battle:replies:1f0-3-1-0';
  assert.deepEqual(readHeader(requestHeader(17, replyTo)), {number: '17', replyTo});
});
