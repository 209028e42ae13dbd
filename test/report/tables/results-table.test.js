import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {fromMarkdown} from 'mdast-util-from-markdown';
import {gfmTableFromMarkdown} from 'mdast-util-gfm-table';
import {gfmTable} from 'micromark-extension-gfm-table';
import {meanRoundTrips} from '../../../src/columns/tables.js';
import {publishedTable} from '../../../src/report/tables/markdown-tables.js';
import {appendResultRows as appendTo} from '../../../src/report/tables/results-table.js';
import {anyCharacter} from '../../support/any-character.js';
import {runsOf} from '../../support/effort.js';

/** @import {ResultRow} from '../../../src/columns/column.js' */

/** @param {string} markdown @param {ResultRow[]} rows */
const appendResultRows = (markdown, rows) => appendTo(markdown, rows, meanRoundTrips);

const MARKER = '<!-- perf-battle:results -->';
const HEADER =
  '| Id | Facilitator | Environment | Payload Size | Persistent | RTT t2.micro | RTT m4.xlarge |';
const DELIMITER =
  '| -- | ----------- | ----------- | ------------ | ---------- | ------------ | ------------- |';

/** A new table has columns only of the machines with figures. */
const NEW =
  '| Id | Facilitator | Environment | Payload Size | Persistent | RTT t2.micro |\n| -- | ----------- | ----------- | ------------ | ---------- | ------------ |';

const numRuns = runsOf(Number(process.env.NUM_RUNS ?? 15));

/** @param {Partial<ResultRow>} [fields] @returns {ResultRow} */
function row(fields) {
  return {
    facilitator: 'RabbitMQ',
    environment: 'local',
    payloadSize: '1kb',
    persistent: 'No',
    figures: {'t2.micro': 0.767},
    ...fields,
  };
}

test('A table is made in an empty text, with its marker and the columns of the machines that have figures', () => {
  assert.equal(
    appendResultRows('', [row()]),
    `${MARKER}\n\n${NEW}\n| 1  | RabbitMQ    | local       | 1kb          | No         | 0.7670 ms    |\n`,
  );
});

test('The columns of a new table are as wide as its rows', () => {
  const long = row({facilitator: 'HTTP (node:http, suspect) | x'});
  const lines = appendResultRows('', [row(), long]).trim().split('\n').slice(2);
  assert.equal(lines.length, 4);
  assert.deepEqual(
    lines.map((line) => line.length),
    lines.map(() => lines[0].length),
    lines.join('\n'),
  );
});

test('No rows leave the text as it is', () => {
  assert.equal(appendResultRows('text', []), 'text');
});

const README_HEADER =
  'Id | Facilitator | Environment | Payload Size | Persistent | RTT t2.micro | RTT m4.xlarge';
const README_TABLE = [
  README_HEADER,
  '---|-------------|-------------|--------------|------------|--------------|--------------',
  '1  | RabbitMQ    | local       | 1kb          | No         | 0.7670 ms    | *N/A*',
  '20 | Web Sockets | EC2         | 1000kb       | *N/A*      |              | 48.1444 ms',
];

test('A table without outer pipes gets rows without outer pipes', () => {
  const appended = appendResultRows(README_TABLE.join('\n'), [row({figures: {'m4.xlarge': 4.983}})]);
  assert.equal(
    appended,
    [
      ...README_TABLE,
      '21 | RabbitMQ    | local       | 1kb          | No         | *N/A*        | 4.9830 ms',
    ].join('\n'),
  );
});

test('A new machine lengthens the header and delimiter lines only', () => {
  const appended = appendResultRows(`${README_TABLE.join('\r\n')}\r\n`, [row({figures: {'c5.large': 1}})]);
  const [header, delimiter, ...others] = README_TABLE;
  assert.equal(
    appended,
    [
      `${header} | RTT c5.large`,
      `${delimiter} | ------------`,
      ...others,
      '21 | RabbitMQ    | local       | 1kb          | No         | *N/A*        | *N/A*         | 1.0000 ms',
      '',
    ].join('\r\n'),
  );
});

test('Outer pipes of the header line and of the delimiter line are read separately', () => {
  const appended = appendResultRows(`${README_HEADER}\n|-|-|-|-|-|-|-|  \n`, [row({figures: {box: 2}})]);
  const [header, delimiter] = appended.split('\n');
  assert.equal(header, `${README_HEADER} | RTT box`);
  assert.equal(delimiter, '|-|-|-|-|-|-|-| ------- |  ');
  assert.deepEqual(lastRows(appended, 1), [
    ['1', 'RabbitMQ', 'local', '1kb', 'No', 'N/A', 'N/A', '2.0000 ms'],
  ]);
});

