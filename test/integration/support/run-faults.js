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
