import assert from 'node:assert/strict';
import {test} from 'node:test';
import {namesOfPlaces, needsHere, onThisClock} from '../../../src/session/faults/plan-faults.js';

/** @import {Broker} from '../../../src/brokers/kind.js' */

const onBroker = [{broker: 'x', stores: true}];
const direct = [{broker: null, stores: false}];

test('a fault needs what only this host has, if that is where it is not', () => {
  for (const [fault, where, rows, expected] of /** @type {const} */ ([
    ['kill-server', {server: true, broker: true}, direct, null],
    ['pause-server', {server: true, broker: true}, direct, null],
    ['slow-consumer', {server: true, broker: true}, direct, /a server on this host/],
    ['slow-consumer', {server: false, broker: true}, onBroker, null],
    ['slow-consumer', {server: true, broker: true}, onBroker, null],
    ['kill-broker', {server: true, broker: true}, onBroker, null],
    ['kill-consumer', {server: false, broker: true}, onBroker, null],
    ['power-loss', {server: true, broker: true}, onBroker, null],
    ['fill-disk', {server: false, broker: true}, onBroker, null],
    ['cut-network', {server: true, broker: true}, direct, /a network within this host/],
    ['cut-network', {server: false, broker: true}, direct, null],
    ['cut-connection', {server: false, broker: true}, onBroker, /connections within this host/],
    ['cut-connection', {server: false, broker: false}, onBroker, null],
  ])) {
    const needed = needsHere(fault, where, rows);
    if (expected === null) assert.equal(needed, null, fault);
    else assert.match(String(needed), expected, fault);
  }
});

test('what is done to a broker on another host has the times of this one', async () => {
  const perform = async () => ({fromMs: -5, atMs: -1, copy: 3});
  const brokerOn = (/** @type {boolean} */ isRemote) =>
    onThisClock(/** @type {Broker} */ (/** @type {unknown} */ ({hosts: [{isRemote}], perform})));
  const here = await brokerOn(false).perform?.({type: 'kill'});
  assert.deepEqual(here, {fromMs: -5, atMs: -1, copy: 3});
  const there = await brokerOn(true).perform?.({type: 'kill'});
  assert.ok(there && there.fromMs > 0 && there.atMs >= there.fromMs);
  assert.equal(there.copy, 3);
});

test('the record has the names of other hosts: a private broker is with the servers, unless it has a host of its own', () => {
  const namesIn = (/** @type {string[] | null} */ serverOn, /** @type {string[] | null} */ brokerOn) =>
    namesOfPlaces(/** @type {any} */ ({values: {serverOn, brokerOn}}));
  assert.equal(namesIn(null, null), null);
  assert.deepEqual(namesIn(['a'], null), {server: 'a', broker: 'a'});
  assert.deepEqual(namesIn(null, ['b']), {server: null, broker: 'b'});
  assert.deepEqual(namesIn(['a'], ['b']), {server: 'a', broker: 'b'});
});
