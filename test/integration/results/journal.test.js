import assert from 'node:assert/strict';
import {appendFile, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';
import fc from 'fast-check';
import {Journal, journalPathFor} from '../../../src/results/journal.js';

/** @type {string[]} */
const folders = [];
after(() => Promise.all(folders.map((folder) => rm(folder, {recursive: true}))));

/** @param {string} [content] */
async function journalWith(content) {
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-journal-'));
  folders.push(folder);
  const path = join(folder, 'results.ndjson');
  if (content !== undefined) await writeFile(path, content);
  return new Journal(path);
}

test('the journal stands beside its results file', () => {
  assert.equal(journalPathFor('/a/results.md'), '/a/results.ndjson');
  assert.equal(journalPathFor('/a/b.c/other'), '/a/b.c/other.ndjson');
});

test('what was appended is read back in order', async () => {
  const journal = await journalWith();
  assert.deepEqual((await journal.read()).entries, []);
  await journal.append({kind: 'battle', id: 'a'});
  await journal.append({kind: 'trial', battleId: 'a'}, {kind: 'cell', id: 'a-1'});
  const {entries, warnings} = await journal.read();
  assert.deepEqual(
    entries.map(({kind}) => kind),
    ['battle', 'trial', 'cell'],
  );
  assert.deepEqual(warnings, []);
});

test('a journal torn at any byte loses its last line at most, and the next append mends it', async () => {
  const whole = [
    {kind: 'battle', id: 'ä'},
    {kind: 'trial', n: 1},
    {kind: 'trial', n: 2},
  ];
  const bytes = Buffer.from(whole.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  await fc.assert(
    fc.asyncProperty(fc.integer({min: 0, max: bytes.length}), async (length) => {
      const journal = await journalWith();
      await writeFile(journal.path, bytes.subarray(0, length));
      const before = await journal.read();
      assert.deepEqual(before.warnings, []);
      assert.deepEqual(before.entries, whole.slice(0, before.entries.length));
      const complete = bytes.subarray(0, length).toString('utf8').split('\n').length - 1;
      assert.ok(before.entries.length >= complete);
      await journal.append({kind: 'trial', n: 3});
      const after = await journal.read();
      assert.deepEqual(after.entries, [...before.entries, {kind: 'trial', n: 3}]);
      assert.deepEqual(after.warnings, []);
    }),
    {numRuns: 60},
  );
});

test('a line in the middle that is no record is skipped with a warning that names it', async () => {
  const journal = await journalWith(
    '{"kind":"battle","id":"a"}\n\u0000\u0000garbage\n42\n{"kind":"trial"}\n',
  );
  const {entries, warnings} = await journal.read();
  assert.equal(entries.length, 2);
  assert.equal(warnings.length, 2);
  assert.match(warnings[0], /Line 2 of .*results\.ndjson/);
});

test('two writers at once lose nothing and tear nothing', async () => {
  const journal = await journalWith();
  const other = new Journal(journal.path);
  const writes = Array.from({length: 30}, (_, n) =>
    (n % 2 ? journal : other).append({kind: 'trial', n, fill: 'x'.repeat(5000)}),
  );
  await Promise.all(writes);
  const {entries, warnings} = await journal.read();
  assert.deepEqual(
    entries.map(({n}) => n).toSorted((one, two) => one - two),
    Array.from({length: 30}, (_, n) => n),
  );
  assert.deepEqual(warnings, []);
});

test('a journal that cannot be written is an error that names it', async () => {
  const journal = await journalWith();
  await assert.rejects(new Journal(`${journal.path}/x.ndjson`).append({kind: 'trial'}), {exitCode: 1});
  await appendFile(journal.path, '');
  assert.equal(await readFile(journal.path, 'utf8'), '');
});

test('a byte order mark before a line, of an editor or of a merged journal, costs no line', async () => {
  const journal = await journalWith(
    '\uFEFF{"kind":"battle","id":"a"}\n{"kind":"trial","n":1}\n\uFEFF{"kind":"trial","n":2}',
  );
  await journal.append({kind: 'trial', n: 3});
  const {entries, warnings} = await journal.read();
  assert.deepEqual(warnings, []);
  assert.deepEqual(
    entries.map(({kind, n}) => [kind, n]),
    [
      ['battle', undefined],
      ['trial', 1],
      ['trial', 2],
      ['trial', 3],
    ],
  );
});

/** @type {[string, (path: string) => Promise<unknown>, string[]][]} */
const losses = [
  ['removed', (path) => rm(path), ['battle a', 'trial 2', 'trial 3']],
  ['emptied', (path) => writeFile(path, ''), ['battle a', 'trial 2', 'trial 3']],
  [
    'replaced by another journal',
    (path) => writeFile(path, `{"kind":"battle","id":"${'b'.repeat(300)}"}\n`),
    [`battle ${'b'.repeat(300)}`, 'battle a', 'trial 2', 'trial 3'],
  ],
  [
    'replaced by one without a trial',
    (path) => writeFile(path, '{"kind":"battle","id":"a"}\n'),
    ['battle a', 'trial 2', 'trial 3'],
  ],
];
for (const [how, lose, expected] of losses) {
  test(`a journal that was ${how} meanwhile is noticed, said once, and knows its battle again`, async () => {
    const journal = await journalWith();
    /** @type {string[]} */
    const warnings = [];
    journal.warn = (warning) => warnings.push(warning);
    await journal.append({kind: 'battle', id: 'a'});
    await journal.append({kind: 'trial', n: 1});
    await lose(journal.path);
    await journal.append({kind: 'trial', n: 2});
    await journal.append({kind: 'trial', n: 3});
    assert.equal(warnings.length, 1);
    assert.match(warnings[0], /results\.ndjson was removed or replaced since this battle wrote into it/);
    const {entries} = await journal.read();
    assert.deepEqual(
      entries.map(({kind, id, n}) => `${kind} ${id ?? n}`),
      expected,
    );
  });
}

test('a journal into which others write, or that is written anew with the same lines, is no other one', async () => {
  const journal = await journalWith();
  journal.warn = assert.fail;
  await journal.append({kind: 'trial', n: 1});
  await appendFile(journal.path, '{"kind":"trial","n":2}\n');
  const content = await readFile(journal.path);
  await rm(journal.path);
  await writeFile(journal.path, content);
  await journal.append({kind: 'trial', n: 3});
  assert.equal((await journal.read()).entries.length, 3);
});
