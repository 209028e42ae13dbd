import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {makeRecords} from '../../src/battle/make-records.js';
import {formatRatio, formatRatioWithEnds} from '../../src/columns/figures.js';
import {battleOf, completed, context, run} from './scripted-trials.js';

/** @import {CompletedRecord} from '../../src/results/record-schema.js' */

/**
 * @param {Record<string, string[]>} flags
 * @param {(round: number, name: string) => number} meanMsOf
 */
async function recordsOf(flags, meanMsOf) {
  const state = battleOf(flags);
  await run(state, ({round}, name) => completed({meanMs: meanMsOf(round, name)}));
  const records = makeRecords(state, /** @type {any} */ (context), {complete: true});
  return records.map((record) => {
    assert.equal(record.outcome, 'completed');
    return /** @type {CompletedRecord} */ (record);
  });
}

describe('raw TCP and the fastest transport', () => {
  for (const [workload, rounds] of [
    ...['1', '2', '3', '5'].map((count) => ['rtt', count]),
    ...['pipeline', 'stream', 'max-rate'].map((name) => [name, '2']),
  ])
    it(`are exactly as fast as themselves: ${workload}, ${rounds} rounds`, async () => {
      const records = await recordsOf({workload: [workload], rounds: [rounds]}, (round) => 1 + 0.3 * round);
      const own = records.flatMap(({id, transport, floor, vsFastest}) => [
        ...(transport === 'tcp' ? [floor] : []),
        ...(vsFastest?.id === id ? [vsFastest] : []),
      ]);
      assert.ok(own.length >= 2, workload);
      for (const ratio of own) {
        assert.deepEqual([ratio?.ratio, ratio?.ratioCi95], [1, [1, 1]]);
        assert.equal(ratio && formatRatio(ratio), '1.00×');
        assert.equal(ratio && formatRatioWithEnds(ratio), '1.000× [1.000, 1.000]');
      }
      const others = records.filter(({transport}) => transport !== 'tcp');
      assert.ok(others.every(({floor}) => (floor?.ratioCi95 === null) === (rounds === '1')));
    });
});

describe('a figure of zero', () => {
  it('is no floor and no fastest: the records have no ratio to it', async () => {
    const [tcp, http] = await recordsOf({rounds: ['2']}, (_round, name) => (name.startsWith('tcp') ? 0 : 1));
    assert.equal(http.floor, null);
    assert.deepEqual([tcp.floor?.ratio, http.vsFastest?.ratio], [1, 1]);
    const [, zero, other] = await recordsOf(
      {transport: ['http', 'websocket'], rounds: ['2']},
      (_round, name) => (name.startsWith('http') ? 0 : 1),
    );
    assert.equal(other.vsFastest, null);
    assert.equal(zero.vsFastest?.id, zero.id);
  });
});

describe('the verdicts of a record', () => {
  const flags = {rounds: ['5'], transport: ['http']};

  /** @param {Record<string, string[]>} more @param {number} foreignShare */
  async function disturbed(more, foreignShare) {
    const state = battleOf({...flags, ...more});
    await run(state, ({round}, name) =>
      completed({meanMs: (name.startsWith('tcp') ? 1 : 3) + 0.01 * round, lostShare: 0.3, foreignShare}),
    );
    const records = makeRecords(state, /** @type {any} */ (context), {complete: true});
    const http = /** @type {CompletedRecord} */ (records.at(-1));
    return [http.verdict.status, http.floor?.verdict?.status];
  }

  it('are on the time and on the ratio: what slowed both in turn spoils the time alone', async () => {
    assert.deepEqual(await disturbed({slices: ['on']}, 0.4), ['suspect', 'valid']);
    assert.deepEqual(await disturbed({slices: ['on']}, 0.6), ['suspect', 'suspect']);
    assert.deepEqual(await disturbed({slices: ['off']}, 0.4), ['suspect', 'suspect']);
  });

  it('are valid for what is compared with itself', async () => {
    const [tcp, http] = await recordsOf(flags, (round, name) => (name.startsWith('tcp') ? 1 : 3) * round);
    assert.deepEqual(
      [tcp.floor, http.vsFastest].map((ratio) => ratio?.verdict?.status),
      ['valid', 'valid'],
    );
    assert.deepEqual([http.verdict.status, http.floor?.verdict?.status], ['suspect', 'valid']);
  });
});
