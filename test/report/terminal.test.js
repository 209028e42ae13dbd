import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';
import {painter} from '../../src/report/terminal.js';

const names = ['FORCE_COLOR', 'NO_COLOR', 'TERM'];
const given = {...process.env};
beforeEach(() => {
  for (const name of names) delete process.env[name];
});
afterEach(() => {
  for (const name of names) if (given[name] !== undefined) process.env[name] = given[name];
});

/** @param {boolean} isTTY @param {Record<string, string>} environment */
function isColoured(isTTY, environment) {
  for (const name of names) delete process.env[name];
  Object.assign(process.env, environment);
  return painter({isTTY})('red', 'text') !== 'text';
}

test('a terminal has colours unless it or a person refuses them; a file has some only if a person forces them', () => {
  assert.equal(isColoured(true, {}), true);
  assert.equal(isColoured(true, {NO_COLOR: '1'}), false);
  assert.equal(isColoured(true, {TERM: 'dumb'}), false);
  assert.equal(isColoured(false, {}), false);
  assert.equal(isColoured(false, {FORCE_COLOR: '1'}), true);
  assert.equal(isColoured(false, {FORCE_COLOR: ''}), true);
  assert.equal(isColoured(true, {FORCE_COLOR: '0'}), false);
  assert.equal(isColoured(true, {FORCE_COLOR: 'false'}), false);
  assert.equal(isColoured(false, {FORCE_COLOR: '1', NO_COLOR: '1', TERM: 'dumb'}), true);
});
