import assert from 'node:assert/strict';
import {test} from 'node:test';
import {showExpectations} from '../../src/report/show-outcomes.js';

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
