import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {compareInBattle} from '../../src/compare/compare-in-battle.js';
import {showSides, sidesDocument} from '../../src/report/show-results.js';

/**
 * @param {'a' | 'a again' | 'b'} side
 * @param {readonly number[]} means of the rounds, in ms
 * @param {Record<string, unknown>} [fields]
 * @returns {any}
 */
function record(side, means, fields = {}) {
  const own = side === 'b' ? ['confirms'] : [];
  return {
    ...{id: `x-${side}`, outcome: 'completed', workload: 'rtt', comparedBy: 'latency', payloadBytes: 1024},
    ...{transport: 'rabbitmq', variant: {side}, verdict: {status: 'valid', warnings: []}},
    labels: {
      facilitator: 'RabbitMQ',
      qualifier: 'mode 1',
      settings: [...own, `side ${side}`],
      persistent: 'No',
    },
    trials: means.map((meanMs, index) => ({round: index + 1, meanMs, used: true})),
    ...fields,
  };
}

/** Rounds differ by far more than the sides do. */
const rounds = [1, 1.4, 0.8, 1.2, 1.7, 0.9];
const times = (/** @type {readonly number[]} */ ...factors) =>
  rounds.map((round, index) => round * factors[index % factors.length]);

const a = record('a', times(1, 1.01));
const again = record('a again', times(1.01, 1));

describe('two sides of a battle', () => {
  for (const {title, b, result, why = null} of [
    {title: 'a slower one', b: record('b', times(1.1, 1.11)), result: 'slower'},
    {title: 'a faster one', b: record('b', times(0.9, 0.91)), result: 'faster'},
    {title: 'an equal one', b: record('b', times(1.005, 1)), result: 'no difference shown'},
    {title: 'a difference below 2 %', b: record('b', times(1.015, 1.025)), result: 'no difference shown'},
    {
      title: 'a suspect one',
      b: record('b', times(2), {
        verdict: {status: 'suspect', warnings: [{code: 'run-delay'}, {code: 'drift'}]},
      }),
      ...{result: 'cannot tell', why: 'b suspect'},
    },
    {
      title: 'one of a battle that drifts, which ratios of the same round do not show',
      b: record('b', times(2), {verdict: {status: 'suspect', warnings: [{code: 'drift'}, {code: 'wide'}]}}),
      result: 'slower',
    },
    {
      title: 'one that failed',
      b: record('b', [], {outcome: 'failed'}),
      result: 'cannot tell',
      why: 'b failed',
    },
    ...[1, 2, 3, 4].map((count) => ({
      title: `a far slower one in ${count} rounds`,
      b: record('b', times(2).slice(0, count)),
      ...{result: 'cannot tell', why: `too few rounds (${count}): a verdict needs at least 5`},
    })),
    {
      title: 'a suspect one in three rounds',
      b: record('b', times(2).slice(0, 3), {
        verdict: {status: 'suspect', warnings: [{code: 'run-delay'}]},
      }),
      ...{result: 'cannot tell', why: 'too few rounds (3): a verdict needs at least 5; b suspect'},
    },
    ...[1, 2].map((disturbed) => ({
      title: `a far slower one in five rounds, ${disturbed} of them disturbed`,
      b: record('b', [], {
        trials: times(2)
          .slice(0, 5)
          .map((meanMs, index) => ({round: index + 1, meanMs, used: index >= disturbed})),
      }),
      result: 'cannot tell',
      why: `${5 - disturbed} of the 5 rounds count, because ${disturbed === 1 ? 'a trial was' : 'trials were'} disturbed; a verdict needs at least 5 (use --rounds 10)`,
    })),
    {title: 'a far slower one in five rounds', b: record('b', times(2).slice(0, 5)), result: 'slower'},
    {
      title: 'one whose interval is above 1, but not by its ranks',
      b: record('b', times(0.99, 0.98, 1.21, 1.24, 1.25, 1.28)),
      ...{result: 'no difference shown', why: 'the rank test does not confirm the interval'},
    },
    {
      title: 'one with a time of zero',
      b: record('b', [0, ...times(2).slice(1)]),
      ...{result: 'cannot tell', why: 'a figure is zero, or a record has no trials, so there is no ratio'},
    },
  ])
    it(`says of ${title}: ${result}`, () => {
      const some = [a, again].map((one) =>
        b.outcome === 'completed' ? {...one, trials: one.trials.slice(0, b.trials.length)} : one,
      );
      const [compared] = compareInBattle([...some, b]);
      assert.deepEqual([compared.result, compared.why], [result, why]);
    });

  it('say nothing where two equal sides differ, too', () => {
    const [compared] = compareInBattle([a, record('a again', times(1.1, 1.11)), record('b', times(1.2))]);
    assert.deepEqual([compared.result, compared.why], ['cannot tell', 'two equal sides differ, too']);
    assert.ok(compared.equal && compared.equal.ratio > 1.09);
  });

  it('show nothing that is within what two equal sides may differ by', () => {
    const noisy = record('a again', times(0.7, 1.6, 0.8, 1.3, 1.1, 0.9));
    const [compared] = compareInBattle([a, noisy, record('b', times(1.2, 1.21))]);
    assert.deepEqual(
      [compared.result, compared.why],
      ['no difference shown', 'two equal sides may differ as much'],
    );
    assert.equal(compareInBattle([a, noisy, record('b', times(2))])[0].result, 'slower');
  });

  it('with a baseline of zero have no ratio, and no figure is infinite', () => {
    const zeros = rounds.map(() => 0);
    const compared = compareInBattle([record('a', zeros), record('a again', zeros), record('b', times(2))]);
    const [document] = sidesDocument(compared);
    assert.deepEqual([document.ratio, document.ci95, document.equalRatio], [null, null, null]);
    assert.equal(document.result, 'cannot tell');
    let shown = '';
    showSides(compared, /** @type {any} */ ({write: (/** @type {string} */ text) => (shown += text)}));
    assert.doesNotMatch(shown, /NaN|Infinity|∞/);
  });

  it('differ if they do by far more than two equal sides', () => {
    const [compared] = compareInBattle([a, record('a again', times(1.1, 1.11)), record('b', times(6))]);
    assert.deepEqual(
      [compared.result, compared.why],
      ['slower', 'far beyond what two equal sides differ by'],
    );
    let shown = '';
    showSides([compared], /** @type {any} */ ({write: (/** @type {string} */ text) => (shown += text)}));
    assert.match(shown, /\nRabbitMQ mode 1, 1kb: slower: far beyond what two equal sides differ by\.\n/);
  });

  it('are none in another battle', () => {
    assert.deepEqual(compareInBattle([{...a, variant: {}}]), []);
  });

  it('are shown with what each has of its own, in 80 columns', () => {
    const comparisons = compareInBattle([a, again, record('b', times(1.1, 1.11))]);
    let shown = '';
    showSides(comparisons, /** @type {any} */ ({write: (/** @type {string} */ text) => (shown += text)}));
    assert.match(shown, /^\na: as it is\nb: confirms\n\nPayload {2}Transport +b \/ a/);
    assert.match(shown, /\n1kb +RabbitMQ mode 1 +1\.10× \[.*\] +0\.031 +1\.00× \[.*\] +slower\n/);
    assert.ok(shown.split('\n').every((line) => line.length <= 80));
    assert.deepEqual(Object.keys(sidesDocument(comparisons)[0]).slice(0, 3), ['a', 'again', 'b']);
  });
});
