import assert from 'node:assert/strict';
import {test} from 'node:test';
import {configureRoles} from '../../src/battle/configure-roles.js';
import {battleOf} from './scripted-trials.js';

/**
 * The seeds that the roles of a trial get.
 * @param {number} round
 * @param {{transport?: string, seed?: string}} [battle]
 * @returns {Promise<number[]>}
 */
async function seedsIn(round, {transport = 'tcp', seed = '7'} = {}) {
  const {cells, values} = battleOf({seed: [seed]});
  const cell = cells.find((one) => one.transport === transport);
  /** @type {number[]} */
  const seeds = [];
  const role = {
    /** @param {any} message */
    send: ({options}) => void seeds.push(options.seed),
    waitFor: async () => ({event: 'ready', address: 'a:1', certificate: null, details: {}}),
  };
  const host = {listenAddress: null, addressFor: (/** @type {string} */ bound) => bound};
  const same = {offsetMs: 0, boundMs: 0};
  const context = {cell, round, values, names: {}, broker: null, hosts: {servers: [host], clients: [host]}};
  await configureRoles(
    /** @type {any} */ (context),
    /** @type {any} */ ({servers: [role], clients: [role]}),
    {servers: [same], clients: [same]},
    new AbortController().signal,
  );
  return seeds;
}

test('arrivals and payloads differ from round to round, and are the same for all roles and transports of a round', async () => {
  const [server, client] = await seedsIn(1);
  assert.equal(server, client);
  assert.ok(Number.isSafeInteger(server) && server >= 0);
  assert.deepEqual(await seedsIn(1, {transport: 'http'}), [server, client]);
  const rounds = await Promise.all([1, 2, 3, 4, 5].map((round) => seedsIn(round)));
  assert.equal(new Set(rounds.map(([seed]) => seed)).size, 5);
  assert.notDeepEqual(await seedsIn(1, {seed: '8'}), [server, client]);
});
