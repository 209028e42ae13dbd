import assert from 'node:assert/strict';
import {test} from 'node:test';
import {standalone} from '../../../../src/report/charts/parts.js';
import {ratesOverSize} from '../../../../src/report/page/charts/over-size.js';
import {assertWellFormed} from '../../charts/well-formed.js';

test('a configuration has a line with a point for each size, and a rate of zero has none', () => {
  const svg = ratesOverSize(
    [
      {configuration: 'linux,i7', size: 0, callsPerSecond: 82_000},
      {configuration: 'linux,i7', size: 53, callsPerSecond: 18_593},
      {configuration: 'AIX <7.2>', size: 0, callsPerSecond: 27_085},
      {configuration: 'AIX <7.2>', size: 53, callsPerSecond: 0},
    ],
    'Calls per second',
  );
  assertWellFormed(standalone(svg));
  assert.deepEqual(
    [...svg.matchAll(/<title>(.*?)<\/title>/g)].map(([, text]) => text),
    ['linux,i7, 0 KB: 82000/s', 'linux,i7, 53 KB: 18593/s', 'AIX &lt;7.2&gt;, 0 KB: 27085/s'],
  );
});