test('A header whose last pipe is escaped has no closing pipe', () => {
  const text = `${README_HEADER} | odd \\|\n${'---|'.repeat(7)}---\n`;
  const appended = appendResultRows(text, [row({figures: {box: 2}})]);
  assert.equal(appended.split('\n')[0], `${README_HEADER} | odd \\| | RTT box`);
  assert.deepEqual(lastRows(appended, 1)[0]?.slice(6), ['N/A', '', '2.0000 ms']);
});

test('The cells of columns that a person added are left empty', () => {
  const text = `| Id | Facilitator | Environment | Payload Size | Persistent | Who | RTT t2.micro | Note |
|:-|-|-|-|-|-|-:|-|
| 7 | HTTP | here | 1kb | *N/A* | me | 1 ms | by hand \\| a \`b\\|c\` |`;
  const appended = appendResultRows(text, [row(), row()]);
  assert.ok(appended.startsWith(`${text}\n`));
  assert.deepEqual(lastRows(appended, 2), [
    ['8', 'RabbitMQ', 'local', '1kb', 'No', '', '0.7670 ms', ''],
    ['9', 'RabbitMQ', 'local', '1kb', 'No', '', '0.7670 ms', ''],
  ]);
});

test('Ids go on from the largest whole number, wherever it stands', () => {
  const ids = ['3', '**12**', '9.5', 'n/a', '90071992547409931234', '-40'];
  const text = [HEADER, DELIMITER, ...ids.map((id) => `| ${id} | by hand |`)].join('\n');
  assert.equal(lastRows(appendResultRows(text, [row()]), 1)[0]?.[0], '90071992547409931235');
});

test('A row is inserted after a line of text that markdown takes for the last row', () => {
  const text = `${HEADER}\n${DELIMITER}\n| 1 | a |\nThe end.\n\nMore.`;
  const appended = appendResultRows(text, [row()]);
  assert.ok(appended.startsWith(`${HEADER}\n${DELIMITER}\n| 1 | a |\nThe end.\n| 2  | RabbitMQ`));
  assert.ok(appended.endsWith('|\n\nMore.'));
});

for (const next of [
  '<!-- a comment -->',
  '> quoted',
  '# heading',
  '- item',
  '```\ncode\n```',
  '    code',
  '***',
]) {
  test(`A block right below the table stays a block of its own: ${JSON.stringify(next)}`, () => {
    const text = `${HEADER}\n${DELIMITER}\n| 1 | a |\n${next}\n`;
    const appended = appendResultRows(text, [row()]);
    assert.ok(appended.endsWith(`|\n${next}\n`));
    assert.deepEqual(blocksOf(appended).slice(1), blocksOf(text).slice(1));
  });
}

const LOOK_ALIKES = {
  'a fence': `\`\`\`\n${MARKER}\n${HEADER}\n${DELIMITER}\n\`\`\``,
  'indented code': `    ${MARKER}\n    ${HEADER}\n    ${DELIMITER}`,
  'inline code': `Put \`${MARKER}\` before it.`,
  'a quotation': `> ${MARKER}\n> ${HEADER}\n> ${DELIMITER}`,
  'a list': `- ${MARKER}\n\n  ${HEADER}\n  ${DELIMITER}`,
  'a larger comment': `<!-- see ${MARKER}`,
  'a script': `<script>\nwrite('${MARKER}')\n</script>`,
  'the published figures': publishedTable(),
  'a table with other columns': HEADER.replace('Id', 'No') + DELIMITER.replace(/^/, '\n'),
};
for (const [where, look] of Object.entries(LOOK_ALIKES)) {
  test(`What only looks like the results table does not count: ${where}`, () => {
    const text = `${look}\n\n${MARKER}\n\n${HEADER}\n${DELIMITER}\n`;
    assert.ok(appendResultRows(text, [row()]).startsWith(text));
    const appended = appendResultRows(`${look}\n`, [row()]);
    assert.ok(appended.startsWith(`${look}\n\n${MARKER}\n\n${NEW}\n| 1 `));
  });
}

const OURS = `${HEADER}\n${DELIMITER}`;
const OTHER = '| a | b |\n|---|---|\n| 1 | 2 |';

test('Without a marker the first table with our columns is taken, not one before it', () => {
  const appended = appendResultRows(`${OTHER}\n\n${OURS}\n\n${OURS}\n`, [row()]);
  assert.match(
    appended,
    new RegExp(`^${escapeRegExp(`${OTHER}\n\n${OURS}\n| 1 `)}[^\n]*${escapeRegExp(`\n\n${OURS}\n`)}$`),
  );
});

