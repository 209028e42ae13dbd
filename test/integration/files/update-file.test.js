import assert from 'node:assert/strict';
import {execFile, spawn} from 'node:child_process';
import {readdirSync, writeFileSync} from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import {hostname, tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, beforeEach, test} from 'node:test';
import {promisify} from 'node:util';
import {RunError, UsageError} from '../../../src/errors.js';
import {assertWritable, updateFile} from '../../../src/files/writable-file.js';

const MODULE = new URL('../../../src/files/writable-file.js', import.meta.url).href;
const run = promisify(execFile);

/** @type {string} */
let root;
/** @type {string} */
let folder;
/** @type {string} */
let file;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'perf-battle-update-'));
});
beforeEach(async () => {
  folder = await mkdtemp(join(root, 'case-'));
  file = join(folder, 'results.md');
});
after(() => rm(root, {recursive: true, force: true}));

/** @param {string} text @returns {string} */
const addLine = (text) => `${text}line\n`;

/**
 * @param {Promise<unknown>} failing
 * @param {RegExp} message
 */
async function assertRunError(failing, message) {
  await assert.rejects(failing, (error) => {
    assert.ok(error instanceof RunError, String(error));
    assert.match(error.message, message);
    return true;
  });
}

test('A missing file is created and an existing file is replaced, without a leftover temporary file', async () => {
  await updateFile(file, addLine);
  await updateFile(file, addLine);
  assert.equal(await readFile(file, 'utf8'), 'line\nline\n');
  assert.deepEqual(await readdir(folder), ['results.md']);
});

test('A file keeps its mode, its byte order mark and its non-ASCII text', async () => {
  await writeFile(file, '\uFEFFä €\r\n', {mode: 0o640});
  await chmod(file, 0o640);
  await updateFile(file, addLine);
  assert.equal(await readFile(file, 'utf8'), '\uFEFFä €\r\nline\n');
  assert.equal((await stat(file)).mode & 0o777, 0o640);
});

test('An unchanged text is not written', async () => {
  await writeFile(file, 'text');
  const {ino, mtimeMs} = await stat(file);
  await updateFile(file, (text) => text);
  await updateFile(join(folder, 'absent.md'), (text) => text);
  const now = await stat(file);
  assert.deepEqual([now.ino, now.mtimeMs], [ino, mtimeMs]);
  assert.deepEqual(await readdir(folder), ['results.md']);
});

test('A symlink stays a symlink, and its target is written, whether it exists or not', async () => {
  await mkdir(join(folder, 'real'));
  await symlink('real/results.md', file);
  await symlink(file, join(folder, 'second'));
  await assertWritable(join(folder, 'second'));
  await updateFile(join(folder, 'second'), addLine);
  await updateFile(file, addLine);
  assert.ok((await lstat(file)).isSymbolicLink());
  assert.equal(await readFile(join(folder, 'real', 'results.md'), 'utf8'), 'line\nline\n');
  assert.deepEqual(await readdir(join(folder, 'real')), ['results.md']);
  assert.deepEqual((await readdir(folder)).sort(), ['real', 'results.md', 'second']);
});

test('An error of the transform is passed on, and the file and its folder stay unchanged', async () => {
  await writeFile(file, 'text');
  const refusal = new UsageError('no marker');
  await assert.rejects(
    updateFile(file, () => {
      throw refusal;
    }),
    (error) => error === refusal,
  );
  assert.equal(await readFile(file, 'utf8'), 'text');
  assert.deepEqual(await readdir(folder), ['results.md']);
});

