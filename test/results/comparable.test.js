import assert from 'node:assert/strict';
import {describe, it, test} from 'node:test';
import fc from 'fast-check';
import {figuresOf} from '../../src/results/cell-figures.js';
import {coreDistanceOf, movedTrials, spreadOf, trialsThatCount} from '../../src/results/comparable.js';
import {Histogram} from '../../src/stats/histogram.js';

/**
 * @import {CompletedRecord} from '../../src/results/record-schema.js'
 * @import {JournalTrial} from '../../src/results/types.js'
 */

const usage = {wallMs: 1000, userMs: 1, systemMs: 1, maxRssBytes: 1, eventLoopShare: 0, host: null};
const cell = {payloadBytes: 1024};

/**
 * A trial of round trips, one after the other.
 * @param {{meanMs: number, disturbed: boolean}} what
 * @param {number} round
 */
function trialOf({meanMs, disturbed}, round) {
  const histogram = new Histogram();
  for (let sample = 0; sample < 20; sample += 1) histogram.add(meanMs * 1e6);
  return /** @type {JournalTrial} */ ({
    ...histogram.encode(),
    ...{
      round,
      repeat: false,
      disturbed,
      stealShare: disturbed ? 0.1 : 0,
      startedAt: '2026-11-21T12:00:00.000Z',
    },
    ...{outcome: 'completed', figureMs: meanMs, wallMs: 20 * meanMs, discarded: 0, warm: true},
    ...{messagesPerSecond: 1000 / meanMs, summedPerSecond: 1000 / meanMs, served: 20},
    ...{phases: {}, beside: {}, notes: {}, oneWay: null, mismatch: null, hostLoads: [], details: {}},
    counts: {
      ...{sent: 20, received: 20, lost: 0, verified: 20, duplicated: 0},
      ...{reordered: 0, corrupted: 0, retried: 0, timedOut: 0},
    },
    usage: {client: usage, server: usage, broker: null},
  });
}

const trials = fc
  .array(fc.record({meanMs: fc.double({min: 0.01, max: 100, noNaN: true}), disturbed: fc.boolean()}), {
    minLength: 2,
    maxLength: 14,
  })
  .map((list) => list.map(trialOf));

/** @param {number} one @param {number} other */
function assertClose(one, other) {
  assert.ok(Math.abs(one - other) <= 1e-9 * Math.max(one, other, 1), `${one}, ${other}`);
}

describe('the spread of a cell', () => {
  it('is that of the interval which is shown, of its mean and of its rate', () => {
    fc.assert(
      fc.property(trials, (some) => {
        const {rtt, throughput} = figuresOf(some, cell);
        const spread = spreadOf(some);
        assert.ok(rtt?.meanMs && rtt.ci95Ms && throughput.ci95MessagesPerSecond);
        const {meanMs, ci95Ms} = rtt;
        assertClose(spread, Math.max(ci95Ms[1] - meanMs, meanMs - ci95Ms[0]) / meanMs);
        const [slowest] = throughput.ci95MessagesPerSecond;
        assertClose(1000 / slowest, ci95Ms[1]);
        assertClose(1000 / throughput.messagesPerSecond, meanMs);
      }),
      {numRuns: 40},
    );
  });

  it('does not look at disturbed trials where three others remain', () => {
    const calm = [1, 1.01, 0.99].map((meanMs) => ({meanMs, disturbed: false}));
    const disturbed = {meanMs: 9, disturbed: true};
    assert.equal(spreadOf([...calm, disturbed].map(trialOf)), spreadOf(calm.map(trialOf)));
    assert.ok(spreadOf([...calm.slice(1), disturbed].map(trialOf)) > 1);
  });

  it('is infinite for one trial', () => {
    assert.equal(spreadOf([trialOf({meanMs: 1, disturbed: false}, 1)]), Number.POSITIVE_INFINITY);
  });
});

