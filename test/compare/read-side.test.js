import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {noResults} from '../../src/compare/read-side.js';
import {record} from './records.js';

describe('a journal without figures', () => {
  const journal = fileURLToPath(import.meta.url);
  const battles = [{kind: 'battle', id: '0123abcd', cells: [{}, {}]}];
  const trials = [{kind: 'trial', battleId: '0123abcd', cell: 1}];
  const cell = (/** @type {string} */ outcome) => ({...record('0123abcd', 1), outcome});
  const messageFor = (/** @type {any[]} */ records) =>
    noResults(journal, {battles, trials, records}).message.replace(journal, 'results.ndjson');

  it('names --resume only for a battle that has not ended', () => {
    const unended = [[], [cell('failed')], [cell('failed'), cell('aborted')]];
    for (const records of unended) assert.match(messageFor(records), /To continue: perf-battle --resume$/);
  });

  it('says that the cells of an ended battle failed, or are sides', () => {
    assert.equal(
      messageFor([cell('failed'), cell('failed')]),
      'results.ndjson has no completed cell yet: no cell of the battle 0123abcd was completed. The error of each is in the journal. Correct the cause, and run perf-battle again.',
    );
    assert.equal(
      messageFor([cell('completed'), cell('failed')]),
      'results.ndjson has no completed cell apart from the sides of the battle 0123abcd. For those: perf-battle report 0123abcd',
    );
  });
});