/** @type {[string, RegExp, () => Promise<string>][]} */
const REFUSED = [
  ['a directory', /is a directory/, async () => folder],
  ['a device', /not a regular file/, async () => '/dev/null'],
  [
    'a read-only file, for root too',
    /is read-only.*chmod u\+w/,
    async () => {
      await writeFile(file, 'text', {mode: 0o444});
      return file;
    },
  ],
  ['a file in a missing folder', /folder does not exist/, async () => join(folder, 'missing', 'results.md')],
  [
    'a file below a file',
    /a file, not a folder/,
    async () => {
      await writeFile(file, 'text');
      return join(file, 'results.md');
    },
  ],
  [
    'a symlink that leads to itself',
    /symlinks form a loop/,
    async () => {
      await symlink(file, file);
      return file;
    },
  ],
  [
    'a file that is no UTF-8 text',
    /not UTF-8 text/,
    async () => {
      await writeFile(file, Buffer.from([0x61, 0xff]));
      return file;
    },
  ],
];
for (const [what, message, make] of REFUSED) {
  test(`A target that cannot be written is refused with its path, by the check beforehand too: ${what}`, async () => {
    const path = await make();
    const contents = await readdir(folder);
    await assertRunError(assertWritable(path), message);
    await assertRunError(updateFile(path, addLine), message);
    await assert.rejects(updateFile(path, addLine), (error) => String(error).includes(path));
    assert.deepEqual(await readdir(folder), contents);
  });
}

test('A writable target passes the check beforehand, which creates nothing', async () => {
  await assertWritable(file);
  assert.deepEqual(await readdir(folder), []);
  await writeFile(file, 'text');
  await assertWritable(file);
});

test('A folder or a file of another user is refused: permission denied', async () => {
  await chmod(root, 0o755);
  await chmod(folder, 0o755);
  await writeFile(file, 'text', {mode: 0o644});
  // Root may write anywhere, so a root user makes the attempt in a process without root privileges.
  const asNobody = process.getuid?.() === 0;
  if (!asNobody) await chmod(folder, 0o555);
  const script = `
    ${asNobody ? 'process.setgroups([]); process.setgid(65534); process.setuid(65534);' : ''}
    const [path, ...others] = process.argv.slice(1);
    for (const each of [path, ...others]) {
      for (const attempt of [() => assertWritable(each), () => updateFile(each, () => 'x')]) {
        await attempt().then(() => console.log('written'), ({name, message}) => console.log(name, message));
      }
    }`;
  const paths = asNobody ? [file, join(folder, 'new.md')] : [join(folder, 'new.md')];
  const {stdout} = await runScript(script, paths).finally(() => chmod(folder, 0o755));
  const lines = stdout.trim().split('\n');
  assert.equal(lines.length, paths.length * 2);
  for (const line of lines) assert.match(line, /^RunError Cannot write .*permission denied/);
  assert.deepEqual(await readdir(folder), ['results.md']);
});

test('A file that another process creates during the check is found', async () => {
  for (let round = 0; round < 1000; round += 1) {
    await rm(file, {force: true});
    const looking = () => assertWritable(file);
    await Promise.all([looking(), looking(), writeFile(file, 'text'), looking(), looking()]);
  }
});

test('No update is lost when two processes, and calls within one process, update a file', async () => {
  const script = `
    const [path, name] = process.argv.slice(1);
    for (let count = 0; count < 15; count += 1) await updateFile(path, (text) => text + name + count + '\\n');`;
  const within = Array.from({length: 5}, (_, count) => updateFile(file, (text) => `${text}c${count}\n`));
  await Promise.all([runScript(script, [file, 'a']), runScript(script, [file, 'b']), ...within]);
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  assert.equal(lines.length, 35);
  assert.equal(new Set(lines).size, 35);
  assert.deepEqual(await readdir(folder), ['results.md']);
});

test('What another process writes during a long transform is not lost: the transform is repeated', async () => {
  await writeFile(file, 'a\n');
  /** @type {string[]} */
  const seen = [];
  await updateFile(file, (text) => {
    // No lock is held here, so another process may write.
    if (seen.length === 0) assert.deepEqual(readdirSync(folder), ['results.md']);
    if (seen.length === 0) writeFileSync(file, `${text}b\n`);
    seen.push(text);
    return `${text}c\n`;
  });
  assert.deepEqual(seen, ['a\n', 'a\nb\n']);
  assert.equal(await readFile(file, 'utf8'), 'a\nb\nc\n');
});

