import assert from 'node:assert/strict';
import {EventEmitter} from 'node:events';
import {test} from 'node:test';
import {Transactions} from '../../../src/transports/rabbitmq/transactions.js';

/** A channel that writes down what it is asked. Its commits wait for `answer`. */
class Channel extends EventEmitter {
  /** @type {string[]} */
  sent = [];
  /** @type {((error: Error | null) => void)[]} */
  unanswered = [];

  /** @param {string} _exchange @param {string} _key @param {Buffer} payload */
  publish(_exchange, _key, payload) {
    this.sent.push(String(payload));
    return String(payload) !== 'too much';
  }

  /** @param {{content: Buffer}} message */
  ack({content}) {
    this.sent.push(`ack ${content}`);
  }

  async cancel() {
    this.sent.push('cancel');
  }

  async checkQueue() {}
  async deleteQueue() {}
  async deleteExchange() {}

  /** @param {number} method */
  async rpc(method) {
    // AMQP 0-9-1: tx is class 90, of which method 10 is select and method 20 is commit.
    assert.equal(method >> 16, 90);
    if ((method & 0xffff) === 10) return;
    assert.equal(method & 0xffff, 20);
    this.sent.push('commit');
    await new Promise((resolve, reject) => {
      this.unanswered.push((error) => (error ? reject(error) : resolve(null)));
    });
  }

  /** @param {Error | null} error */
  async answer(error = null) {
    this.unanswered.shift()?.(error);
    await turn();
  }
}

async function turn() {
  await new Promise((resolve) => setImmediate(resolve));
}

async function open() {
  const channel = new Channel();
  const transactions = await Transactions.select(/** @type {any} */ (channel));
  /** @type {unknown[]} */
  const committed = [];
  const put = (/** @type {string} */ text) =>
    /** @type {any} */ (channel).publish('', 'key', Buffer.from(text), {}, (/** @type {Error} */ error) =>
      committed.push(error?.message ?? text),
    );
  return {channel, transactions, put, committed};
}

test('what comes in one turn is committed together, and counts when the broker has answered', async () => {
  const {channel, put, committed} = await open();
  assert.ok(put('one') && put('two'));
  await turn();
  assert.deepEqual(channel.sent, ['one', 'two', 'commit']);
  assert.deepEqual(committed, []);
  await channel.answer();
  assert.deepEqual(committed, ['one', 'two']);
  assert.equal(channel.sent.length, 3, 'nothing is left to commit');
});

test('nothing is sent before a commit is answered; a publisher waits for drain', async () => {
  const {channel, put, committed, transactions} = await open();
  let drains = 0;
  channel.on('drain', () => {
    drains += 1;
  });
  put('one');
  await turn();
  assert.equal(put('two'), false);
  channel.ack({content: Buffer.from('a request')});
  const cancelled = channel.cancel();
  const all = transactions.committed();
  await turn();
  assert.deepEqual(channel.sent, ['one', 'commit']);
  await channel.answer();
  assert.deepEqual(channel.sent, ['one', 'commit', 'two', 'ack a request', 'commit']);
  assert.deepEqual([committed, drains], [['one'], 1]);
  await channel.answer();
  await Promise.all([all, cancelled]);
  assert.deepEqual(committed, ['one', 'two']);
  assert.equal(channel.sent.at(-1), 'cancel');
});

test('what a callback publishes is committed next', async () => {
  const {channel, committed, put} = await open();
  /** @type {any} */ (channel).publish('', 'key', Buffer.from('one'), {}, () => put('two'));
  await turn();
  await channel.answer();
  assert.deepEqual(channel.sent, ['one', 'commit', 'two', 'commit']);
  await channel.answer();
  assert.deepEqual(committed, ['two']);
});

test('a full buffer is passed on, and says by itself when it has room', async () => {
  const {channel, put} = await open();
  let drains = 0;
  channel.on('drain', () => {
    drains += 1;
  });
  assert.equal(put('too much'), false);
  await turn();
  assert.equal(put('too much'), false);
  await channel.answer();
  assert.equal(drains, 0);
});

test('a commit that fails is an error of all that it has', async () => {
  const {channel, put, committed, transactions} = await open();
  put('one');
  await turn();
  const all = transactions.committed();
  all.catch(() => {});
  await channel.answer(new Error('closed'));
  await channel.answer(new Error('closed'));
  assert.deepEqual(committed, ['closed']);
  await assert.rejects(all, /closed/);
});
