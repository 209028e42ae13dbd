import assert from 'node:assert/strict';
import {readdirSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {test} from 'node:test';
import {UnavailableError} from '../../../src/errors.js';
import {makeRows} from '../../../src/workloads/recordset/rows.js';
import {loadSqlite, makeRecordSetHandler} from '../../../src/workloads/recordset/server.js';

const hasSqlite = await import(String('node:sqlite')).then(
  () => true,
  () => false,
);

test('rows that were written into a table come back as they were, each time, and its file has no name', async () => {
  if (!hasSqlite) return await assertRefused();
  const make = await loadSqlite();
  const table = make(504, 7);
  const expected = [...makeRows(504, 7)];
  for (const read of [table.streamed, table.preloaded, table.streamed])
    assert.deepEqual([...read()], expected);
  const left = readdirSync(tmpdir()).filter((name) => name.startsWith('perf-battle-table-'));
  assert.deepEqual(left, []);
});

test('two answers from one table may be under way at the same time', async () => {
  if (!hasSqlite) return await assertRefused();
  const table = (await loadSqlite())(20, 7);
  const [one, other] = [table.streamed()[Symbol.iterator](), table.streamed()[Symbol.iterator]()];
  const ids = [one.next(), one.next(), other.next(), one.next(), other.next()].map(({value}) => value.id);
  assert.deepEqual(ids, [1, 2, 1, 3, 2]);
});

/** What a server says whose Node.js is too old. */
async function assertRefused() {
  await assert.rejects(makeRecordSetHandler({options: {rows: 8, rowsFrom: 'sqlite', seed: 1}}), (error) => {
    assert.ok(error instanceof UnavailableError);
    assert.equal(
      error.message,
      `--rows-from sqlite needs Node.js 22.13 or newer on the server's host; it has ${process.version}.`,
    );
    return true;
  });
}
