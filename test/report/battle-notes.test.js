import assert from 'node:assert/strict';
import {test} from 'node:test';
import {battleNotes, suspectNote} from '../../src/report/battle-notes.js';

/** @param {string} status @param {string[]} codes @returns {any} */
const cell = (status, codes) => ({
  outcome: 'completed',
  verdict: {status, warnings: codes.map((code) => ({code}))},
});

test('without tables, suspect cells are counted, with the codes that make them so', () => {
  const records = [
    cell('suspect', ['run-delay', 'wide']),
    cell('suspect', ['run-delay', 'stalled']),
    cell('wide', ['wide']),
    cell('valid', []),
    /** @type {any} */ ({outcome: 'failed'}),
  ];
  assert.equal(
    suspectNote(records),
    '2 of 4 cells are suspect (run-delay, stalled). The reasons: perf-battle table --detail',
  );
  assert.match(suspectNote(records.slice(1)) ?? '', /^1 of 3 cells is suspect/);
});

test('nothing is said when no cell is suspect', () => {
  assert.equal(suspectNote([cell('valid', []), cell('wide', ['wide'])]), null);
});

test('a battle with --quick is not advised to use more rounds because it is quick', () => {
  const wideCell = (/** @type {boolean} */ quick) => ({
    ...cell('wide', ['wide']),
    ...{config: {quick}, oneWay: null, link: null},
  });
  const notesOf = (/** @type {any[]} */ records) =>
    battleNotes(records, records, {notes: [], detail: false}).join('\n');
  assert.match(
    notesOf([wideCell(true), wideCell(true)]),
    /^wide, 2 cells: three short rounds are a first look\./m,
  );
  assert.match(notesOf([wideCell(true), wideCell(false)]), /^wide, 2 cells: the larger half/m);
});
