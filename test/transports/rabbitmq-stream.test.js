import assert from 'node:assert/strict';
import {test} from 'node:test';
import {creditPolicy} from '../../src/transports/rabbitmq-stream/connection.js';

test('a consumer asks for a chunk for each that it has, and a lost connection does not end the process', async () => {
  /** @type {number[]} */
  const asked = [];
  await creditPolicy.onChunkCompleted(async (/** @type {number} */ howMany) => asked.push(howMany));
  assert.deepEqual([creditPolicy.onSubscription(), asked], [1, [1]]);
  await creditPolicy.onChunkCompleted(() => Promise.reject(new Error('write ECONNRESET')));
});