test('A text of more than 5 MB is refused by name, and stays as it is', async () => {
  await writeFile(file, 'x'.repeat(5 * 1024 ** 2 + 1));
  await assertRunError(
    updateFile(file, addLine),
    /Cannot write .*results\.md: it has 5242881 bytes, and at most 5242880/,
  );
  assert.equal((await stat(file)).size, 5 * 1024 ** 2 + 1);
});

test('The lock of a killed process is taken over at once', async () => {
  const holder = await holdLock();
  holder.kill('SIGKILL');
  await new Promise((resolve) => holder.once('exit', resolve));
  assert.deepEqual(await readdir(folder), ['results.md.lock']);
  assert.ok((await durationOf(updateFile(file, addLine))) < 4000);
  assert.equal(await readFile(file, 'utf8'), 'line\n');
  assert.deepEqual(await readdir(folder), ['results.md']);
});

test('Of many calls that find the lock of a killed process, each gets it in turn', async () => {
  const holder = await holdLock();
  holder.kill('SIGKILL');
  await new Promise((resolve) => holder.once('exit', resolve));
  const script = `
    const [path] = process.argv.slice(1);
    await Promise.all(Array.from({length: 5}, () => updateFile(path, (text) => text + process.pid + '\\n')));`;
  const within = Array.from({length: 5}, () => updateFile(file, addLine));
  await Promise.all([runScript(script, [file]), runScript(script, [file]), ...within]);
  assert.equal((await readFile(file, 'utf8')).trim().split('\n').length, 15);
  assert.deepEqual(await readdir(folder), ['results.md']);
});

const here = {hostname: hostname(), pid: process.pid};
const lock = (/** @type {object} */ owner) => () => writeFile(`${file}.lock`, JSON.stringify(owner));

/** @type {[string, () => Promise<unknown>][]} */
const orphans = [
  ['the folder of an earlier version, from the future', () => mkdirAt(Date.now() + 3600_000)],
  ['the folder of an earlier version', () => mkdirAt(Date.now() - 60_000)],
  ['that of a process whose pid another one has now', lock({...here, startTime: '1'})],
  ['that of a pid that no process has', lock({...here, pid: 4_000_000, startTime: '1'})],
];
for (const [what, leave] of orphans) {
  test(`A lock without a process is taken over at once: ${what}`, async () => {
    await leave();
    assert.ok((await durationOf(updateFile(file, addLine))) < 4000);
    assert.deepEqual(await readdir(folder), ['results.md']);
  });
}

test('A lock of another container or host is waited for while it is renewed, and taken over when it is not', async () => {
  await lock({hostname: 'elsewhere', pid: process.pid, startTime: '1'})();
  const renewing = setInterval(() => utimes(`${file}.lock`, new Date(), new Date()), 500);
  await assertRunError(updateFile(file, addLine, {waitMs: 1500}), /process \d+ on elsewhere holds its lock/);
  clearInterval(renewing);
  // Nothing has changed since: it takes the 5 s after which an owner that cannot be seen is gone.
  const ms = await durationOf(updateFile(file, addLine));
  assert.ok(ms > 4500 && ms < 30_000, `${ms} ms`);
});

test('What is no lock, but has its name, is left alone and named', async () => {
  for (const make of [
    () => writeFile(`${file}.lock`, 'notes'),
    () => mkdir(join(`${file}.lock`, 'mine'), {recursive: true}),
  ]) {
    await make();
    await assertRunError(updateFile(file, addLine), /results\.md\.lock is not a lock of perf-battle/);
    assert.deepEqual(await readdir(folder), ['results.md.lock']);
    await rm(`${file}.lock`, {recursive: true});
  }
});

