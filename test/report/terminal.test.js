import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';
import {painter, printText} from '../../src/report/terminal.js';

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