test('With a marker the first table with our columns after it is taken, past other blocks and tables', () => {
  const before = `${OURS}\n\n${MARKER}\n\nSome words.\n\n${OTHER}\n\n${OURS}`;
  assert.ok(appendResultRows(`${before}\n`, [row()]).startsWith(`${before}\n| 1 `));
});

test('With a marker and no table of ours after it, a new one is made right after the marker', () => {
  const appended = appendResultRows(`${OURS}\n\n${MARKER}\nText.\n\n${OTHER}\n`, [row()]);
  assert.match(
    appended,
    new RegExp(
      `^${escapeRegExp(`${OURS}\n\n${MARKER}\n\n${NEW}\n| 1 `)}[^\n]*${escapeRegExp(`\n\nText.\n\n${OTHER}\n`)}$`,
    ),
  );
});

test('A marker in the running text of a heading counts', () => {
  const before = `${OURS}\n\n## Results ${MARKER}\n\n${OURS}`;
  assert.ok(appendResultRows(before, [row()]).startsWith(`${before}\n| 1 `));
});

for (const end of ['```\nnever closed', '<!-- never closed\n', '   ~~~\n   never closed\n\n']) {
  test(`A new table goes before what is never closed: ${JSON.stringify(end)}`, () => {
    const appended = appendResultRows(`Text\n${end}`, [row()]);
    assert.ok(appended.startsWith(`Text\n\n${MARKER}\n\n${NEW}\n| 1 `));
    assert.ok(appended.endsWith(`|\n\n${end}`));
  });
}

test('A byte order mark stays at the start and shifts nothing', () => {
  const text = `\uFEFF${OURS}`.replaceAll('\n', '\r\n');
  assert.ok(appendResultRows(`${text}\r\n\r\nText`, [row()]).startsWith(`${text}\r\n| 1 `));
  assert.ok(appendResultRows('\uFEFF```\nopen', [row()]).startsWith(`\uFEFF${MARKER}`));
});

test('A text with lone carriage returns is appended to with such', () => {
  const text = `Text\r\r${OURS.replace('\n', '\r')}\r`;
  assert.match(appendResultRows(text, [row()]), /^[^\n]*\r\| 1 [^\r\n]*\|\r$/);
});

test('Cells show the text they were given, on one line', () => {
  const text = 'a|b\\|c\r\nd *e* _f_ snake_case `g|h` <b> &amp; [x](y) ~~z~~ \\';
  const appended = appendResultRows('', [row({facilitator: text, figures: {[text]: 1}})]);
  const shown = text.replace('\r\n', ' ');
  assert.equal(headersOf(appended).at(-1), `RTT ${shown}`);
  assert.deepEqual(lastRows(appended, 1)[0]?.slice(1, 2), [shown]);
  assert.equal(lastRows(appended, 1)[0]?.at(-1), '1.0000 ms');
});

test('A machine that has no figure gets no column, and a figure that is none is not printed', () => {
  const appended = appendResultRows('', [row({figures: {gone: null, odd: Number.NaN, 'm4.xlarge': 1.5}})]);
  assert.equal(headersOf(appended).length, 6);
  assert.deepEqual(lastRows(appended, 1)[0]?.slice(5), ['1.5000 ms']);
});

test('A machine without a name is called unknown, in one column', () => {
  const once = appendResultRows('', [row({figures: {' ': 1}})]);
  assert.equal(headersOf(appendResultRows(once, [row({figures: {'': 2}})])).at(-1), 'RTT unknown');
});

