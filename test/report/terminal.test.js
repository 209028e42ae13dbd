import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';
import stringWidth from 'string-width';
import {columnsOf, painter} from '../../src/report/terminal.js';

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

test('each character that is counted without the library takes one column by the library, too', () => {
  const narrow = [
    [0x20, 0x7e],
    [0xa1, 0xac],
    [0xae, 0x2ff],
    [0x2010, 0x2027],
    [0x2580, 0x259f],
  ].flatMap(([from, to]) =>
    Array.from({length: to - from + 1}, (_, index) => String.fromCodePoint(from + index)),
  );
  for (const character of narrow)
    assert.equal(stringWidth(character), 1, character.codePointAt(0)?.toString(16));
  for (const text of ['', 'ab', '日本', 'e\u0301', '\u001b[33mab\u001b[39m', '👩‍💻'])
    assert.equal(columnsOf(text), stringWidth(text), text);
});
