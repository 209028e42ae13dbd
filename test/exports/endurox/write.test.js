import assert from 'node:assert/strict';
import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, beforeEach, test} from 'node:test';
import {RunError, UsageError} from '../../../src/errors.js';
import {writeEnduroxData} from '../../../src/exports/endurox/data.js';
import {completedRecord} from '../completed-record.js';

/** @type {string[]} */
const made = [];
/** @type {string} */
let folder;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perf-battle-endurox-'));
  made.push(folder);
});
after(() => Promise.all(made.map((path) => rm(path, {recursive: true}))));

const {signal} = new AbortController();
const header = '"Configuration" "MsgSize" "CallsPerSec"\n';
const own = '"RabbitMQ_mode_1,local,AMD_EPYC" 1 1235\n';

test('each workload gets a file of its own, in a folder that is made when it is missing', async () => {
  const target = join(folder, 'new', 'charts');
  const paths = await writeEnduroxData(target, [completedRecord(), completedRecord({workload: 'burst'})], {
    signal,
  });
  assert.deepEqual(paths, [join(target, 'rtt.txt'), join(target, 'burst.txt')]);
  for (const path of paths) assert.equal(await readFile(path, 'utf8'), header + own);
});

test('a second battle replaces its own rows and leaves those of others', async () => {
  const path = join(folder, 'rtt.txt');
  const others = '"theirs"  1\t20.50\r\n';
  await writeFile(path, `${header}"RabbitMQ_mode_1,local,AMD_EPYC" 4 99\n${others}`);
  await writeEnduroxData(folder, [completedRecord()], {signal});
  await writeEnduroxData(folder, [completedRecord()], {signal});
  const written = await readFile(path, 'utf8');
  assert.equal(written.replaceAll('\r\n', '\n'), `${header}${others}${own}`.replaceAll('\r\n', '\n'));
  assert.ok(written.startsWith(header + others));
});

test('nothing is made when no cell completed', async () => {
  const target = join(folder, 'new');
  assert.deepEqual(
    await writeEnduroxData(target, [{...completedRecord(), outcome: 'aborted'}], {signal}),
    [],
  );
  assert.deepEqual(await readdir(folder), []);
});

test('a file that holds something else stays as it is, and the error names it', async () => {
  const path = join(folder, 'rtt.txt');
  await writeFile(path, 'shopping list\n');
  await assert.rejects(writeEnduroxData(folder, [completedRecord()], {signal}), (error) => {
    assert.ok(error instanceof UsageError && error.cause instanceof UsageError);
    assert.ok(error.message.startsWith(`Cannot update ${path}: `), error.message);
    assert.match(error.message, /Line 1 .*"shopping list"/);
    return true;
  });
  assert.equal(await readFile(path, 'utf8'), 'shopping list\n');
});

test('a folder that cannot be made is an error that names it', async () => {
  const target = join(folder, 'file', 'below');
  await writeFile(join(folder, 'file'), '');
  await assert.rejects(writeEnduroxData(target, [completedRecord()], {signal}), (error) => {
    assert.ok(error instanceof RunError && error.message.includes(target), String(error));
    return true;
  });
});