const word = fc.constantFrom(
  'RabbitMQ',
  'HTTP (no keep-alive, suspect)',
  'EC2',
  'a|b',
  '*N/A*',
  '`x`',
  '\\',
  '',
);
const words = fc.oneof(word, fc.string({unit: anyCharacter, maxLength: 12}));
const machine = fc.oneof(fc.constantFrom('t2.micro', 'm4.xlarge', 'c5.large', 'Xeon(R) | 8 cores'), words);
const resultRow = fc.record({
  facilitator: words,
  environment: words,
  payloadSize: fc.constantFrom('1kb', '1000kb'),
  persistent: fc.constantFrom('Yes', 'No', '*N/A*'),
  figures: fc.dictionary(machine, fc.double({min: 0, max: 1e6, noNaN: true}), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
});
const resultRows = fc.array(resultRow, {minLength: 1, maxLength: 4});

const README_LINES = README_TABLE.join('\n');
const NOTES = HEADER.replace('RTT t2', 'Note | RTT t2');
const block = fc.constantFrom(
  ...Object.values(LOOK_ALIKES),
  ...[
    MARKER,
    OURS,
    OTHER,
    README_LINES,
    `${OURS}\n| 4 | a \\| b | \`c \\| d\` |`,
    '<div>',
    '</div>',
    '***',
    '   ',
  ],
  ...[
    `${NOTES}\n${'|-'.repeat(8)}|\n| 9 | by hand | | | | \`x\` |`,
    `${OURS}\nnot a row`,
    'Text',
    'Title\n=====',
    '# Title',
  ],
  ...[
    '- item',
    '1. item',
    '> quote',
    '```',
    '~~~js',
    '<!--',
    '-->',
    '[a]: b',
    '    code',
    '\tcode',
    'a  \nb',
    '| 5 | row |',
  ],
  ...[
    `  ${HEADER}  \n   ${DELIMITER}\t\n 1 | x`,
    '\uFEFF',
    `   ${MARKER}`,
    '<?php',
    '\\',
    `## Here ${MARKER}`,
    `x ${MARKER}`,
    '\u0000',
    '---',
  ],
);
const markdown = fc
  .record({
    mark: fc.constantFrom('', '', '\uFEFF'),
    parts: fc.array(fc.tuple(block, fc.integer({min: 1, max: 3})), {maxLength: 9}),
    lineEnding: fc.constantFrom('\n', '\r\n', '\r'),
    end: fc.integer({min: 0, max: 2}),
  })
  .map(({mark, parts, lineEnding, end}) => {
    const text = parts.map(([part, blanks], index) => (index ? '\n'.repeat(blanks) : '') + part).join('');
    return mark + (text + '\n'.repeat(end)).replaceAll('\n', lineEnding);
  });

test('Appending inserts lines and touches nothing else in any text', () => {
  fc.assert(
    fc.property(markdown, resultRows, (text, rows) => {
      const appended = appendResultRows(text, rows);
      assertOnlyInserted(text, appended, rows);
    }),
    {numRuns},
  );
});

test('All other blocks of any text, tables among them, parse as before', () => {
  fc.assert(
    fc.property(markdown, resultRows, (text, rows) => {
      const appended = appendResultRows(text, rows);
      const target = blocksOf(appended)[resultsIndex(appended)];
      const before = blocksOf(text);
      const after = blocksOf(appended).filter((source) => source !== target);
      const had = resultsIndex(text);
      if (had >= 0) before.splice(had, 1);
      else if (markerIndex(text) < 0) after.splice(markerIndex(appended), 1);
      assert.deepEqual(after, before);
    }),
    {numRuns},
  );
});

test('Appended cells read back as they were given', () => {
  fc.assert(
    fc.property(markdown, resultRows, (text, rows) => {
      const appended = appendResultRows(text, rows);
      const headers = headersOf(appended);
      const read = lastRows(appended, rows.length);
      for (const [index, {facilitator, environment, payloadSize, persistent, figures}] of rows.entries()) {
        const cells = read[index] ?? [];
        const given = [facilitator, environment, payloadSize, persistent].map(shown);
        assert.deepEqual(cells.slice(1, 5), given);
        assert.equal(BigInt(cells[0] ?? ''), BigInt(read[0]?.[0] ?? '') + BigInt(index));
        for (const [column, header] of headers.entries()) {
          if (column < 5) continue;
          const shownThere = Object.entries(figures).filter(
            ([name]) => `RTT ${oneLine(name) || 'unknown'}` === header,
          );
          const figure = shownThere.at(-1)?.[1];
          const none = header.startsWith('RTT ') ? 'N/A' : '';
          assert.equal(cells[column] ?? '', figure === undefined ? none : `${figure.toFixed(4)} ms`);
        }
        for (const name of Object.keys(figures))
          assert.ok(headers.includes(`RTT ${oneLine(name) || 'unknown'}`));
      }
    }),
    {numRuns},
  );
});

test('Appending twice is appending all at once, when the machines are known', () => {
  fc.assert(
    fc.property(markdown, resultRows, resultRows, (text, first, second) => {
      const machines = first.map(({figures}) => figures);
      const known = second.map((each, index) => ({...each, figures: machines[index] ?? {'t2.micro': 1}}));
      const start = appendResultRows(text, [row()]);
      assert.equal(
        appendResultRows(appendResultRows(start, first), known),
        appendResultRows(start, [...first, ...known]),
      );
    }),
    {numRuns},
  );
});

test('Appending twice reads as appending all at once, whatever the machines', () => {
  fc.assert(
    fc.property(markdown, resultRows, resultRows, (text, first, second) => {
      const twice = appendResultRows(appendResultRows(text, first), second);
      const atOnce = appendResultRows(text, [...first, ...second]);
      const count = first.length + second.length;
      assert.deepEqual(headersOf(twice), headersOf(atOnce));
      assert.deepEqual(filled(twice, count), filled(atOnce, count));
    }),
    {numRuns},
  );
});

/** The last rows with a missing figure and a missing cell made the same. @param {string} text @param {number} count */
function filled(text, count) {
  const columns = headersOf(text).length;
  return lastRows(text, count).map((cells) =>
    Array.from({length: columns}, (_, column) =>
      column > 4 && cells[column] === 'N/A' ? '' : (cells[column] ?? ''),
    ),
  );
}

/**
 * The appended lines are removed again, and the rest compared with the text before, line by line.
 *
 * @param {string} text
 * @param {string} appended
 * @param {ResultRow[]} rows
 */
function assertOnlyInserted(text, appended, rows) {
  if (resultsIndex(text) < 0) {
    assert.ok(isInserted(text, appended), 'one block is inserted');
    return;
  }
  const table = parse(appended)[resultsIndex(appended)];
  const lines = appended.split(/(\r\n|\n|\r)/);
  const firstLine = text.startsWith('\uFEFF') ? 2 : 1;
  const headerLine = ((table?.position?.start.line ?? 0) - firstLine) * 2;
  const lastLine = ((table?.position?.end.line ?? 0) - firstLine) * 2;
  lines.splice(lastLine - rows.length * 2 + 1, rows.length * 2);
  const original = text.split(/(\r\n|\n|\r)/);
  const isGrown = headersOf(appended).length > headersOf(text).length;
  for (const index of isGrown ? [headerLine, headerLine + 2] : []) {
    assert.ok(isInserted(original[index] ?? '', lines[index] ?? ''), 'a header line only grows');
    lines[index] = original[index] ?? '';
  }
  assert.deepEqual(lines, original);
}

/** Whether `after` is `before` with one piece inserted. @param {string} before @param {string} after */
function isInserted(before, after) {
  let prefix = 0;
  while (prefix < before.length && before[prefix] === after[prefix]) prefix += 1;
  return after.length >= before.length && after.endsWith(before.slice(prefix));
}

/** @param {string} text */
function parse(text) {
  const readable = text.replace(/^\uFEFF+/, (marks) => `${' '.repeat(marks.length - 1)}\n`);
  return fromMarkdown(readable, {extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()]})
    .children;
}

