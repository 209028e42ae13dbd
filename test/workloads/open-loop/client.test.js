import assert from 'node:assert/strict';
import {test} from 'node:test';
import {connectionsNeeded} from '../../../src/workloads/open-loop/client.js';

for (const {load, count, why} of [
  {
    load: {rate: 500, serviceMs: 0.4, limit: 1000},
    count: 16,
    why: '0.2 in flight: what a late sender sends at once',
  },
  {load: {rate: 8000, serviceMs: 2.5, limit: 1000}, count: 40, why: '20 in flight: twice as many'},
  {load: {rate: 8000, serviceMs: 500, limit: 1000}, count: 1000, why: '4000 in flight: the window'},
  {load: {rate: 500, serviceMs: 0.4, limit: 4}, count: 4, why: 'a window smaller than all that'},
])
  test(`an open loop needs ${count} connections for ${why}`, () => {
    assert.equal(connectionsNeeded(load), count);
  });
