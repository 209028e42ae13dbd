import assert from 'node:assert/strict';
import {test} from 'node:test';
import {battleNotes, linkNote, suspectNote} from '../../src/report/battle-notes.js';

/** @param {string} status @param {string[]} codes @returns {any} */
const cell = (status, codes) => ({
  outcome: 'completed',
  trials: [],
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

test('trials that do not count because the cores were moved are counted; disturbed ones, and those of a battle that knows no distance, are not', () => {
  const coreDistance = {p10Ns: 52, p50Ns: 52, p90Ns: 52};
  const noteOf = (/** @type {any[]} */ trials) =>
    battleNotes([{...cell('valid', []), oneWay: null, link: null, config: {}, trials}], {
      ...{notes: [], detail: false},
    }).find((line) => line.includes('do not count'));
  const counted = {used: true, disturbed: false, coreDistance};
  const leftOut = {...counted, used: false};
  assert.match(noteOf([counted, counted, counted, leftOut]) ?? '', /^1 of 4 trials do not count: /);
  assert.equal(noteOf([counted, {...leftOut, disturbed: true}]), undefined);
  assert.equal(noteOf([counted, {...leftOut, coreDistance: null}]), undefined);
});

test('the count of cells has those that failed', () => {
  const completed = {...cell('wide', ['wide']), ...{config: {}, oneWay: null, link: null}};
  const error = {code: 'PB_NO_SERVER', message: 'No server could be reached.', exitCode: 1};
  const labels = {facilitator: 'HTTP', qualifier: null, settings: []};
  const failed = /** @type {any} */ ({outcome: 'failed', error, labels, workload: 'rtt', payloadBytes: 1024});
  const notes = battleNotes([completed, failed], {notes: [], detail: false});
  assert.ok(notes.includes('2 cells: 1 wide, 1 failed.'), notes.join('\n'));
  assert.ok(battleNotes([completed], {notes: [], detail: false}).includes('1 cell: 1 wide.'));
});

test('the count of wide cells says how many of them are counted as suspect', () => {
  const rest = {config: {}, oneWay: null, link: null};
  const notesOf = (/** @type {any[]} */ cells) => battleNotes(cells, {notes: [], detail: false}).join('\n');
  const wideOnly = {...cell('wide', ['wide']), ...rest};
  const both = {...cell('suspect', ['run-delay', 'wide']), ...rest};
  assert.match(notesOf([wideOnly, both]), /^wide, 2 cells, 1 also suspect: /m);
  assert.match(notesOf([both, both]), /^suspect, run-delay, 2 cells: .*^wide, 2 cells, also suspect: /ms);
  assert.match(notesOf([wideOnly]), /^wide, 1 cell: /m);
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
    battleNotes(records, {notes: [], detail: false}).join('\n');
  assert.match(
    notesOf([wideCell(true), wideCell(true)]),
    /^wide, 2 cells: three short rounds are a first look\./m,
  );
  assert.match(notesOf([wideCell(true), wideCell(false)]), /^wide, 2 cells: the larger half/m);
});

test('the note on --quick says how many rounds there were, and which option gave them', () => {
  const quickCell = (/** @type {number[]} */ rounds, config = {}) => ({
    ...cell('wide', ['wide']),
    ...{config: {quick: true, durationMs: 250, ...config}, oneWay: null, link: null},
    trials: rounds.map((round) => ({round})),
  });
  const noteOf = (/** @type {any} */ record) =>
    battleNotes([record], {notes: [], detail: false}).find((line) => line.startsWith('wide'));
  for (const [record, note] of /** @type {[any, RegExp][]} */ ([
    [quickCell([1, 2, 3]), /^wide, 1 cell: three short rounds are a first look\. Without --quick, /],
    [quickCell([1, 2, 2, 3]), /: three short rounds /],
    [quickCell([1, 2], {rounds: 2}), /: two short rounds are a first look\. Without --quick and --rounds, /],
    [quickCell([1, 2, 3, 4], {rounds: null}), /: four short rounds are a first look\. Without --quick, /],
    [quickCell([1]), /: one short round is a first look\. /],
    [quickCell([1, 2, 3, 4, 5, 6]), /: 6 short rounds are /],
    [quickCell([1, 2, 3], {durationMs: 5000}), /: the larger half /],
    [quickCell([1, 2, 3, 4], {budgetMs: 720_000}), /: the larger half /],
  ]))
    assert.match(noteOf(record) ?? '', note);
});

/** @param {number} payloadBytes @param {number | null} usedShare */
const linkedCell = (payloadBytes, usedShare) =>
  /** @type {any} */ ({
    payloadBytes,
    link: usedShare === null ? null : {bytesPerSecond: 12.5e6, usedShare, isLimit: usedShare >= 0.9},
  });

test('a note says which share of the link was in use where that is the limit', () => {
  const lines = linkNote([
    linkedCell(1024, 0.1),
    linkedCell(1_024_000, 0.96),
    linkedCell(1_024_000, 0.98),
    linkedCell(512_000, 0.92),
  ]);
  assert.deepEqual(lines, [
    'Link-limited: the link carries 100 Mbit/s, and 3 cells (500kb, 1000kb) used at least 92 % of it.',
    'These transports wait for the link: differences between them say little.',
  ]);
});

test('of a single linkedCell nothing is said about differences', () => {
  const [, sentence] = linkNote([linkedCell(1024, 0.95), linkedCell(1, 0.1)]);
  assert.equal(sentence, 'Its transport waits for the link: the figure says little about the transport.');
});

test('without such a linkedCell there is none', () => {
  assert.deepEqual(linkNote([linkedCell(1024, 0.5), linkedCell(1024, null)]), []);
});
