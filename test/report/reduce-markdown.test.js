import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import fc from 'fast-check';
import {meanRoundTrips} from '../../src/columns/tables.js';
import {commentText, endOf, parseBlocks, startOf, textOf} from '../../src/report/markdown-document.js';
import {costOfMarkdown, reduceMarkdown} from '../../src/report/reduce-markdown.js';
import {appendResultRows, missingRows} from '../../src/report/tables/results-table.js';
import {isQuick, runsOf} from '../support/effort.js';

/** @import {Block} from '../../src/report/types.js' */

const numRuns = runsOf(Number(process.env.NUM_RUNS ?? 200));

const line = fc.constantFrom(
  ...[
    '',
    '',
    '',
    'Some words',
    'a | b',
    '| 1 | x |',
    '| 2 | `y` |',
    '3 | z',
    '| - | - |',
    '-|-',
    ' | - | - |',
  ],
  ...['- item', '- | a | b |', '  | a | b |', '  | - | - |', '1. one', '> quote', '> | a | b |', '# Title'],
  ...['```', '  ```', '- ```', '~~~', '<!-- here -->', '- <!-- here -->', '<!--', '-->', '<div>', '<pre>'],
  ...[
    '</pre>',
    '<?php',
    '?>',
    '---',
    '===',
    '    code',
    '\tcode',
    '`code',
    'a ``b`` c',
    '[a]: b',
    '\\',
    '***',
  ],
);
const markdown = fc
  .record({
    parts: fc.array(fc.tuple(line, fc.constantFrom(1, 1, 1, 2, 4, 5, 7)), {maxLength: 14}),
    lineEnding: fc.constantFrom('\n', '\r\n', '\r'),
    end: fc.boolean(),
  })
  .map(
    ({parts, lineEnding, end}) =>
      parts.flatMap(([part, times]) => Array(times).fill(part)).join(lineEnding) + (end ? lineEnding : ''),
  );

/** What is asked of blocks: where the tables and the comments are, and what the header of a table says. @param {Block[]} blocks */
function placesOf(blocks) {
  return blocks.flatMap((block) => {
    if (block.type === 'table')
      return {from: startOf(block), to: endOf(block), header: block.children[0].children.map(textOf)};
    if (block.type !== 'html') return [];
    // Where an unclosed block ends does not matter.
    return {from: startOf(block), to: commentText(block.value) === undefined ? null : endOf(block)};
  });
}

test('Tables and comments of any text are where they are in the whole text, with the same header', () => {
  fc.assert(
    fc.property(markdown, (text) => {
      assert.deepEqual(
        placesOf(parseBlocks(text, {isReduced: true})),
        placesOf(parseBlocks(text, {isReduced: false})),
      );
    }),
    {numRuns},
  );
});

const row = {
  ...{facilitator: 'TCP', environment: 'local', payloadSize: '1kb', persistent: '*N/A*', workload: 'rtt'},
  figures: {'AMD EPYC': 0.25},
};
const ours = appendResultRows('', Array(9).fill(row), meanRoundTrips);

/** Of what the parser reads few, however many there are. */
const many = isQuick ? 4000 : 20_000;

for (const [what, text] of Object.entries({
  'short paragraphs': 'Some short words.\n\n'.repeat(many),
  'lines of one paragraph': 'Some words | with a pipe.\n'.repeat(many),
  'items of a list': '- item *a* `b` [c](d)\n'.repeat(many),
  'rows of our own': `${ours}${ours.trimEnd().split('\n').at(-1)}\n`.replace(/(\|.*\n)$/, (last) =>
    last.repeat(many),
  ),
  'rows of other tables': `| a | b |\n| - | - |\n${'| x | y |\n'.repeat(many)}`,
})) {
  test(`Of many ${what}, the parser reads few; a row is appended, once`, () => {
    assert.ok(reduceMarkdown(text).text.length < 2000, `${reduceMarkdown(text).text.length}`);
    const appended = appendResultRows(text, [{...row, facilitator: 'HTTP'}], meanRoundTrips);
    assert.ok(appended.includes(text.trimEnd()));
    assert.match(appended, /\n\| \d+ +\| HTTP .*0\.2500 ms.*\n$/);
    assert.deepEqual(missingRows(appended, [{...row, facilitator: 'HTTP'}], meanRoundTrips), []);
    assert.equal(missingRows(appended, [{...row, facilitator: 'Web Sockets'}], meanRoundTrips).length, 1);
  });
}

test('The Id goes on from a row that is left out', () => {
  const lines = ours.trimEnd().split('\n');
  lines[8] = lines[8].replace(/^\| \d+ /, '| 4711 ');
  const long = `${'Words.\n\n'.repeat(5000)}${lines.join('\n')}\n`;
  assert.match(appendResultRows(long, [row], meanRoundTrips), /\n\| 4712 .*\n$/);
});

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
    'a large table',
    `| Id | a | b |\n| --- | --- | --- |\n${lines(10 * many, (index) => `| ${index} | 1.234 | **x** |`)}`,
  ],
  ['a long text', lines(5 * many, () => 'Some words with a [link](to) and `code`.\n')],
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
