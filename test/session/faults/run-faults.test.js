import assert from 'node:assert/strict';
import {test} from 'node:test';
import {placesOf} from '../../../src/session/faults/run-faults.js';

/** @import {FoundOfRow} from '../../../src/faults/found.js' */

/** @param {Partial<FoundOfRow['row']>} row */
function rowOf(row) {
  const own = {transport: 'tcp', stores: false, broker: null, ...row};
  return /** @type {FoundOfRow} */ (/** @type {unknown} */ ({row: own}));
}

for (const [what, tried, own, expected] of /** @type {const} */ ([
  [
    'a network that can be cut is a place of its own',
    ['kill-server', 'cut-network', 'cut-connection'],
    {},
    [
      {isCuttable: false, faults: ['kill-server', 'cut-connection']},
      {isCuttable: true, faults: ['cut-network']},
    ],
  ],
  [
    'it is the only place where nothing else is done',
    ['cut-network'],
    {},
    [{isCuttable: true, faults: ['cut-network']}],
  ],
  [
    'it is not made for rows without a network',
    ['cut-network'],
    {transport: 'shared-memory'},
    [{isCuttable: false, faults: []}],
  ],
  ['where no fault can be done, what a row promises is measured', [], {}, [{isCuttable: false, faults: []}]],
]))
  test(what, () => {
    const asked = tried.map((name) => ({name}));
    const places = placesOf(asked, [rowOf(own)]);
    assert.deepEqual(
      places.map(({isCuttable, faults}) => ({isCuttable, faults: faults.map(({name}) => name)})),
      expected,
    );
  });
