import assert from 'node:assert/strict';
import {describe, it, test} from 'node:test';
import {compareSides} from '../../src/compare/compare-sides.js';
import {floor, record} from './records.js';

/** @param {any[]} olds @param {any[]} news */
function results(olds, news) {
  return compareSides(olds, news).map(({result, why}) => [result, why]);
}

describe('two sides', () => {
  it('are compared by the ratio of the new to the old time, with an interval and a rank test', () => {
    const [{ratio, result}] = compareSides([record('a', 1)], [record('b', 1.2)]);
    assert.equal(result, 'slower');
    assert.ok(ratio?.ci95 && Math.abs(ratio.ratio - 1.2) < 1e-9);
    assert.ok(ratio.ci95[0] > 1.18 && ratio.ci95[1] < 1.22, String(ratio.ci95));
    assert.ok(ratio.pValue !== null && ratio.pValue < 0.01);
    assert.deepEqual(results([record('a', 1)], [record('b', 0.8)]), [['faster', null]]);
  });

  it('show no difference if the interval includes 1, or the ratio is too small to count', () => {
    const shape = [0.7, 1.3, 1, 0.9, 1.1];
    assert.deepEqual(results([record('a', 1, {shape})], [record('b', 1.1, {shape})]), [
      ['no difference shown', null],
    ]);
    assert.deepEqual(results([record('a', 1)], [record('b', 1.019)]), [['no difference shown', null]]);
  });

  it('are not paired by round: the rounds of two battles have nothing in common', () => {
    const shape = [1, 2, 4, 8, 16];
    const [{ratio, result}] = compareSides([record('a', 1, {shape})], [record('b', 1.2, {shape})]);
    assert.equal(result, 'no difference shown');
    assert.ok(ratio?.ci95 && ratio.ci95[1] / ratio.ci95[0] > 10);
  });

  it('cannot be told apart by a suspect figure or a single trial', () => {
    const suspect = {verdict: {status: 'suspect', warnings: []}};
    assert.deepEqual(results([record('a', 1)], [record('b', 2, suspect)]), [
      ['cannot tell', 'the new figure is suspect'],
    ]);
    assert.deepEqual(results([record('a', 1, suspect)], [record('b', 2, suspect)]), [
      ['cannot tell', 'the old and new figures are suspect'],
    ]);
    assert.deepEqual(results([record('a', 1)], [record('b', 2, {shape: [1]})]), [
      [
        'cannot tell',
        'too few rounds (5 on the old side, 1 on the new one): a verdict needs at least 3 on each',
      ],
    ]);
    const [{ratio}] = compareSides([record('a', 1)], [record('b', 2, {shape: [1]})]);
    assert.deepEqual([ratio?.ratio, ratio?.ci95], [2, null]);
  });

  for (const {olds, news, result} of [
    {olds: 2, news: 2, result: 'cannot tell'},
    {olds: 2, news: 4, result: 'cannot tell'},
    {olds: 2, news: 5, result: 'slower'},
    {olds: 3, news: 3, result: 'slower'},
  ])
    it(`of ${olds} and ${news} rounds that do not overlap: ${result}`, () => {
      const shape = [1, 1.01, 0.99, 1.005, 0.995];
      const [compared] = compareSides(
        [record('a', 1, {shape: shape.slice(0, olds)})],
        [record('b', 2, {shape: shape.slice(0, news)})],
      );
      assert.equal(compared.result, result, compared.why ?? '');
    });

  it('show nothing that the rank test does not confirm', () => {
    const old = record('a', 1, {shape: [1.01, 0.95, 0.9, 0.97, 0.97]});
    const now = record('b', 1, {shape: [1.11, 1.08, 0.95, 1, 1.09]});
    const [{ratio, ...compared}] = compareSides([old], [now]);
    assert.ok(ratio?.ci95 && ratio.ci95[0] > 1, String(ratio?.ci95));
    assert.ok(ratio.pValue !== null && ratio.pValue > 0.1, String(ratio.pValue));
    assert.deepEqual(
      [compared.result, compared.why],
      ['no difference shown', 'the rank test does not confirm the interval'],
    );
  });

  it('of which one has a time of zero, or no trials, have no ratio', () => {
    const zero = [record('a', 0), record('b', 1)];
    const reverse = [record('a', 1), record('b', 0)];
    const without = [record('a', 1, {trials: []}), record('b', 1)];
    for (const [old, now] of [zero, reverse, without]) {
      const [{ratio, result, why}] = compareSides([old], [now]);
      assert.deepEqual(
        [ratio, result, why],
        [null, 'cannot tell', 'a figure is zero, or a record has no trials, so there is no ratio'],
      );
    }
    const rate = {comparedBy: 'rate', workload: 'stream'};
    const none = {
      ...rate,
      shape: [1],
      trials: [1, 2, 3].map((round) => ({round, messagesPerSecond: 0, used: true})),
    };
    assert.equal(compareSides([record('a', 1, none)], [record('b', 1, rate)])[0].result, 'cannot tell');
  });

  it('are not comparable where one has no figures', () => {
    const failed = {outcome: 'failed', error: {code: 'PB_RUN', message: ''}};
    const other = {labels: {facilitator: 'HTTP (node:http)'}};
    assert.deepEqual(
      results(
        [record('a', 1), record('a', 1, other)],
        [record('b', 1, failed), record('b', 1, {payloadBytes: 5})],
      ),
      [
        ['not comparable', 'it failed on the new side'],
        ['not comparable', 'only the new side has it'],
        ['not comparable', 'only the old side has it'],
      ],
    );
  });

  it('of a rate are compared by the time per message', () => {
    const rate = {comparedBy: 'rate', workload: 'stream'};
    assert.deepEqual(results([record('a', 1, rate)], [record('b', 2, rate)]), [['slower', null]]);
  });
});

