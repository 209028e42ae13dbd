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
