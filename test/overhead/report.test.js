import assert from 'node:assert/strict';
import {test} from 'node:test';
import {formatRow, holds} from '../../overhead/report.js';

/** @import {Row} from '../../overhead/report.js' */

/** @param {'<=' | '<'} sign @param {number} low @param {number} high @returns {Row} */
function row(sign, low, high) {
  const estimate = {median: (low + high) / 2, low, high};
  return {what: 'tcp, 1 KB', bound: {sign, limit: 1.03}, estimate, unit: '', sides: null};
}

test('a bound does not hold only when the whole interval is on its wrong side', () => {
  assert.equal(holds(row('<=', 1.03, 1.2)), true);
  assert.equal(holds(row('<=', 1.031, 1.2)), false);
  assert.equal(holds(row('<', 1.029, 1.2)), true);
  assert.equal(holds(row('<', 1.03, 1.2)), false);
  assert.equal(holds({...row('<', 5, 6), bound: null}), true);
});

test('a row of the table shows whether its bound holds, and fits a code block', () => {
  assert.match(formatRow(row('<=', 0.98, 1.01)), /holds$/);
  const broken = formatRow({
    ...row('<=', 1.05, 1.1),
    sides: {one: [0.0561, 1234.5], other: [0.05, 1200], unit: 'ms'},
  });
  assert.match(broken, /1\.050 to 1\.100 .* ms {2}DOES NOT HOLD$/);
  assert.ok(broken.length <= 110);
});
