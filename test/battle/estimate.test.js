import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {estimateBattleMs, estimateGroupMs} from '../../src/battle/estimate.js';
import {groupsOf} from '../../src/battle/groups.js';
import {battleOf} from './scripted-trials.js';

/** @param {Record<string, string[]>} flags */
function estimate(flags) {
  return estimateBattleMs(battleOf(flags)) / 1000;
}

/** @param {number} seconds @param {number} low @param {number} high */
function isBetween(seconds, low, high) {
  assert.ok(seconds > low && seconds < high, `${seconds} s`);
}

describe('the estimate of a battle', () => {
  const cells = {payload: ['1kb,2kb,3kb'], transport: ['tcp']};

  it('counts a pair of processes for each variant and round, and its measured parts', () => {
    isBetween(estimate({...cells, rounds: ['2'], duration: ['2s'], warmup: ['1s']}), 18, 18 + 2);
    const shared = estimate({...cells, rounds: ['2']});
    const apart = estimate({...cells, rounds: ['2'], 'pair-per': ['cell']});
    isBetween(apart - shared, 2, 6);
  });

  it('counts messages and rates', () => {
    isBetween(estimate({rounds: ['1'], samples: ['100000'], warmup: ['0'], transport: ['rabbitmq']}), 25, 60);
    isBetween(
      estimate({rounds: ['1'], samples: ['1000'], warmup: ['0'], rate: ['100'], transport: ['tcp']}),
      10,
      11,
    );
  });

  it('counts the steps of a search', () => {
    const search = {'find-max-rate': ['5ms'], workload: ['max-rate'], rounds: ['1'], transport: ['tcp']};
    isBetween(estimate({...search, duration: ['2s']}), 55, 70);
  });

  it('counts the messages that the p99 of each step needs, where they take longer than the step is to take', () => {
    const search = {'find-max-rate': ['50ms'], rounds: ['1'], transport: ['websocket'], duration: ['200ms']};
    const [small, large] = ['1kb', '1000kb'].map((payload) => estimate({...search, payload: [payload]}));
    assert.ok(large > 2 * small, `${small} s and ${large} s`);
  });

  it('counts all bytes of a queue: the default one took 417 s on two cores', () => {
    const sizes = {payload: ['1kb,100kb,500kb,1000kb'], 'delivery-mode': ['1,2']};
    isBetween(estimate({workload: ['queue'], transport: ['rabbitmq'], ...sizes}), 280, 520);
  });

  it('counts the first requests of a pair with a cache as misses: these three rounds took 139 s on two cores', () => {
    const sizes = {payload: ['1kb,100kb,500kb,1000kb'], 'delivery-mode': ['1,2'], rounds: ['3']};
    isBetween(estimate({workload: ['cached'], transport: ['tcp,rabbitmq'], ...sizes}), 105, 150);
  });

  it('is for the planned rounds: five, or as many as asked for', () => {
    assert.equal(estimate({rounds: ['5']}), estimate({}));
    assert.equal(estimate({rounds: ['10']}), 2 * estimate({}));
  });

  it('includes the warm-up of a pair once', () => {
    const {cells: planned, values} = battleOf({payload: ['1kb,2kb'], transport: ['http']});
    const [, http] = groupsOf(planned, values);
    const [both, first, second] = [http, [http[0]], [http[1]]].map(estimateGroupMs);
    isBetween((first + second - both) / 1000, 1, 3);
  });

  /** @param {Record<string, string[]>} flags */
  const ofFour = (flags) => 1000 * estimate({payload: ['1kb,2kb,3kb,4kb'], rounds: ['3'], ...flags});

  it('one pair of processes for several sizes saves starts and warm-ups of new pairs', () => {
    const [shared, own] = [ofFour({}), ofFour({'pair-per': ['cell']})];
    const pairsSaved = 3 * 2 * 3;
    assert.ok(own - shared > pairsSaved * 600, `${shared} ms, with a pair per cell ${own} ms`);
  });

  it('twice as many rounds take twice as long, and a longer measured part takes its time', () => {
    assert.equal(ofFour({rounds: ['6']}), 2 * ofFour({}));
    const trials = 8 * 3;
    assert.ok(Math.abs(ofFour({duration: ['2s']}) - ofFour({duration: ['1s']}) - trials * 1000) < 1e-6);
  });

  it('a warm-up by count or by duration has its length in each trial', () => {
    const without = ofFour({warmup: ['0']});
    assert.ok(Math.abs(ofFour({warmup: ['3s']}) - without - 8 * 3 * 3000) < 1e-6);
    assert.ok(ofFour({warmup: ['1000']}) > without);
  });
});
