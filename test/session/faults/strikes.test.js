import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Strikes} from '../../../src/session/faults/strikes.js';

/** @import {AskedFault} from '../../../src/faults/faults.js' */

/** @param {number} seed */
function runWith(seed) {
  return {
    settings: {
      values: {seed, respawn: true, restartAfterMs: 1, tries: 1},
      origins: {tries: {kind: 'default'}},
    },
    note: () => {},
    signal: new AbortController().signal,
  };
}

const silentLoad = {
  failure: null,
  refuseEndedServers: () => {},
  selectServer: async () => {},
  untilReceivedAgain: async () => {},
};

/** @param {number} seed @param {{fromMs: number, toMs: number} | null} at @returns {Promise<number>} when a server is hit, in ms after the begin of the load */
async function hitAfter(seed, at) {
  const strikes = new Strikes(/** @type {any} */ (runWith(seed)), null, null);
  let nowMs = 0;
  strikes.sleep = async (ms) => {
    nowMs += ms;
  };
  /** @type {number[]} */
  const hits = [];
  const load = {
    ...silentLoad,
    row: {stores: false},
    strike: async () => void hits.push(nowMs),
  };
  /** @type {AskedFault} */
  const asked = {name: 'pause-server', at};
  await strikes.strike(asked, [/** @type {any} */ (load)]);
  assert.equal(hits.length, 2, 'it is paused, and resumed');
  return hits[0];
}

test('what is sent during a fault is at risk, too, if the broker accepts it', async () => {
  for (const [name, isAccepted] of /** @type {const} */ ([
    ['slow-consumer', true],
    ['pause-server', false],
  ])) {
    const strikes = new Strikes(/** @type {any} */ (runWith(1)), null, null);
    const steps = /** @type {string[]} */ ([]);
    const load = {
      ...silentLoad,
      row: {stores: isAccepted},
      strike: async () => void steps.push('server'),
      strikeConsumer: async () => void steps.push('consumer'),
    };
    strikes.sleep = async () => await new Promise((resolve) => setImmediate(resolve));
    const [{hitMs, untilMs}] = await strikes.strike({name, at: null}, [/** @type {any} */ (load)]);
    assert.equal(hitMs === untilMs, isAccepted, name);
    assert.equal(steps[0], isAccepted ? 'consumer' : 'server');
  }
});

test('a fault comes at a time within its range, which the seed draws', async () => {
  const range = {fromMs: 5000, toMs: 8000};
  const times = await Promise.all(Array.from({length: 100}, (_, seed) => hitAfter(seed, range)));
  for (const ms of times) assert.ok(ms >= 5000 && ms < 8000, `${ms} ms`);
  assert.ok(Math.min(...times) < 5300 && Math.max(...times) > 7700, 'the whole range is used');
  assert.equal(await hitAfter(7, range), times[7]);
  assert.deepEqual([await hitAfter(7, {fromMs: 5000, toMs: 5000}), await hitAfter(7, null)], [5000, 2000]);
});

test('a load that fails during a fault keeps its error, and the others go on; without any load, the fault ends', async () => {
  const strikes = new Strikes(/** @type {any} */ (runWith(1)), null, null);
  strikes.sleep = async () => await new Promise((resolve) => setImmediate(resolve));
  const loadThat = (/** @type {boolean} */ fails) => {
    const steps = /** @type {string[]} */ ([]);
    const strike = async (/** @type {string} */ step) => {
      if (fails) throw new Error('The program of the server does not start.');
      steps.push(step);
    };
    return {...silentLoad, row: {stores: false}, strike, steps};
  };
  const [broken, sound] = [loadThat(true), loadThat(false)];
  const ofOne = await strikes.strike({name: 'kill-server', at: null}, /** @type {any} */ ([broken, sound]));
  assert.equal(ofOne.length, 1);
  assert.match(String(broken.failure), /does not start/);
  assert.deepEqual([sound.steps, sound.failure], [['kill', 'start'], null]);
  const alone = /** @type {any} */ ([loadThat(true)]);
  await assert.rejects(strikes.strike({name: 'kill-server', at: null}, alone), /does not start/);
});
