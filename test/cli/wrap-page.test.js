import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {test} from 'node:test';
import {wrapPage} from '../../src/cli/wrap-page.js';

const documentation = new URL('../../docs/', import.meta.url);
const pages = readdirSync(documentation)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({name, text: readFileSync(new URL(name, documentation), 'utf8')}));
const width = 80;

/** @param {string} text */
function withoutCode(text) {
  return text.replace(/^ *```[\s\S]*?^ *```/gm, '');
}

/** What a terminal does not show as it is. @param {string} text */
function proseOf(text) {
  return withoutCode(text)
    .replace(/^\s*(?:<!--.*-->|!\[.*\]\(.*\))$/gm, '')
    .replace(/^\|.*$/gm, '');
}

test('on a terminal, a page is as wide as the terminal, except its code and headings', () => {
  for (const {name, text} of pages) {
    const lines = withoutCode(wrapPage(text, width)).split('\n');
    const wide = lines.filter(
      (line) => line.length > width && !/^[#<[]/.test(line) && /\S \S/.test(line.trim()),
    );
    assert.deepEqual(wide, [], name);
  }
});

test('no word of its prose is lost, and its code stays', () => {
  for (const {name, text} of pages) {
    const without = text.replace(/^\|.*\n/gm, '');
    assert.equal(
      proseOf(wrapPage(without, width)).replace(/\s+/g, ' '),
      proseOf(text).replace(/\s+/g, ' '),
      name,
    );
    const codeOf = (/** @type {string} */ page) => page.match(/^ *```[\s\S]*?^ *```/gm);
    assert.deepEqual(codeOf(wrapPage(text, width)), codeOf(text), name);
  }
});

test('comments, pictures and the lines of tables are not shown', () => {
  for (const {name, text} of pages)
    assert.doesNotMatch(withoutCode(wrapPage(text, width)), /^(?:<!--|!\[|\|)| {60}/m, name);
  assert.equal(wrapPage('a\n\n<!-- b -->\n\n![c](d.svg)\n\ne', width), 'a\n\ne');
  assert.equal(wrapPage('```html\n<!-- b -->\n```', width), '```html\n<!-- b -->\n```');
});

test('a table that fits has aligned columns', () => {
  const table = '| A | Of b |\n| --- | --- |\n| `one` | 1 |\n| two \\| 日本 | |';
  assert.equal(wrapPage(table, 30), 'A           Of b\n----------  ----\n`one`       1\ntwo | 日本');
});

test('a row of a wide table is its first cell, and the others below', () => {
  const table =
    '| A                    | Of b | C |\n| - | - | - |\n| one | two three four five | 6 |\n| seven | | 8 |';
  assert.equal(wrapPage(table, 16), 'one\n  Of b: two\n    three four\n    five\n  C: 6\nseven\n  C: 8');
});
