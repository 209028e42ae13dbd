import assert from 'node:assert/strict';
import {test} from 'node:test';
import {formatRow, outcomeOf} from '../../overhead/report.js';

/** @import {Row} from '../../overhead/part.js' */

/** @param {Row['bound']} bound @param {number} low @param {number} high @returns {Row} */
function row(bound, low, high) {
  const estimate = {value: (low + high) / 2, ci95: /** @type {const} */ ([low, high]), count: 12};
  return {what: 'tcp, 1 KB', bound, estimate, unit: '', sides: null};
}

for (const [bound, low, high, outcome] of /** @type {const} */ ([
  [{max: 1.03}, 0.98, 1.03, 'holds'],
  [{max: 1.03}, 0.98, 1.031, 'inconclusive'],
  [{max: 1.03}, 1.03, 1.2, 'inconclusive'],
  [{max: 1.03}, 1.031, 1.2, 'fails'],
  [{min: 0.97}, 0.97, 1.2, 'holds'],
  [{min: 0.97}, 0.96, 1.2, 'inconclusive'],
  [{min: 0.97}, 0.9, 0.969, 'fails'],
  [{min: 0.97, max: 1.03}, 0.98, 1.02, 'holds'],
  [{min: 0.97, max: 1.03}, 0.9, 1.2, 'inconclusive'],
  [{min: 0.97, max: 1.03}, 1.04, 1.2, 'fails'],
  [null, 5, 6, null],
])) {
  test(`an interval from ${low} to ${high} against ${JSON.stringify(bound)}: ${outcome}`, () => {
    assert.equal(outcomeOf(row(bound, low, high)), outcome);
  });
}

test('without an interval a bound is inconclusive', () => {
  const unknown = {...row({max: 1.03}, 1, 1), estimate: {value: 1, ci95: null, count: 1}};
  assert.equal(outcomeOf(unknown), 'inconclusive');
  assert.match(formatRow(unknown), /too few .* inconclusive$/);
});

test('a row with an explanation holds or is explained, and a second line has the reason', () => {
  const explanation = 'The tool is in C.';
  const explained = (/** @type {number} */ low, /** @type {number} */ high) => ({
    ...row({min: 0.9}, low, high),
    explanation,
  });
  assert.equal(outcomeOf(explained(0.9, 1.2)), 'holds');
  assert.equal(outcomeOf(explained(0.8, 0.95)), 'explained');
  assert.equal(outcomeOf(explained(0.2, 0.3)), 'explained');
  assert.match(formatRow(explained(0.2, 0.3)), / explained\n {6}The tool is in C\.$/);
  assert.doesNotMatch(formatRow(explained(0.9, 1.2)), /The tool/);
});

test('a row of the table shows the outcome of its bound, and fits a code block', () => {
  assert.match(formatRow(row({max: 1.03}, 0.98, 1.01)), /<= 1\.03 .* 12 .* holds$/);
  assert.match(formatRow(row({min: 93, max: 97}, 94, 96)), /93 to 97 .* holds$/);
  const broken = formatRow({
    ...row({max: 1.03}, 1.05, 1.1),
    sides: {one: [0.0561, 1234.5], other: [0.05, 1200], unit: 'ms'},
  });
  assert.match(broken, /1\.050 to 1\.100 .* ms {2}fails$/);
  assert.ok(broken.length <= 115);
});
