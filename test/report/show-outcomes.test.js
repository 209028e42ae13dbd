import assert from 'node:assert/strict';
import {test} from 'node:test';
import {showExpectations, showFindings} from '../../src/report/show-outcomes.js';

/** @param {readonly string[]} expectations */
function shownOf(expectations) {
  let text = '';
  const stream = /** @type {any} */ ({write: (/** @type {string} */ part) => (text += part)});
  const judgements = expectations.map((expectation) => ({
    expectation,
    cell: null,
    outcome: /** @type {const} */ ('holds'),
    sentence: 'it holds',
  }));
  showExpectations(judgements, stream, {environment: {}});
  return text;
}

test('judgements of an option are under its name, and those of --expect under expectations', () => {
  assert.match(shownOf(['--fail-if-slower 5%', '--fail-if-slower 5%']), /^\n--fail-if-slower 5%:\nholds /);
  assert.match(shownOf(['http p99 < 5ms']), /^\nExpectations:\nholds /);
  assert.match(shownOf(['http p99 < 5ms', '--fail-if-slower 5%']), /^\nExpectations:\nholds /);
});

test('the count of findings is in English', () => {
  for (const [levels, count] of /** @type {const} */ ([
    [['ok', 'warning'], '2 checks: 1 ok, 1 warning.'],
    [['warning', 'ok', 'warning'], '3 checks: 1 ok, 2 warnings.'],
    [['error', 'error'], '2 checks: 2 errors.'],
  ])) {
    let text = '';
    const stream = /** @type {any} */ ({write: (/** @type {string} */ part) => (text += part)});
    const findings = levels.map((level) => ({check: 'load', level, finding: 'found', advice: null}));
    showFindings(findings, stream);
    assert.equal(text.trimEnd().split('\n').at(-1), count);
  }
});
