import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {joinIndented, printText, wrapIndented, wrapWords} from '../../src/report/terminal.js';

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
