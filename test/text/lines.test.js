import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import stringWidth from 'string-width';
import {columnsOf, joinIndented, wrapIndented, wrapWords} from '../../src/text/lines.js';

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
