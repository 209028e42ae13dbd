import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {withRecords} from '../../infra/github/baseline.js';
import {splitWords} from '../../infra/github/words.js';

test('words are split as a shell does, and nothing in them is expanded', () => {
  for (const [text, words] of /** @type {[string, string[]][]} */ ([
    ['', []],
    [' --a  b\n\tc ', ['--a', 'b', 'c']],
    [`--expect 'by-url p99 < 20ms' -x`, ['--expect', 'by-url p99 < 20ms', '-x']],
    [`--a="x y"z'$(w) \\'`, ['--a=x yz$(w) \\']],
    [`"a \\"b\\" \\$c"`, ['a "b" \\$c']],
    ["a\\ b \\'c", ['a b', "'c"]],
    ['one \\\n two', ['one', 'two']],
    [`'' ""`, ['', '']],
    ['$HOME `x` *.js ~ #', ['$HOME', '`x`', '*.js', '~', '#']],
  ]))
    assert.deepEqual(splitWords(text), words, text);
});

test('any words, quoted, are split into the same words', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
      assert.deepEqual(splitWords(quoted.join(' ')), words);
    }),
  );
});

test('a quote or a backslash without its end is refused', () => {
  for (const text of [`'a`, `x "b`, 'c \\', `"d'`])
    assert.throws(() => splitWords(text), /a quote or a backslash without its end/, text);
});

/** @param {string} id */
const documentOf = (id) => ({
  battle: {id, hosts: {}},
  cells: [
    {
      kind: 'cell',
      id: `${id}-1`,
      battleId: id,
      trials: [{round: 1, meanMs: 1, histogram: 'x', windows: [1]}],
    },
  ],
});
/** @param {string} journal */
const battlesOf = (journal) =>
  journal
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .flatMap(({kind, id}) => (kind === 'battle' ? [id] : []));

test('a journal gets the battle and its cells, without the histograms of their trials', () => {
  const lines = withRecords('', documentOf('a'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(lines, [
    {kind: 'battle', id: 'a', hosts: {}},
    {kind: 'cell', id: 'a-1', battleId: 'a', trials: [{round: 1, meanMs: 1, histogram: null, windows: null}]},
  ]);
  const failed = {...documentOf('b'), cells: [{kind: 'cell', id: 'b-1', battleId: 'b', outcome: 'failed'}]};
  assert.deepEqual(JSON.parse(withRecords('', failed).trimEnd().split('\n')[1]), failed.cells[0]);
});

test('a journal keeps the newest battles only, and drops lines that are none', () => {
  let journal = 'no record\n';
  for (const id of ['a', 'b', 'c', 'd'])
    journal = withRecords(journal, documentOf(id), {battles: 3, bytes: 1e6});
  assert.deepEqual(battlesOf(journal), ['b', 'c', 'd']);
  const bytes = Buffer.byteLength(journal);
  assert.deepEqual(battlesOf(withRecords(journal, documentOf('e'), {battles: 9, bytes})), ['c', 'd', 'e']);
  assert.deepEqual(
    battlesOf(withRecords(journal, documentOf('e'), {battles: 9, bytes: 1})),
    ['e'],
    'never less than one',
  );
  const two = {battles: [documentOf('e'), documentOf('f')]};
  assert.deepEqual(battlesOf(withRecords(journal, two, {battles: 9, bytes: 1e6})), ['b', 'c', 'd', 'e', 'f']);
});
