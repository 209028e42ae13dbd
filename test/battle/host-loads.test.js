import assert from 'node:assert/strict';
import {test} from 'node:test';
import {hostLoads} from '../../src/battle/host-loads.js';

const [alpha, beta, gamma] = ['alpha', 'beta', 'gamma'].map((name) => /** @type {any} */ ({name}));
const host = {busyMs: 1000, stealMs: 0, capacityMs: 4000};
/** @param {number} cpuMs @param {Record<string, number> | null} [seen] */
const used = (cpuMs, seen = host) => /** @type {any} */ ({userMs: cpuMs, systemMs: 0, host: seen});
/** @param {any[]} loads */
const ours = (loads) => Object.fromEntries(loads.map(({host: name, oursMs}) => [name, oursMs]));
/** @param {any[]} hosts */
const private100 = (hosts) => ({usage: {userMs: 60, systemMs: 40}, hosts});

test('on one host all that is ours counts, and the host once', () => {
  const hosts = {clients: [alpha], servers: [alpha]};
  const broker = private100([alpha]);
  const loads = hostLoads(hosts, {clients: [used(10), used(20)], servers: [used(5)], broker});
  assert.deepEqual(loads, [{host: 'alpha', ...host, oursMs: 135}]);
});

test('on several each has its own, roles in turn', () => {
  const hosts = {clients: [alpha, beta], servers: [gamma]};
  const loads = hostLoads(hosts, {
    clients: [used(1), used(2), used(4)],
    servers: [used(8)],
    broker: private100([gamma]),
  });
  assert.deepEqual(ours(loads), {alpha: 5, beta: 2, gamma: 108});
});

test('a broker that is not seen leaves unknown what is ours, where it may stand', () => {
  const hosts = {clients: [alpha], servers: [beta]};
  const roles = {clients: [used(1)], servers: [used(2)]};
  const unseen = {...roles, broker: {usage: null, hosts: [beta]}};
  assert.deepEqual(ours(hostLoads(hosts, unseen)), {alpha: 1, beta: null});
  assert.deepEqual(ours(hostLoads(hosts, {...roles, broker: {usage: null, hosts: null}})), {
    alpha: null,
    beta: null,
  });
});

test('the nodes of a cluster on several hosts are not told apart', () => {
  const hosts = {clients: [alpha], servers: [beta]};
  const loads = hostLoads(hosts, {clients: [used(1)], servers: [used(2)], broker: private100([beta, gamma])});
  assert.deepEqual(ours(loads), {alpha: 1, beta: null});
});

test('hosts that do not tell are left out', () => {
  const hosts = {clients: [alpha], servers: [beta]};
  const loads = hostLoads(hosts, {clients: [used(1, null)], servers: [used(2)], broker: null});
  assert.deepEqual(ours(loads), {beta: 2});
});
