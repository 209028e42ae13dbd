import assert from 'node:assert/strict';
import {test} from 'node:test';
import {sumTimes} from '../../src/measure/system.js';

const one = {userMs: 10, systemMs: 20, maxRssBytes: 300, instance: '7@100'};

test('times of several processes are added up', () => {
  assert.deepEqual(sumTimes([one]), one);
  assert.deepEqual(sumTimes([one, one, one]), {
    ...{userMs: 30, systemMs: 60, maxRssBytes: 900},
    instance: '7@100 7@100 7@100',
  });
});

test('what cannot be had of one cannot be had of all', () => {
  assert.equal(sumTimes([one, null, one]), null);
  assert.equal(sumTimes([null, one]), null);
  assert.equal(sumTimes([]), null);
  assert.equal(sumTimes([one, {...one, maxRssBytes: null}])?.maxRssBytes, null);
});
