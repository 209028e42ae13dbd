import assert from 'node:assert/strict';
import {test} from 'node:test';
import {warmUp} from '../../src/battle/measure-trial.js';

test('roles that warm up hear something again and again, and nothing more when they are warm', async ({
  mock,
}) => {
  mock.timers.enable({apis: ['setInterval']});
  /** @type {Record<string, string[]>} */
  const heard = {client: [], server: []};
  /** @type {(event: object) => void} */
  let becomeWarm = () => {};
  const warm = new Promise((resolve) => {
    becomeWarm = resolve;
  });
  const role = (/** @type {'client' | 'server'} */ name) => ({
    awaited: null,
    send: (/** @type {{type: string}} */ {type}) => void heard[name].push(type),
    waitFor: async () => await warm,
  });
  const roles = /** @type {any} */ ({clients: [role('client')], servers: [role('server')]});
  const values = /** @type {any} */ ({timeoutMs: 1000});
  const warming = warmUp({values}, roles, new AbortController().signal);
  mock.timers.tick(100);
  becomeWarm({event: 'progress', phase: 'warm', sent: 0, typicalMs: 0.2});
  assert.equal(await warming, 0.2);
  mock.timers.tick(100);
  assert.deepEqual(heard.server, Array(5).fill('beat'));
  assert.deepEqual(heard.client, ['start', ...heard.server]);
});