describe('where raw TCP differs, too', () => {
  it('a cell that differs as much cannot be judged', () => {
    assert.deepEqual(results([floor('a', 0.1), record('a', 1)], [floor('b', 0.12), record('b', 1.2)]), [
      ['slower', null],
      ['cannot tell', 'raw TCP differs, too: the hosts were not alike'],
    ]);
  });

  it('one that differs more does', () => {
    const [, [result, why]] = results(
      [floor('a', 0.1), record('a', 1)],
      [floor('b', 0.12), record('b', 1.6)],
    );
    assert.deepEqual([result, why], ['slower', 'also beyond what raw TCP differs']);
  });

  it('one that is as before cannot be judged: on a slower host it would be faster', () => {
    assert.deepEqual(results([floor('a', 0.1), record('a', 1)], [floor('b', 0.12), record('b', 1)])[1], [
      'cannot tell',
      'raw TCP differs, too: the hosts were not alike',
    ]);
  });

  it('a cell that differs by no more than raw TCP may is shown no difference', () => {
    const shape = [0.7, 1.4, 1, 0.8, 1.3];
    assert.deepEqual(
      results([floor('a', 0.1, {shape}), record('a', 1)], [floor('b', 0.1, {shape}), record('b', 1.2)])[1],
      ['no difference shown', 'raw TCP may differ as much'],
    );
    assert.deepEqual(
      results([floor('a', 0.1, {shape}), record('a', 1)], [floor('b', 0.1, {shape}), record('b', 4)])[1],
      ['slower', null],
    );
  });

  it('raw TCP of zero is none', () => {
    assert.deepEqual(results([floor('a', 0), record('a', 1)], [floor('b', 0.1), record('b', 1.2)])[1], [
      'slower',
      null,
    ]);
  });

  it('the floor of the same battle and payload size counts', () => {
    const olds = [floor('x', 9), floor('a', 0.1, {payloadBytes: 5}), record('a', 1)];
    assert.deepEqual(results(olds, [floor('b', 0.12), record('b', 1.2)])[1], ['slower', null]);
  });
});

test('records of several machines are paired by machine', () => {
  const [old1, old2] = ['m1', 'm2'].map((machine) => record('a', 1, {machine}));
  const [new2, new1] = ['m2', 'm1'].map((machine) => record('b', 1, {machine}));
  const pairs = compareSides([old1, old2], [new2, new1]);
  assert.deepEqual(
    pairs.map(({old}) => old),
    [old2, old1],
  );
});

test('a single record on each side is paired although the machine differs, and that is said', () => {
  const [{result, differences}] = compareSides(
    [record('a', 1, {machine: 'm1', versions: {node: 'v20', ws: '8.1', express: null}})],
    [
      record('b', 2, {
        machine: 'm2',
        versions: {node: 'v22', ws: '8.1', express: '5'},
        variant: {keepAlive: false},
      }),
    ],
  );
  assert.equal(result, 'slower');
  assert.deepEqual(differences, [
    {what: 'machine', old: 'm1', new: 'm2'},
    {what: 'version of node', old: 'v20', new: 'v22'},
    {what: 'keepAlive', old: true, new: false},
  ]);
});

test('lengths of trials that differ are named, also where one was not given', () => {
  const [{differences}] = compareSides(
    [record('a', 1, {config: {durationMs: 1000, results: 'a.md'}})],
    [record('b', 1, {config: {samples: 50, durationMs: 1000, results: 'b.md'}})],
  );
  assert.deepEqual(differences, [{what: 'samples', old: 'none', new: 50}]);
});

test('the state of the cores is a difference, because ratios move with it', () => {
  const placement = {client: [1], server: [0], broker: null, threads: 'main'};
  const [{differences}] = compareSides(
    [record('a', 1, {placement: null, coreState: 'sleeping'})],
    [record('b', 1, {placement, coreState: 'awake'})],
  );
  assert.deepEqual(differences, [
    {what: 'cores', old: 'chosen by the system, sleeping', new: 'fixed for main threads, awake'},
  ]);
});

test('cores that a hypervisor has moved are a difference, and a small difference of their distance is none', () => {
  /** @param {string} battleId @param {number} ns */
  const at = (battleId, ns) => {
    const whole = record(battleId, 1, {});
    const coreDistance = {p10Ns: ns, p50Ns: ns, p90Ns: ns};
    return {...whole, trials: whole.trials.map((/** @type {object} */ trial) => ({...trial, coreDistance}))};
  };
  assert.deepEqual(compareSides([at('a', 52)], [at('b', 310)])[0].differences, [
    {what: 'the cores of the host', old: 'closer together', new: 'further apart'},
  ]);
  assert.deepEqual(compareSides([at('a', 52)], [at('b', 110)])[0].differences, []);
});
