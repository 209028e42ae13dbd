import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdir, mkdtemp, readFile, rename, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'node:test';
import {promisify} from 'node:util';
import {findSshKey} from '../../../src/ec2/ssh.js';
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