test('the rate of a cell is that of its median trial where the workload says so: one that is far off does not move it', () => {
  const some = [1, 1.02, 0.98, 1.01, 600].map((meanMs, index) =>
    trialOf({meanMs, disturbed: false}, index + 1),
  );
  const {throughput} = figuresOf(some, {...cell, aggregate: 'median'});
  assertClose(throughput.messagesPerSecond, 1000 / 1.01);
  assertClose(throughput.summedMessagesPerSecond, 1000 / 1.01);
  const [low, high] = throughput.ci95MessagesPerSecond ?? [0, 0];
  assert.ok(low < throughput.messagesPerSecond && throughput.messagesPerSecond < high);
  assert.ok(figuresOf(some, cell).throughput.messagesPerSecond < 10);
});

describe('where a hypervisor moves the cores', () => {
  /** A trial whose cores were so far apart, in ns; two numbers: they were moved meanwhile. @param {number | readonly [number, number] | null} ns */
  const at = (ns) => {
    const [p10Ns, p90Ns] = typeof ns === 'number' ? [ns, ns] : (ns ?? [null, null]);
    return {
      disturbed: false,
      ns,
      ...(p10Ns !== null && p90Ns !== null && {coreDistance: {p10Ns, p50Ns: p10Ns, p90Ns}}),
    };
  };
  /** @param {readonly (readonly ReturnType<typeof at>[])[]} cells @returns what counts of each */
  const countedIn = (cells) => {
    const moved = movedTrials(cells);
    return cells.map((trials) => trialsThatCount(trials, moved).map(({ns}) => ns));
  };

  for (const [title, given, counted] of /** @type {const} */ ([
    ['the trials of the nearer cores count', [52, 310, 300, 105, 51, 53, 90], [52, 105, 51, 53, 90]],
    ['also if they are fewer', [300, 52, 310, 53, 305, 51, 301, 54, 302, 55, 303], [52, 53, 51, 54, 55]],
    [
      'the others count if the nearer are fewer than five',
      [300, 310, 52, 290, 305, 301],
      [300, 310, 290, 305, 301],
    ],
    [
      'a trial in which they were moved does not count',
      [52, [53, 310], 51, 54, 53, 52],
      [52, 51, 54, 53, 52],
    ],
    ['nor several', [52, 51, 53, 54, 50, [130, 310], [140, 305], 300, 310], [52, 51, 53, 54, 50]],
    ['a trial of unknown distance does not count', [52, 51, 53, 54, 50, null], [52, 51, 53, 54, 50]],
    ['all count, if fewer than five would be left', [52, 300, 51, 53, 54], [52, 300, 51, 53, 54]],
    ['all count, if no distance is known', [null, null, null], [null, null, null]],
    [
      'all count, if the distances differ as they do where nothing moves',
      [51, 117, 87, 64],
      [51, 117, 87, 64],
    ],
  ]))
    it(title, () => {
      assert.deepEqual(countedIn([given.map(at)]), [counted]);
    });

  it('cells that are compared have one state, and keep all their trials if one cell would have too few', () => {
    // The floor has more rounds than the cell. By itself, it would choose the other state.
    const floor = [52, 51, 53, 310, 305, 300, 311, 308, 309].map(at);
    const cell = [52, 54, 51, 50, 49, 309, 307].map(at);
    assert.deepEqual(countedIn([floor, cell]), [floor.map(({ns}) => ns), cell.map(({ns}) => ns)]);
    const other = [52, 54, 51, 50, 49, 309, 307, 306, 305, 304].map(at);
    assert.deepEqual(countedIn([floor, other]), [
      [310, 305, 300, 311, 308, 309],
      [309, 307, 306, 305, 304],
    ]);
  });

  it('the disturbed trials do not vote, if three others remain', () => {
    const trials = [300, 310, 305, 302, 301, 303].map((ns) => ({...at(ns), disturbed: true}));
    assert.deepEqual(countedIn([[...trials, ...[52, 53, 51, 50, 54].map(at)]]), [[52, 53, 51, 50, 54]]);
  });

  it('a record has the median of those that count', () => {
    const trials = [
      {...at(52), used: true},
      {...at(300), used: false},
      {...at(54), used: true},
    ];
    const recordOf = (/** @type {unknown[]} */ some) =>
      /** @type {CompletedRecord} */ (/** @type {unknown} */ ({trials: some}));
    assert.equal(coreDistanceOf(recordOf(trials)), 53);
    assert.equal(coreDistanceOf(recordOf([at(null)])), null);
  });
});
