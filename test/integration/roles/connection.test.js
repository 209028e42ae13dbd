import assert from 'node:assert/strict';
import {test} from 'node:test';
import {RunError} from '../../../src/errors.js';
import {Connection} from '../../../src/roles/connection.js';
import {workloads} from '../../../src/workloads/index.js';

/** @param {number} failures how often there is no server yet @param {Record<string, unknown>} more settings */
async function connectAfter(failures, more) {
  let tries = 0;
  const connect = async () => {
    tries += 1;
    if (tries <= failures) throw new RunError('no consumer', {code: 'PB_NO_SERVER'});
    return {close: async () => {}};
  };
  const role = {output: {warn: () => {}}, signal: new AbortController().signal};
  const connection = new Connection(/** @type {any} */ (connect), /** @type {any} */ (role));
  const settings = {workload: 'queue', timeoutMs: 1000, answer: 'echo', ...more};
  await connection.prepareFor(/** @type {any} */ (settings), workloads.queue, /** @type {any} */ ({}));
  return tries;
}

test('in a battle, where the server is ready, a node of a cluster may know its consumer later', async () => {
  assert.equal(await connectAfter(1, {servers: ['10.0.0.1:1']}), 2);
});

test('a client by hand that is to wait for nothing fails at once', async () => {
  const byHand = {serverAddress: 'localhost', serverPort: 1, connectTimeoutMs: 0};
  await assert.rejects(connectAfter(1, byHand), {
    code: 'PB_NO_SERVER',
    message: 'No server could be reached: no consumer',
  });
});

test('a new connection is tried again while nobody listens, unless its caller waits by itself', async () => {
  let tries = 0;
  const connect = async () => {
    tries += 1;
    if (tries === 1) return {close: async () => {}};
    throw Object.assign(new Error('refused'), {code: 'ECONNREFUSED'});
  };
  const role = {output: {warn: () => {}}, signal: new AbortController().signal};
  const connection = new Connection(/** @type {any} */ (connect), /** @type {any} */ (role));
  const settings = {workload: 'rtt', timeoutMs: 450, answer: 'echo', servers: ['10.0.0.1:1']};
  await connection.prepareFor(/** @type {any} */ (settings), workloads.rtt, /** @type {any} */ ({}));
  const triesOf = async (/** @type {{waitMs?: number}} */ how) => {
    tries = 1;
    await assert.rejects(connection.renew(how), {code: 'PB_NO_SERVER'});
    return tries - 1;
  };
  assert.equal(await triesOf({}), 3);
  assert.equal(await triesOf({waitMs: 0}), 1);
});
