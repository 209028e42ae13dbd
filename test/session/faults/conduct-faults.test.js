import assert from 'node:assert/strict';
import {test} from 'node:test';
import {
  findImpossible,
  mostLoadSeconds,
  placesOf,
  possibleFor,
} from '../../../src/session/faults/conduct-faults.js';

/** @import {AskedFault, FaultName} from '../../../src/faults/faults.js' */
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

/** @param {readonly FaultName[]} names @returns {AskedFault[]} */
const askedOf = (...names) => names.map((name) => ({name, at: null}));

test('what one kind of broker cannot do is done to the others', async () => {
  const asked = askedOf('memory-alarm', 'fill-disk', 'kill-broker');
  const rows = [rowOf({broker: 'rabbitmq', stores: true}), rowOf({broker: 'kafka', stores: true})].map(
    ({row}) => row,
  );
  const here = {rows, noDisk: null, noNetwork: null};
  assert.deepEqual(
    (await findImpossible(asked, here)).map(({fault, brokers}) => [fault, brokers]),
    [
      ['memory-alarm', ['kafka']],
      ['fill-disk', ['kafka']],
    ],
    'one reason is enough',
  );
  const possible = async (/** @type {string | null} */ noDisk) => {
    const notTried = await findImpossible(asked, {...here, noDisk});
    return rows.map((row) => possibleFor(row, asked, notTried).map(({name}) => name));
  };
  assert.deepEqual(await possible(null), [['memory-alarm', 'fill-disk', 'kill-broker'], ['kill-broker']]);
  assert.deepEqual(await possible('root'), [['memory-alarm', 'kill-broker'], ['kill-broker']]);
});

test('where only a proxy can cut connections, a broker that advertises its address is not hit', async () => {
  const asked = askedOf('cut-connection');
  const rows = ['kafka', 'redis'].map((broker) => rowOf({broker, brokerSettings: {}, stores: true}).row);
  const triedWith = async (/** @type {string | null} */ noCut) => {
    const notTried = await findImpossible(asked, {rows, noDisk: null, noNetwork: null, noCut});
    return rows.map((row) => possibleFor(row, asked, notTried).length);
  };
  assert.deepEqual(await triedWith(null), [1, 1]);
  assert.deepEqual(await triedWith('root'), [0, 1]);
});

test('a full disk is no fault of a broker that writes nothing to it, or ends by it, and is one of the same broker with other settings', async () => {
  const asked = askedOf('fill-disk', 'kill-broker');
  const rows = ['off', 'everysec', 'no', 'always'].map(
    (appendfsync) => rowOf({broker: 'redis', brokerSettings: {appendfsync}, stores: true}).row,
  );
  const notTried = await findImpossible(asked, {rows, noDisk: null, noNetwork: null});
  assert.deepEqual(
    notTried.map(({fault, why}) => `${fault}: ${why}`),
    [
      'fill-disk: Redis keeps no messages on its disk without AOF',
      'fill-disk: Redis ends when it cannot write, with appendfsync always',
    ],
  );
  assert.deepEqual(
    rows.map((row) => possibleFor(row, asked, notTried).length),
    [1, 2, 2, 1],
  );
});

test('the disk of a broker has room for a load that is hit late, or whose broker is down for long', () => {
  const secondsOf = (/** @type {AskedFault[]} */ fault, /** @type {number} */ restartAfterMs) =>
    mostLoadSeconds(
      /** @type {any} */ ({
        values: {fault, restartAfterMs, tries: 2, respawn: true},
        origins: {tries: {kind: 'flag', name: '--tries'}},
      }),
    );
  const [atOnce] = askedOf('kill-broker');
  const late = {...atOnce, at: {fromMs: 1000, toMs: 300_000}};
  assert.ok(secondsOf([atOnce, late], 1000) >= 300 + 2 * 15);
  assert.ok(secondsOf([atOnce], 60_000) >= 2 * (60 + 10));
});
