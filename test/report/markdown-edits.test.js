import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {UsageError} from '../../src/errors.js';
import {replaceMarkedSection, SECTION_MARKERS} from '../../src/report/markdown-edits.js';
import {runsOf} from '../support/effort.js';

const {begin, end} = SECTION_MARKERS;

/** @param {string} markdown @param {string} content @returns {string} */
function replace(markdown, content) {
  return replaceMarkedSection(markdown, SECTION_MARKERS, content);
}

test('What stands between the comments is replaced, with a blank line on either side', () => {
  assert.equal(
    replace(`a\n${begin}\nold\n${end}\nb`, 'new\ntext\n'),
    `a\n${begin}\n\nnew\ntext\n\n${end}\nb`,
  );
});

test('Comments on adjacent lines are parted', () => {
  assert.equal(replace(`${begin}\n${end}`, 'new'), `${begin}\n\nnew\n\n${end}`);
});

test('An empty content leaves the comments on adjacent lines', () => {
  assert.equal(replace(`${begin}\n\nold\n\n${end}\n`, '\n \n'), `${begin}\n${end}\n`);
});

for (const lineEnding of ['\n', '\r\n', '\r']) {
  test(`The line ending of the file is kept: ${JSON.stringify(lineEnding)}`, () => {
    const [text, expected] = [
      `\uFEFFa\n  ${begin} kept\nold\n  ${end}\n\nb`,
      `\uFEFFa\n  ${begin} kept\n\n1\n2\n\n  ${end}\n\nb`,
    ];
    assert.equal(
      replace(text.replaceAll('\n', lineEnding), '1\r\n2\n'),
      expected.replaceAll('\n', lineEnding),
    );
  });
}

for (const look of [
  `\`\`\`\n${begin}\n${end}\n\`\`\``,
  `    ${begin}\n    ${end}`,
  `Put the table between \`${begin}\` and \`${end}\`.`,
  `> ${begin}\n> ${end}`,
  `- a\n\n  ${begin}\n\n  ${end}`,
  `<!-- see ${begin}`,
]) {
  test(`Comments that are only shown do not count: ${JSON.stringify(look)}`, () => {
    assert.equal(
      replace(`${look}\n\n${begin}\nold\n${end}\n`, 'new'),
      `${look}\n\n${begin}\n\nnew\n\n${end}\n`,
    );
    assert.throws(() => replace(`${look}\n`, 'new'), UsageError);
  });
}

for (const [text, message] of /** @type {[string, RegExp][]} */ ([
  ['', /perf-battle:begin --> is missing/],
  [`${end}\n`, /perf-battle:begin --> is missing/],
  [`${begin}\n`, /perf-battle:end --> is missing/],
  [`${begin} ${end}\n`, /perf-battle:end --> is missing/],
  [`${begin}\n${begin}\n${end}\n`, /perf-battle:begin --> occurs 2 times/],
  [`${begin}\n${end}\n\n${end}\n`, /perf-battle:end --> occurs 2 times/],
  [`${end}\n${begin}\n`, /perf-battle:begin --> must be before <!-- perf-battle:end -->/],
])) {
  test(`Comments that make no section are refused by name: ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => replace(text, 'new'),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  });
}

test('Everything outside the section survives, and replacing again changes nothing', () => {
  const line = fc.constantFrom(
    '',
    'text',
    '| a | b |',
    '|---|---|',
    '# head',
    '> quote',
    '```\nx\n```',
    '<!-- c -->',
    '<div>',
  );
  const lines = fc.array(line, {maxLength: 6}).map((all) => all.join('\n'));
  fc.assert(
    fc.property(
      lines,
      lines,
      lines,
      lines,
      fc.constantFrom('\n', '\r\n'),
      (before, old, content, after, lineEnding) => {
        const head = `${before}\n\n${begin}`.replaceAll('\n', lineEnding);
        const tail = `${end}\n${after}`.replaceAll('\n', lineEnding);
        const replaced = replace(`${head}${`\n${old}\n\n`.replaceAll('\n', lineEnding)}${tail}`, content);
        assert.ok(replaced.startsWith(head + lineEnding) && replaced.endsWith(lineEnding + tail));
        assert.equal(replaced.replaceAll('\r\n', '').includes('\r'), false);
        assert.equal(replace(replaced, content), replaced);
        assert.equal(replace(replaced, old), replace(`${head}${lineEnding}${tail}`, old));
      },
    ),
    {numRuns: runsOf(Number(process.env.NUM_RUNS ?? 100))},
  );
});
