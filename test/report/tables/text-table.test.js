import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {textTable} from '../../../src/report/tables/text-table.js';

const names = {
  heading: 'Transport',
  cells: ['TCP', 'RabbitMQ mode 2 (confirms, manual ack)'],
  isText: true,
  wraps: true,
};
const mean = {heading: 'Mean', cells: ['0.1', '12.5'], priority: 0};

test('figures are aligned to the right, texts to the left, and no line ends in spaces', () => {
  const {lines, dropped} = textTable(
    [{...names, cells: ['TCP', 'HTTP']}, mean, {heading: 'Verdict', cells: ['valid', ''], isText: true}],
    60,
  );
  assert.deepEqual(lines, ['Transport  Mean  Verdict', 'TCP         0.1  valid', 'HTTP       12.5']);
  assert.deepEqual(dropped, []);
});

test('wide characters take two columns', () => {
  const {lines} = textTable([{...names, cells: ['日本語', 'HTTP']}, mean], 60);
  assert.deepEqual(lines, ['Transport  Mean', '日本語      0.1', 'HTTP       12.5']);
  const {dropped} = textTable(
    [
      {...names, cells: ['日本語日本語']},
      {...mean, cells: ['0.1'], priority: 1},
    ],
    17,
  );
  assert.deepEqual(dropped, ['Mean']);
});

test('columns that do not fit are left out by priority, and the order of the others stays', () => {
  const columns = [
    {heading: 'least', cells: ['1'], priority: 9},
    {heading: 'always', cells: ['2'], priority: 0},
    {heading: 'much too wide to fit', cells: ['3'], priority: 1},
    {heading: 'often', cells: ['4'], priority: 2},
  ];
  const {lines, dropped} = textTable(columns, 14);
  assert.deepEqual(lines, ['always  often', '     2      4']);
  assert.deepEqual(dropped, ['least', 'much too wide to fit']);
});

test('a long name continues on the next line, between words', () => {
  const {lines} = textTable([names, mean], 50);
  assert.deepEqual(lines, [
    'Transport             Mean',
    'TCP                    0.1',
    'RabbitMQ mode 2       12.5',
    '(confirms, manual',
    'ack)',
  ]);
});

test('a column that people want first is briefer where there is no room for its long cells', () => {
  const ratio = {
    heading: 'ratio',
    cells: ['3.6× [3.4, 3.8]', '9× [7, 11]'],
    brief: ['3.6×', '9×'],
    priority: 3,
  };
  const columns = [mean, ratio];
  assert.deepEqual(textTable(columns, 21).lines[1], ' 0.1  3.6× [3.4, 3.8]');
  assert.deepEqual(textTable(columns, 20).lines[1], ' 0.1   3.6×');
  assert.deepEqual(textTable(columns, 10).dropped, ['ratio']);
  assert.deepEqual(textTable([mean, {...ratio, priority: 5}], 20).dropped, ['ratio']);
});

test('names break earlier to make room for a column that people want first, and for no other', () => {
  const cells = ['1'.repeat(26), '1'];
  const [wanted, other] = [4, 5].map((priority) =>
    textTable([names, mean, {heading: 'p50', cells, priority}], 50),
  );
  assert.deepEqual([wanted.dropped, wanted.lines[2]], [[], `RabbitMQ mode 2   12.5${'1'.padStart(28)}`]);
  assert.deepEqual(other.dropped, ['p50']);
  const tooWide = textTable([names, mean, {heading: 'p50', cells: ['1'.repeat(33), '1'], priority: 3}], 50);
  assert.deepEqual(tooWide.dropped, ['p50']);
});

test('an address wraps after its slashes', () => {
  const rows = {...names, cells: ['HTTP 127.0.0.1:8099/health/live (GET)', 'TCP']};
  const {lines} = textTable([rows, mean], 24);
  assert.deepEqual(lines, [
    'Transport        Mean',
    'HTTP              0.1',
    '127.0.0.1:8099/',
    'health/live',
    '(GET)',
    'TCP              12.5',
  ]);
});

test('colours do not change what is aligned', () => {
  const painted = {...mean, paint: (/** @type {string} */ text) => `\u001b[32m${text}\u001b[39m`};
  const {lines} = textTable([{...names, cells: ['TCP', 'HTTP']}, painted], 60);
  assert.deepEqual(lines, [
    'Transport  Mean',
    'TCP         \u001b[32m0.1\u001b[39m',
    'HTTP       \u001b[32m12.5\u001b[39m',
  ]);
  const {lines: withEmpty} = textTable([{...painted, cells: ['', '12.5']}], 60);
  assert.deepEqual(withEmpty, ['Mean', '', '\u001b[32m12.5\u001b[39m']);
});

const word = fc.stringMatching(/^[A-Za-z0-9(),:/]{1,12}$/);
const name = fc.array(word, {minLength: 1, maxLength: 12}).map((words) => words.join(' '));

test('no line is longer than the width unless the columns that are always shown are, with their longest words', () => {
  const figures = fc.array(
    fc.record({heading: fc.string({maxLength: 15}), length: fc.nat(18), priority: fc.nat(7)}),
    {maxLength: 10},
  );
  fc.assert(
    fc.property(
      fc.array(name, {minLength: 1, maxLength: 8}),
      figures,
      fc.integer({min: 20, max: 200}),
      (rows, some, width) => {
        const columns = [
          {heading: 'Transport', cells: rows, isText: true, wraps: true},
          ...some.map(({heading, length, priority}) => ({
            heading,
            priority,
            cells: rows.map(() => '8'.repeat(length)),
          })),
        ];
        const {lines, dropped} = textTable(columns, width);
        const fixed = some.filter(({priority}) => priority === 0);
        const words = rows.flatMap((row) => row.split(/ |(?<=\/)/));
        const longestWord = Math.max(9, ...words.map(({length}) => length));
        const needed = fixed.reduce(
          (sum, {heading, length}) => sum + 2 + Math.max(heading.length, length),
          longestWord,
        );
        for (const line of lines)
          assert.ok(line.length <= Math.max(width, needed), `${line.length}: ${line}`);
        assert.equal(dropped.length + fixed.length <= some.length, true);
        const text = lines.join(' ');
        for (const one of words) assert.ok(text.includes(one), `${one} is not broken`);
      },
    ),
  );
});
