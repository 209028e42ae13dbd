import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {compareInBattle} from '../../src/compare/compare-in-battle.js';
import {showSides, sidesDocument} from '../../src/report/show-sides.js';

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
    {title: 'a single round', b: record('b', [2]), result: 'cannot tell', why: 'too few rounds'},
  ])
    it(`says of ${title}: ${result}`, () => {
      const some =
        b.trials.length === 1
          ? [a, again].map((one) => ({...one, trials: one.trials.slice(0, 1)}))
          : [a, again];
      const [compared] = compareInBattle([...some, b]);
      assert.deepEqual([compared.result, compared.why], [result, why]);
    });

  it('say nothing where two equal sides differ, too', () => {
    const [compared] = compareInBattle([a, record('a again', times(1.1, 1.11)), record('b', times(1.2))]);
    assert.deepEqual([compared.result, compared.why], ['cannot tell', 'two equal sides differ, too']);
    assert.ok(compared.equal && compared.equal.ratio > 1.09);
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