test('A wait for the lock ends at its timeout or at the signal, and the owner keeps the lock', async () => {
  const holder = await holdLock();
  try {
    await assertRunError(
      updateFile(file, addLine, {waitMs: 200}),
      new RegExp(`results\\.md is in use: process ${holder.pid} on .* holds its lock, .*results\\.md\\.lock`),
    );
    const reason = new Error('stop');
    const controller = new AbortController();
    const waiting = updateFile(file, addLine, {signal: controller.signal});
    setTimeout(() => controller.abort(reason), 100);
    await assert.rejects(waiting, (error) => error === reason);
    await assert.rejects(updateFile(file, addLine, {signal: controller.signal}), (error) => error === reason);
    assert.deepEqual(await readdir(folder), ['results.md.lock']);
  } finally {
    holder.kill('SIGKILL');
  }
});

test('On a full disk the file stays intact, wherever the space runs out, and no temporary file is left', async () => {
  const disk = join(folder, 'disk');
  await mkdir(disk);
  // The file system has 64 KiB: 20 KB for the file, and the rest for the temporary file, minus the filler.
  const script = `
    import {readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
    const disk = process.argv[1];
    const path = disk + '/results.md';
    const original = 'x'.repeat(20_000);
    const outcomes = [];
    for (const fillerBytes of [0, 20_000, 40_000, 44_000, 45_056]) {
      writeFileSync(path, original);
      writeFileSync(disk + '/filler', 'f'.repeat(fillerBytes));
      const outcome = await updateFile(path, (text) => text + 'y'.repeat(40_000)).then(() => 'written', String);
      const isWhole = readFileSync(path, 'utf8') === original;
      outcomes.push({outcome, isWhole, names: readdirSync(disk).sort()});
    }
    rmSync(disk + '/filler');
    await updateFile(path, (text) => text + 'z');
    console.log(JSON.stringify({outcomes, bytes: readFileSync(path).length}));`;
  const {stdout} = await run('unshare', [
    ...['--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user']), 'sh', '-c'],
    'mount -t tmpfs -o size=64k tmpfs "$1" && shift && exec "$@"',
    ...['sh', disk, process.execPath, '--input-type=module', '--eval', withImport(script), disk],
  ]);
  const {outcomes, bytes} = JSON.parse(stdout);
  assert.equal(outcomes.length, 5);
  for (const {outcome, isWhole, names} of outcomes) {
    assert.match(outcome, /^RunError: Cannot write .*results\.md: the disk is full\. Free some space/);
    assert.ok(isWhole);
    assert.deepEqual(names, ['filler', 'results.md']);
  }
  assert.equal(bytes, 20_001);
});

/** @param {string} script @returns {string} */
function withImport(script) {
  return `import {assertWritable, updateFile} from ${JSON.stringify(MODULE)};\n${script}`;
}

/**
 * @param {string} script
 * @param {string[]} args
 */
function runScript(script, args) {
  return run(process.execPath, ['--input-type=module', '--eval', withImport(script), ...args]);
}

/** @param {Promise<unknown>} action @returns {Promise<number>} in ms */
async function durationOf(action) {
  const startedAt = performance.now();
  await action;
  return performance.now() - startedAt;
}

/** @param {number} time of it, in ms since 1970 */
async function mkdirAt(time) {
  await mkdir(`${file}.lock`);
  await utimes(`${file}.lock`, time / 1000, time / 1000);
}

/** A process that holds the lock of the file until it is killed. */
async function holdLock() {
  const lockModule = new URL('./file-lock.js', MODULE).href;
  const script = `
    import {writeSync} from 'node:fs';
    import {withFileLock} from ${JSON.stringify(lockModule)};
    await withFileLock(process.argv[1], {waitMs: 0}, () => {
      writeSync(1, 'held');
      for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    });`;
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', script, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve, reject) => {
    holder.stdout.once('data', resolve);
    holder.once('error', reject);
    holder.once('exit', (code) => reject(new Error(`The holder of the lock ended with ${code}`)));
  });
  return holder;
}
