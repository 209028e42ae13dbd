import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {promisify} from 'node:util';
import {makeHostKey} from '../../../src/ec2/ssh.js';
import {makeScript, makeUserData, packUserData} from '../../../src/ec2/stack.js';
import {inTestCache} from '../support/test-cache.js';

const run = promisify(execFile);
const patience = {timeout: 600_000, maxBuffer: 16 * 1024 * 1024};

describe('user data', () => {
  it('contains the time to live and the unchanged install scripts', async () => {
    const text = await makeUserData({ttlMs: 90 * 60_000, hostKey: await makeHostKey()});
    assert.match(text, /^readonly TTL_MINUTES=90$/m);
    for (const script of ['packages.sh', 'rabbitmq/install.sh']) {
      const install = await readFile(new URL(`../../../infra/${script}`, import.meta.url), 'utf8');
      assert.ok(text.includes(install), script);
    }
  });

  it("fits the stack's parameters and EC2's limit", async () => {
    const text = await makeUserData({ttlMs: 86_400_000, hostKey: await makeHostKey()});
    const {UserData1, UserData2} = packUserData(text);
    assert.ok(UserData1.length <= 4096 && UserData2.length <= 4096);
    assert.ok(Buffer.from(UserData1 + UserData2, 'base64').length <= 16 * 1024);
    assert.throws(
      () => packUserData(Buffer.from(Array.from({length: 20_000}, Math.random).join()).toString()),
      /hold 8192/,
    );
  });
});

// A bare Debian cannot test dnf, the version of cloud-init on Amazon Linux, systemd and a shutdown that terminates an instance.
describe('user data on a bare Debian', {timeout: 1_200_000}, () => {
  /** @type {string} */
  let folder;
  const inside = (/** @type {string} */ path) => join(folder, 'debian', path);
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'perf-battle-user-data-'));
    await mkdir(inside(''));
    await run('tar', ['-xf', inTestCache('debian-bookworm.tar'), '-C', inside('')]);
    // There is no init process to shut down.
    await writeFile(inside('usr/sbin/shutdown'), '#!/bin/sh\necho "$@" >>/shutdown\n', {mode: 0o755});
    await writeFile(inside('user-data'), await makeScript({ttlMs: 37 * 60_000}));
  });
  after(() => rm(folder, {recursive: true, force: true}));

  /**
   * Runs in its own namespaces, so that its processes and mounts end with it.
   * @param {string[]} command
   * @param {{namespaces?: string[], env?: NodeJS.ProcessEnv}} [how] namespaces: more of its own
   */
  function runInside(command, {namespaces = [], env} = {}) {
    const own = [
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      `--mount-proc=${inside('proc')}`,
      ...namespaces,
    ];
    return run('unshare', [...own, 'chroot', inside(''), ...command], {...patience, ...(env && {env})});
  }

  /** @param {string[]} [namespaces] */
  async function boot(namespaces = []) {
    await rm(inside('run/perf-battle'), {recursive: true, force: true});
    await rm(inside('shutdown'), {force: true});
    const outcome = await runInside(['bash', '/user-data'], {
      namespaces,
      env: {PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root'},
    }).then(
      () => 0,
      ({code}) => code,
    );
    const read = (/** @type {string} */ path) => readFile(inside(path), 'utf8').catch(() => null);
    return {
      outcome,
      ready: await read('run/perf-battle/ready'),
      failed: await read('run/perf-battle/failed'),
      log: await read('run/perf-battle/log'),
      shutdown: await read('shutdown'),
    };
  }

  it('reports the reason, and still schedules the shutdown, when Node.js cannot be installed', async () => {
    const {outcome, ready, failed, shutdown} = await boot();
    assert.notEqual(outcome, 0);
    assert.equal(ready, null);
    assert.match(failed ?? '', /dnf: command not found/);
    assert.equal(shutdown, '-P +37\n');
  });

  it('is ready without a broker when RabbitMQ cannot be installed', async () => {
    await mkdir(inside('usr/local/bin'), {recursive: true});
    await copyFile(process.execPath, inside('usr/local/bin/node'));
    await chmod(inside('usr/local/bin/node'), 0o755);
    const {outcome, ready, log} = await boot(['--net']);
    assert.equal(outcome, 0, log ?? '');
    assert.equal(ready, `node ${process.version}\nbroker missing\n`);
    assert.match(log ?? '', /apt-get \w+ failed/);
  });

  it('installs RabbitMQ, and is ready', async () => {
    const {outcome, ready, failed, shutdown, log} = await boot();
    assert.equal(outcome, 0, log ?? '');
    assert.equal(ready, `node ${process.version}\nbroker installed\n`);
    assert.equal(failed, null);
    assert.equal(shutdown, '-P +37\n');
    const {stdout} = await run('chroot', [inside(''), 'dpkg', '--status', 'rabbitmq-server']);
    assert.match(stdout, /^Status: install ok installed$/m);
  });

  it('is taken by cloud-init: the end is set and the host key is there before the script runs', async () => {
    const hostKey = await makeHostKey();
    const install = 'apt-get -q update && apt-get -q install -y --no-install-recommends cloud-init';
    await runInside(['sh', '-c', install]);
    await mkdir(inside('usr/local/bin'), {recursive: true});
    await writeFile(inside('usr/local/bin/systemd-run'), '#!/bin/sh\necho "$@" >>/timers\n', {mode: 0o755});
    const seed = inside('var/lib/cloud/seed/nocloud');
    await mkdir(seed, {recursive: true});
    const {UserData1, UserData2} = packUserData(await makeUserData({ttlMs: 37 * 60_000, hostKey}));
    await writeFile(join(seed, 'user-data'), Buffer.from(UserData1 + UserData2, 'base64'));
    await writeFile(join(seed, 'meta-data'), 'instance-id: test\n');
    await writeFile(inside('etc/cloud/cloud.cfg.d/99-test.cfg'), 'datasource_list: [NoCloud]\n');
    const stages = 'cloud-init init --local && cloud-init init';
    await runInside(['sh', '-c', stages], {namespaces: ['--net']});
    assert.equal(
      await readFile(inside('timers'), 'utf8'),
      '--no-block --unit=perf-battle-end --on-active=37min systemctl poweroff\n',
    );
    assert.deepEqual((await readdir(inside('etc/ssh'))).filter((name) => name.includes('host')).sort(), [
      'ssh_host_ed25519_key',
      'ssh_host_ed25519_key.pub',
    ]);
    assert.equal(
      (await readFile(inside('etc/ssh/ssh_host_ed25519_key'), 'utf8')).trim(),
      hostKey.privateKey.trim(),
    );
    const [script] = await readdir(inside('var/lib/cloud/instances/test/scripts'));
    assert.equal(
      (await readFile(inside(`var/lib/cloud/instances/test/scripts/${script}`), 'utf8')).trim(),
      (await makeScript({ttlMs: 37 * 60_000})).trim(),
    );
  });
});
