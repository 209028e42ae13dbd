import assert from 'node:assert/strict';

/**
 * @import {Conclusion} from '../../../src/faults/found.js'
 * @import {Workplace} from './workplace.js'
 */

/**
 * Runs faults that must all be possible, and leave nothing.
 * @param {Workplace} workplace @param {string} words the command line, without a space in a word
 * @returns {Promise<(Conclusion & {error: unknown})[]>} the rows
 */
export async function runFaults(workplace, words) {
  const {code, stdout, stderr} = await workplace.start(
    'battle',
    [...words.split(' '), '--json'],
    {},
    {patienceMs: 600_000},
  ).ended;
  assert.equal(code, 0, stderr);
  const {rows, faults} = JSON.parse(stdout);
  assert.deepEqual(faults.notTried, []);
  assert.deepEqual(await workplace.leftovers(), []);
  return rows;
}

/**
 * Asserts that an outage lasted for most of the time without the target. A reply that was on its way when the fault began can be read later than that,
 * on a busy host by a large part of a second, so the outage can be shorter than the fault.
 * @param {number | null} outageMs @param {number} faultMs the length of the fault @param {string} [name] of the row or fault
 * @returns {asserts outageMs is number}
 */
export function assertOutage(outageMs, faultMs, name = 'the outage') {
  assert.ok(
    outageMs !== null && outageMs >= faultMs / 2,
    `${name}: ${outageMs} ms of a fault of ${faultMs} ms`,
  );
}
