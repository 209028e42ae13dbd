import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, afterEach, before, beforeEach, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {SshConnection} from '../../../src/hosts/ssh-connection.js';
import {makeNetwork} from '../support/network.js';

/** @import {Network} from '../support/network.js' */

const {signal} = new AbortController();
/** A stopped process is killed when it was found so twice. */
const noticedWithinMs = 8000;

describe('a connection of ssh', {timeout: 300_000}, () => {
  /** @type {Network} */
  let network;
  /** @type {string} */
  let folder;
  const environment = process.env.TMPDIR;
  before(async () => {
    network = await makeNetwork(['alpha']);
  });
  after(() => network?.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pb-test-'));
  });
  afterEach(async () => {
    if (environment === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = environment;
    await rm(folder, {recursive: true, force: true});
  });

  for (const [what, name] of [
    ['a percent sign', 'of%h%%'],
    ['blanks and quotes', `o'f "mine`],
    ['a variable', `of-\${HOME}`],
    ['120 characters', 'x'.repeat(120)],
  ])
    it(`works where the path of the folder for temporary files has ${what}, and leaves nothing there`, async () => {
      process.env.TMPDIR = join(folder, name);
      await mkdir(process.env.TMPDIR);
      const connection = new SshConnection('alpha', network.sshConfig);
      await connection.open(signal);
      assert.equal((await connection.run('echo yes', {signal})).stdout, 'yes\n');
      await connection.close();
      assert.deepEqual(await readdir(process.env.TMPDIR), []);
    });

  it('ends when an ssh process here is stopped: one that runs a command, one that holds the connection, and its guard', async () => {
    const connection = new SshConnection('alpha', network.sshConfig);
    await connection.open(signal);
    const command = connection.spawn('sleep 60');
    await sleep(300);
    command.kill('SIGSTOP');
    await endsWithin(once(command, 'exit'));
    const pid = Number(connection.master?.pid);
    const [ssh] = await childrenOf(pid);
    const running = connection.run('sleep 60', {signal});
    process.kill(ssh, 'SIGSTOP');
    await endsWithin(running);
    assert.match(String(connection.failure?.message), /The host alpha is not available/);
    await endsWithin(connection.close());

    const other = new SshConnection('alpha', network.sshConfig);
    await other.open(signal);
    process.kill(Number(other.master?.pid), 'SIGSTOP');
    await endsWithin(other.close());
  });

  it('has said why it ended when a command ends with it, although its own process ends a moment later', async () => {
    const connection = new SshConnection('alpha', network.sshConfig);
    await connection.open(signal);
    const guard = Number(connection.master?.pid);
    const [ssh] = await childrenOf(guard);
    const running = connection.run('sleep 60', {signal});
    await sleep(300);
    process.kill(guard, 'SIGSTOP');
    process.kill(ssh, 'SIGKILL');
    setTimeout(() => process.kill(guard, 'SIGCONT'), 500);
    await endsWithin(running);
    assert.match(String(connection.failure?.message), /The host alpha is not available/);
    await connection.close();
  });

  it('leaves nothing when its process is killed, and the next one removes what killed processes left', async () => {
    process.env.TMPDIR = folder;
    const script = `import {SshConnection} from ${JSON.stringify(new URL('../../../src/hosts/ssh-connection.js', import.meta.url).href)};
const connection = new SshConnection('alpha', process.argv[1]);
await connection.open(new AbortController().signal);
console.log(connection.master.pid);
setInterval(() => {}, 1000);`;
    const start = async () => {
      const words = ['--input-type=module', '--eval', script, network.sshConfig];
      const child = spawn(process.execPath, words, {stdio: ['ignore', 'pipe', 'inherit'], detached: true});
      const [printed] = await once(child.stdout, 'data');
      return {child, guard: Number(String(printed))};
    };
    const first = await start();
    process.kill(-Number(first.child.pid), 'SIGKILL');
    const deadline = performance.now() + noticedWithinMs;
    while ((await readdir(folder)).length > 0 && performance.now() < deadline) await sleep(50);
    assert.deepEqual(await readdir(folder), []);

    const second = await start();
    process.kill(-second.guard, 'SIGKILL');
    process.kill(-Number(second.child.pid), 'SIGKILL');
    await once(second.child, 'exit');
    assert.equal((await readdir(folder)).length, 1);
    await mkdir(join(folder, 'pb-ssh-of-somebody-else'));
    await writeFile(
      join(folder, 'pb-ssh-of-somebody-else', 'owner.json'),
      JSON.stringify({hostname: 'elsewhere', pid: 1}),
    );
    const connection = new SshConnection('alpha', network.sshConfig);
    await connection.open(signal);
    await connection.close();
    assert.deepEqual(await readdir(folder), ['pb-ssh-of-somebody-else']);
  });
});

/** @param {Promise<unknown>} event */
async function endsWithin(event) {
  const over = new AbortController();
  const late = sleep(noticedWithinMs, 'late', {signal: over.signal}).catch(() => {});
  assert.notEqual(await Promise.race([event, late]), 'late');
  over.abort();
}

/** @param {number} pid @returns {Promise<number[]>} */
async function childrenOf(pid) {
  return (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number);
}
