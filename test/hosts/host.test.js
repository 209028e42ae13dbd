import assert from 'node:assert/strict';
import {test} from 'node:test';
import {roundRobin} from '../../src/hosts/host.js';

test('roles are spread over the nodes of a cluster, one after the other', () => {
  const ports = Array.from({length: 7}, (_, index) => roundRobin([5001, 5002, 5003], index));
  assert.deepEqual(ports, [5001, 5002, 5003, 5001, 5002, 5003, 5001]);
});

test('all roles use the one node there is', () => {
  assert.equal(roundRobin([5001], 4), 5001);
});
