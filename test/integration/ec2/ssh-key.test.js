import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdir, mkdtemp, readdir, readFile, rename, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'node:test';
import {promisify} from 'node:util';
import {findSshKey, removeSshFiles, writeSshFiles} from '../../../src/ec2/ssh.js';
import {UsageError} from '../../../src/errors.js';

const run = promisify(execFile);

describe('the key for ssh', () => {
  /** @type {string} */
  let home;
  /** @param {string} name @param {string} [passphrase] */
  async function makeKey(name, passphrase = '') {
    const file = join(home, '.ssh', name);
    await mkdir(join(home, '.ssh'), {recursive: true});
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-C', 'me', '-f', file]);
    return {file, publicKey: (await readFile(`${file}.pub`, 'utf8')).trim(), pairName: ''};
  }
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'perf-battle-key-'));
  });
  afterEach(() => rm(home, {recursive: true, force: true}));

  it("is the user's default key, unless one is named", async () => {
    const key = await makeKey('id_ed25519');
    assert.deepEqual(await findSshKey(null, home), key);
  });

  it('is the named file, with its public key', async () => {
    const key = await makeKey('other');
    assert.deepEqual(await findSshKey(key.file, home), key);
    assert.deepEqual(await findSshKey('~/.ssh/other', home), key);
    assert.deepEqual(await findSshKey(`${key.file}.pub`, home), {...key, file: `${key.file}.pub`});
  });

  it('gets its public key derived when there is no .pub file', async () => {
    const key = await makeKey('alone');
    await rename(`${key.file}.pub`, join(home, 'away'));
    const {publicKey} = await findSshKey(key.file, home);
    assert.deepEqual(publicKey.split(' ').slice(0, 2), key.publicKey.split(' ').slice(0, 2));
  });

  it('is an EC2 key pair when the name is not a file', async () => {
    assert.deepEqual(await findSshKey('my-pair', home), {file: null, publicKey: '', pairName: 'my-pair'});
  });

  it('is reported as missing, with advice', async () => {
    await assert.rejects(findSshKey(null, home), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, /no ssh key in .*\.ssh.*--key/);
      return true;
    });
    await assert.rejects(findSshKey(join(home, 'none'), home), /there is no file/);
    const locked = await makeKey('locked', 'a passphrase');
    await rm(`${locked.file}.pub`);
    await assert.rejects(
      findSshKey(locked.file, home),
      /locked\.pub does not exist, and ssh-keygen could not derive it/,
    );
  });
});

describe('the ssh files of a stack', () => {
  const {HOME, XDG_CACHE_HOME} = process.env;
  /** @type {string} */
  let home;
  const hosts = {
    ...{type: 't2.micro', addresses: {client: '192.0.2.1', server: '192.0.2.2', broker: '192.0.2.3'}},
    ...{hostKey: 'ssh-ed25519 AAAA', keyFile: null, userConfig: null},
  };
  const write = async () => (await writeSshFiles('perf-battle-t2-micro', hosts)).config;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'perf-battle-cache-'));
    process.env.HOME = home;
    delete process.env.XDG_CACHE_HOME;
  });
  afterEach(async () => {
    Object.assign(process.env, {HOME, XDG_CACHE_HOME});
    if (XDG_CACHE_HOME === undefined) delete process.env.XDG_CACHE_HOME;
    await rm(home, {recursive: true});
  });

  const inHome = () => join(home, '.cache', 'perf-battle', 'ec2');
  const inXdg = () => join(home, 'xdg', 'perf-battle', 'ec2');

  it('are in the cache that XDG_CACHE_HOME names, or in ~/.cache', async () => {
    assert.equal(await write(), join(inHome(), 'perf-battle-t2-micro', 'ssh_config'));
    await removeSshFiles('perf-battle-t2-micro');
    process.env.XDG_CACHE_HOME = join(home, 'xdg');
    assert.equal(await write(), join(inXdg(), 'perf-battle-t2-micro', 'ssh_config'));
    assert.deepEqual(await readdir(inHome()), []);
  });

  it('stay where an earlier version wrote them, until the stack is removed', async () => {
    const earlier = await write();
    process.env.XDG_CACHE_HOME = join(home, 'xdg');
    assert.equal(await write(), earlier);
    await removeSshFiles('perf-battle-t2-micro');
    assert.deepEqual(await readdir(inHome()), []);
    assert.equal(await write(), join(inXdg(), 'perf-battle-t2-micro', 'ssh_config'));
    await removeSshFiles('perf-battle-t2-micro');
    assert.deepEqual(await readdir(inXdg()), []);
  });
});
