import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';
import fc from 'fast-check';
import stringWidth from 'string-width';
import {
  columnsOf,
  joinIndented,
  painter,
  printText,
  wrapIndented,
  wrapWords,
} from '../../src/report/terminal.js';

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

test('a text is broken between words, and a long word stands alone', () => {
  assert.deepEqual(wrapWords('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrapWords('a extraordinary b', 5), ['a', 'extraordinary', 'b']);
  assert.deepEqual(wrapWords('', 5), ['']);
});

test('wide characters take two columns', () => {
  assert.deepEqual(wrapWords('日本 語の 輸送', 9), ['日本 語の', '輸送']);
});

test('no word is lost, and no line with two words is longer than it may be', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), {minLength: 1});
  fc.assert(
    fc.property(words, fc.integer({min: 1, max: 30}), (list, width) => {
      const lines = wrapWords(list.join(' '), width);
      assert.equal(lines.join(' '), list.join(' '));
      for (const line of lines) assert.ok(line.length <= width || !line.includes(' '));
    }),
  );
});

test('the lines after the first are indented', () => {
  assert.deepEqual(wrapIndented('one two three four', 9), ['one two', '  three', '  four']);
  assert.deepEqual(wrapIndented('one two three', 11, 2), ['  one two', '    three']);
});

test('a part stays on one line if it fits there', () => {
  assert.deepEqual(joinIndented(['one;', 'two and three;', 'four'], 19), ['one; two and three;', '  four']);
  assert.deepEqual(joinIndented(['one;', 'two and three;', 'four'], 18), [
    'one;',
    '  two and three;',
    '  four',
  ]);
  assert.deepEqual(joinIndented(['two and three'], 9), ['two and', '  three']);
});

/** @param {string} text @param {boolean} isTTY */
function printed(text, isTTY) {
  let written = '';
  const write = (/** @type {string} */ part) => {
    written += part;
    return true;
  };
  printText(text, {write, isTTY, columns: 60});
  return written;
}

test('a terminal gets lines that break between words, and everything else whole lines', () => {
  const words = `Warning: ${'word '.repeat(20)}\n\nend`.replace(' \n', '\n');
  assert.equal(printed(words, false), `${words}\n`);
  const lines = printed(words, true).split('\n');
  assert.equal(lines.length, 5);
  assert.ok(lines.every((line) => line.length <= 60));
  assert.match(lines[1], /^ {2}word/);
  assert.deepEqual(lines.slice(2), ['', 'end', '']);
});

test('a command to copy stays on one line, and so does the row of a markdown table', () => {
  const where = 'The 12 finished trials are stored in results.ndjson.';
  const command = 'perf-battle --resume --results here.md';
  assert.equal(
    printed(`${where} To continue: ${command}`, true),
    `${where}\n  To continue: ${command}\n`.replace('\n  To continue: ', ' To\n  continue: '),
  );
  const row = `| ${'cell | '.repeat(20)}`;
  assert.equal(printed(row, true), `${row}\n`);
});

test('what a terminal would act on is not printed', () => {
  assert.equal(printed('a\u001b[2Jb', true), 'a [2Jb\n');
});
