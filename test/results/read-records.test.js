import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {describe, it} from 'node:test';
import {gunzipSync} from 'node:zlib';
import {readRecords} from '../../src/results/read-records.js';

/** @import {CompletedRecord} from '../../src/results/record-schema.js' */

/** Records that were written before records had a p95. */
const journal = new URL('../../docs/evidence/documents/results.ndjson.gz', import.meta.url);
const entries = gunzipSync(readFileSync(journal))
  .toString()
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))
  .filter(({kind, rtt}) => kind === 'cell' && rtt && !('p95Ms' in rtt));

/** Those with the samples of their trials. */
const sampled = entries.filter(
  ({rtt, trials}) =>
    rtt.samples >= 1000 &&
    trials.every((/** @type {{histogram: string | null}} */ {histogram}) => histogram !== null),
);

/** @param {any} entry @returns {any} */
function read(entry) {
  const {records, warnings} = readRecords([entry]);
  assert.deepEqual(warnings, []);
  return /** @type {CompletedRecord} */ (records[0]).rtt;
}

describe('the p95 of a record that was written without one', () => {
  it('is that of the samples of its trials', () => {
    assert.ok(sampled.length >= 5);
    for (const {p90Ms, p95Ms, p99Ms, ci95} of sampled.map(read)) {
      assert.ok(p95Ms >= p90Ms && p95Ms <= p99Ms, `${p90Ms}, ${p95Ms}, ${p99Ms}`);
      if (ci95?.p95Ms) assert.ok(ci95.p95Ms[0] <= p95Ms && p95Ms <= ci95.p95Ms[1]);
    }
  });

  it('is null where fewer than ten samples are above it, where no samples are kept, and where they cannot be read', () => {
    const few = entries.find(({rtt}) => rtt.samples < 200);
    const [many] = sampled;
    const withHistogram = (/** @type {string | null} */ histogram) => ({
      ...many,
      trials: many.trials.map((/** @type {object} */ trial) => ({...trial, histogram})),
    });
    for (const entry of [few, withHistogram(null), withHistogram('SElTVA=='), {...many, trials: []}]) {
      assert.equal(read(entry).p95Ms, null);
    }
  });

  it('is written where a record is written again, and one that is there is kept', () => {
    const [many] = sampled;
    const again = JSON.parse(JSON.stringify(read(many)));
    assert.equal(typeof again.p95Ms, 'number');
    assert.equal(read({...many, rtt: {...many.rtt, p95Ms: 0.125}}).p95Ms, 0.125);
  });
});