/** The source of each top-level block. @param {string} text @returns {string[]} */
function blocksOf(text) {
  return parse(text).map(({position}) => text.slice(position?.start.offset, position?.end.offset));
}

/** @param {string} text @returns {number} */
function markerIndex(text) {
  return parse(text).findIndex((node) => {
    const nodes = node.type === 'paragraph' || node.type === 'heading' ? node.children : [node];
    return nodes.some((each) => each.type === 'html' && each.value.trimStart().startsWith(MARKER));
  });
}

/** @param {string} text @returns {number} which top-level block the results table is, -1 for none */
function resultsIndex(text) {
  const marker = markerIndex(text);
  return parse(text).findIndex(
    (node, index) =>
      index > marker &&
      node.type === 'table' &&
      /^ ?Id,Facilitator,Environment,Payload Size,Persistent(,|$)/.test(cellsOf(node)[0]?.join() ?? ''),
  );
}

/** @param {object} node @returns {string[][]} */
function cellsOf(node) {
  const {children: rows} = /** @type {{children: {children: object[]}[]}} */ (node);
  return rows.map(({children}) => children.map((cell) => oneLine(rawText(cell))));
}

/** @param {{value?: string, children?: object[]}} node @returns {string} */
function rawText({value, children = []}) {
  return value ?? children.map(rawText).join('');
}

/** @param {string} text @returns {string[]} */
function headersOf(text) {
  return cellsOf(parse(text)[resultsIndex(text)] ?? {children: []})[0] ?? [];
}

/** @param {string} text @param {number} count @returns {string[][]} */
function lastRows(text, count) {
  return cellsOf(parse(text)[resultsIndex(text)] ?? {children: []}).slice(-count);
}

/** @param {string} text @returns {string} */
function oneLine(text) {
  return text.replace(/[\s\p{Cc}\p{Bidi_Control}\uFFF9-\uFFFB\u{E0000}-\u{E007F}]+/gu, ' ').trim();
}

/** @param {string} text @returns {string} */
function shown(text) {
  return text === '*N/A*' ? 'N/A' : oneLine(text);
}

/** @param {string} text @returns {string} */
function escapeRegExp(text) {
  return text.replace(/[|\\{}()[\]^$+*?.]/g, '\\$&');
}
