import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {costOfMarkdown} from '../../src/report/edit-markdown.js';
import {isQuick} from '../support/effort.js';

/** @param {number} count @param {(index: number) => string} line */
const lines = (count, line) => Array.from({length: count}, (_, index) => line(index)).join('\n');

/** For each of them the parser takes more than a second. @type {[string, string, number][]} */
const costly = [
  ['quotations in each other', `# Notes\n\n${'>'.repeat(30_000)}a`, 3],
  ['emphasis that nothing closes', `a\n\n\n${'*a_ '.repeat(8000)}\n`, 4],
  ['lists in each other', lines(300, (index) => `${' '.repeat(2 * index)}- a`), 300],
  ['lists in each other, on one line', `${'- '.repeat(3000)}a`, 1],
  ['numbered lists in each other, on one line', `${'1. '.repeat(3000)}a`, 1],
  ['brackets', `${'['.repeat(5000)}`, 1],
  ['emphasis over many lines', lines(8000, () => '*a_'), 1],
  ['emphasis after what looks like a table', `a | b\n---\n${lines(8000, () => '*a_ |')}`, 3],
  ['code marks of all lengths', lines(800, (index) => `${'`'.repeat(index)}a`), 800],
  ['a row with emphasis', `| a |\n|---|\n| ${'*a_ '.repeat(3000)} |\n`, 3],
  ['a table of many columns', `${'|a'.repeat(8000)}|\n${'|-'.repeat(8000)}|\n`, 1],
  ['half a megabyte of quotations', lines(100_000, () => '> a\n'), 1],
];
for (const [what, markdown, line] of costly) {
  test(`a markdown text may take the parser long, and the line is named: ${what}`, () => {
    assert.deepEqual(costOfMarkdown(markdown), {isHigh: true, line});
  });
}

/** @type {[string, string][]} */
const usual = [
  ['an empty one', ''],
  ['this README', readFileSync(new URL('../../README.md', import.meta.url), 'utf8')],
  ['this CHANGELOG', readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')],
  [
    'a table of 5 MB',
    `| Id | a | b |\n| --- | --- | --- |\n${lines(200_000, (index) => `| ${index} | 1.234 | **x** |`)}`,
  ],
  ['5 MB of text', lines(100_000, () => 'Some words with a [link](to) and `code`.\n')],
  [
    'code that is deep in braces',
    `\`\`\`js\n${lines(200, (index) => `${' '.repeat(2 * (index % 20))}a[b] = c * d;`)}\n\`\`\``,
  ],
];
for (const [what, markdown] of usual) {
  test(`a usual markdown text takes the parser no time: ${what}`, () => {
    assert.equal(costOfMarkdown(markdown).isHigh, false);
  });
}

test('the estimate itself takes a time that grows with the length of the text', {skip: isQuick}, () => {
  for (const text of [' ', '-', '|', '>', '- ', '1', '\t', '-|', ':', ' |', '*', '\n', ' \n']) {
    const markdown = `|\n${text.repeat(1_000_000 / text.length)}x`;
    const before = process.cpuUsage();
    costOfMarkdown(markdown);
    assert.ok(process.cpuUsage(before).user < 3_000_000, JSON.stringify(text));
  }
});
