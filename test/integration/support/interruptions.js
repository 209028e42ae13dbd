import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {cellRecord} from '../../../src/results/record-schema.js';

/**
 * @import {CellRecord} from '../../../src/results/record-schema.js'
 * @import {Workplace} from './workplace.js'
 */

/** Four trials, which take about two seconds together. */
const flags = ['--transport', 'rabbitmq', '--payload', '1kb', '--delivery-mode', '2'];
export const interruptedBattle = [...flags, '--rounds', '2', '--duration', '60ms', '--warmup', '20'];

/**
 * Checks what an interrupted battle has stored, and that it can be resumed.
 * @param {Workplace} workplace
 * @param {NodeJS.ProcessEnv} environment
 */
export async function assertGoesOn(workplace, environment) {
  const journal = existsSync(workplace.file('results.ndjson')) ? await workplace.journal() : [];
  const battle = journal.find(({kind}) => kind === 'battle');
  const trials = journal.filter(({kind}) => kind === 'trial');
  for (const {outcome} of trials) assert.equal(outcome, 'completed');
  if (existsSync(workplace.file('results.md'))) await workplace.rows();

  const resumed = await workplace.battle(['--resume', '--json', '--quiet'], environment);
  if (!battle || journal.some(({kind}) => kind === 'rows')) {
    // It had not started, or it was complete: there is nothing to resume.
    assert.equal(resumed.code, 2, resumed.stderr);
    assert.match(resumed.stderr, /--resume found no interrupted battle/);
    return;
  }
  assert.deepEqual({code: resumed.code, stderr: resumed.stderr}, {code: 0, stderr: ''});
  const document = JSON.parse(resumed.stdout);
  assert.equal(document.battle.id, battle.id);
  assertComplete(document.cells.map((/** @type {unknown} */ cell) => cellRecord.parse(cell)));
  const after = (await workplace.journal()).filter(({kind}) => kind === 'trial');
  assert.deepEqual(after.slice(0, trials.length), trials, 'finished trials are not run again');
  const places = after.map(({cell, round}) => `${cell} ${round}`);
  assert.deepEqual(places.sort(), ['1 1', '1 2', '2 1', '2 2']);
  assert.equal((await workplace.rows()).length, 2);
}

/** @param {CellRecord[]} cells */
export function assertComplete(cells) {
  assert.deepEqual(
    cells.map(({outcome}) => outcome),
    ['completed', 'completed'],
  );
}
