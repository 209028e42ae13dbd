import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {compareSides} from '../../../src/compare/compare-sides.js';
import {comparisonMarkdown, printComparison} from '../../../src/report/tables/comparison-table.js';
import * as records from '../../compare/records.js';

const rtt = {meanMs: 1, ci95Ms: [0.9, 1.1]};
const record = (/** @type {string} */ id, /** @type {number} */ meanMs, fields = {}) =>
  records.record(id, meanMs, {rtt, ...fields});
const floor = (/** @type {string} */ id, /** @type {number} */ meanMs, fields = {}) =>
  records.floor(id, meanMs, {rtt, ...fields});

/** @param {any[]} olds @param {any[]} news */
function shownOf(olds, news) {
  const shown = {names: {old: 'old', new: 'new'}, comparisons: compareSides(olds, news)};
  let text = '';
  const stream = {
    write(/** @type {string} */ part) {
      text += part;
    },
  };
  printComparison(shown, /** @type {any} */ (stream));
  return {text: text.split('\n'), markdown: comparisonMarkdown(shown)};
}

const sizes = (/** @type {number[]} */ ...all) => all.map((payloadBytes) => ({payloadBytes}));

describe('the counts of a comparison', () => {
  it('agree with its rows and its notes, also where a side has nothing of the other', () => {
    const [one, two, three, four] = sizes(1024, 2048, 3072, 4096);
    const {text, markdown} = shownOf(
      [floor('a', 0.1, one), record('a', 1, one), record('a', 1, two), record('a', 1, three)],
      [floor('b', 0.1, four), record('b', 1, four)],
    );
    const rows = text.filter((line) => /^\d+kb /.test(line));
    assert.equal(rows.length, 6);
    assert.ok(text.includes('4 cells: 4 not comparable.'));
    assert.ok(text.includes('Raw TCP, the floor, is not counted here. It has 2 cells: 2 not comparable.'));
    const notes = text.slice(text.lastIndexOf(rows[5]) + 1).filter(Boolean);
    assert.deepEqual(notes, [
      'not comparable, 1 cell: only the new side has it.',
      'not comparable, 3 cells: only the old side has it.',
      'Raw TCP, not comparable, 1 cell: only the new side has it.',
      'Raw TCP, not comparable, 1 cell: only the old side has it.',
    ]);
    for (const note of notes) assert.ok(markdown.includes(`- ${note}`), note);
    assert.match(markdown, /^\*\*4 cells: 4 not comparable\.\*\*\n/);
  });

  it('are of the transports alone; without any, that is said', () => {
    const {text} = shownOf([floor('a', 0.1)], [floor('b', 0.1)]);
    assert.ok(text.includes('Raw TCP is the only transport.'));
    const alone = shownOf([record('a', 1)], [record('b', 2)]).text;
    assert.ok(alone.includes('1 cell: 1 slower.'));
    assert.ok(!alone.some((line) => line.startsWith('Raw TCP')));
  });
});

describe('the differences of two sides', () => {
  const hosts = (/** @type {string} */ server) => ({hosts: {client: 'vm', server, broker: null}});
  const warmUp = (/** @type {number} */ sizeMs) => ({
    config: {warmUp: {kind: 'auto', requests: 6000, sizeMs}},
  });

  it('are shown in words, from the old value to the new one', () => {
    const [old, now] = [
      {...hosts('vm'), ...warmUp(100), variant: {keepAlive: true}},
      {...hosts('b'), ...warmUp(150), variant: {keepAlive: false}},
    ];
    const {text} = shownOf([record('a', 1, old)], [record('b', 1, now)]);
    assert.match(
      text.join(' ').replace(/\s+/g, ' '),
      /The sides differ in: hosts: server vm → b; keepAlive: true → false; warmUp: size in ms 100 → 150\. /,
    );
  });

  it('do not include what the trials of a cell that did not complete would show', () => {
    const failed = {outcome: 'failed', error: {code: 'PB_RUN', message: ''}, trials: []};
    const sliced = {coreState: 'awake', trials: [{round: 1, meanMs: 1, used: true, slices: {count: 1}}]};
    const {text} = shownOf([record('a', 1, sliced)], [record('b', 1, failed)]);
    assert.ok(!text.some((line) => /differ/.test(line)), text.join('\n'));
  });
});
