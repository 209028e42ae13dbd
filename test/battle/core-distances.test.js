import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {CoreDistances, movedIn} from '../../src/battle/core-distances.js';
import {progressOf} from '../../src/battle/state.js';
import {battleOf, completed, failed} from './scripted-trials.js';

/** @import {TrialOutcome} from '../../src/battle/types.js' */

/** @param {readonly (number | null)[]} answers @param {TrialOutcome} outcome */
async function distancesIn(answers, outcome) {
  const left = [...answers];
  const distances = new CoreDistances({awake: {distance: async () => left.shift() ?? null}});
  for (const _ of answers) await distances.measure();
  return distances.addTo(outcome);
}

describe('the distances of a trial', () => {
  for (const {answers, found} of [
    {answers: [], found: undefined},
    {answers: [60], found: undefined},
    {answers: [60, null, null], found: undefined},
    {answers: [310, 52], found: {p10Ns: 52, p50Ns: 52, p90Ns: 310}},
    {answers: [52, null, 310, 54], found: {p10Ns: 52, p50Ns: 54, p90Ns: 310}},
    {answers: [9, 5, 1, 8, 2, 7, 3, 6, 4, 10, 11], found: {p10Ns: 2, p50Ns: 6, p90Ns: 10}},
  ])
    it(`of the answers ${JSON.stringify(answers)}`, async () => {
      const outcome = await distancesIn(answers, completed());
      assert.deepEqual('coreDistance' in outcome ? outcome.coreDistance : undefined, found);
    });

  it('are not those of a trial that failed, and there are none where cores sleep', async () => {
    const outcome = /** @type {TrialOutcome} */ (failed());
    assert.equal(await distancesIn([60, 61], outcome), outcome);
    const distances = new CoreDistances({});
    await distances.measure();
    assert.ok(!('coreDistance' in distances.addTo(completed())));
  });
});

describe('cores have moved', () => {
  for (const {what, answers, moved, found} of [
    {what: 'never', answers: [60, 55, 110, 54], moved: [false, false, false, false], found: [54, 55, 110]},
    {what: 'away', answers: [60, 55, 310, 300], moved: [false, false, true], found: [55, 55, 60]},
    {what: 'near', answers: [310, 300, 60, 70], moved: [false, false, true], found: [300, 300, 310]},
    {
      what: 'not, if one distance alone differs',
      answers: [60, 55, 310, 58],
      moved: [false, false, false],
      found: [55, 60, 310],
    },
    {
      what: 'not, if two distances differ from each other',
      answers: [100, 100, 300, 40],
      moved: [false, false, false],
      found: [100, 100, 300],
    },
  ])
    it(what, async () => {
      const left = [...answers];
      const distances = new CoreDistances({awake: {distance: async () => left.shift() ?? null}});
      const seen = [];
      for (const _ of moved) seen.push(await distances.haveMoved());
      assert.deepEqual(seen, moved);
      assert.deepEqual(left, []);
      const outcome = /** @type {any} */ (distances.addTo(completed()));
      assert.deepEqual(Object.values(outcome.coreDistance), found);
    });

  it('is not known of unknown distances', async () => {
    const distances = new CoreDistances({});
    assert.equal(await distances.haveMoved(), false);
  });
});

/** @param {number} round @param {number} distanceNs @returns {any} */
function trialOf(round, distanceNs) {
  return {...completed({distanceNs}), round, disturbed: false};
}

describe('trials whose cores were moved', () => {
  /** @param {Parameters<typeof battleOf>[0]} flags @param {number} [far] the round */
  function battle(flags, far = 2) {
    const state = battleOf(flags);
    for (const {number} of state.cells)
      for (const round of [1, 2, 3, 4, 5, 6])
        progressOf(state, number).trials.push(trialOf(round, round === far ? 310 : 60));
    return state;
  }

  it('are found for the cells of each workload and size, among the trials of earlier rounds', () => {
    const state = battle({payload: ['1kb,100kb']});
    assert.deepEqual(
      [...movedIn(state, state.cells)].map(({round}) => round),
      [2, 2, 2, 2],
    );
    assert.equal(movedIn(state, state.cells, 2).size, 0);
  });

  it('count for the sides of a comparison, which need their common rounds', () => {
    const state = battle({});
    for (const [index, {variant}] of state.cells.entries()) variant.side = ['a', 'b'][index];
    assert.equal(movedIn(state, state.cells).size, 0);
  });
});
