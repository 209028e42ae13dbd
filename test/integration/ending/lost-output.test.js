import assert from 'node:assert/strict';
import {stat, writeFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

/** @param {string} redirection of a shell */
const redirected = (redirection) => ({wrapper: ['bash', '-c', `exec "$@" ${redirection}`, 'bash']});

const full = /Cannot write standard output: the disk is full\. Free some space, then try again\.\n$/;
const shortBattle = ['--transport', 'tcp', '--payload', '1kb', '--rounds', '1', '--samples', '20'];

describe('output that cannot be written', {concurrency: 2, timeout: 300_000}, () => {
  for (const words of [
    ['--version'],
    ['--help'],
    ['table', '--published'],
    ['--dry-run', '--json'],
    ['doctor', '--json'],
    ['completion', 'bash'],
    [...shortBattle, '--json', '--quiet'],
  ]) {
    it(
      `fails perf-battle ${words.join(' ')} with exit code 1 and a sentence`,
      inAWorkplace(async (workplace) => {
        const {code, stderr} = await workplace.start('battle', words, {}, redirected('>/dev/full')).ended;
        assert.equal(code, 1);
        assert.match(stderr, full);
        assert.doesNotMatch(stderr, /\n\s+at /);
      }),
    );
  }

  it(
    'fails a battle that cannot write its progress, and its results are stored and shown',
    inAWorkplace(async (workplace) => {
      const {code, stdout} = await workplace.start('battle', shortBattle, {}, redirected('2>/dev/full'))
        .ended;
      assert.equal(code, 1);
      assert.match(stdout, /1 row appended/);
      assert.equal((await workplace.cells())[0].outcome, 'completed');
    }),
  );

  it(
    'keeps the exit code of what is refused',
    inAWorkplace(async (workplace) => {
      const {ended} = workplace.start('battle', ['--nosuch'], {}, redirected('2>/dev/full'));
      assert.equal((await ended).code, 2);
    }),
  );

  it(
    'is noticed when only a part of the last text was taken',
    inAWorkplace(async (workplace) => {
      // A process may write 1024 bytes into a file: the first write is short, and only a second one would fail.
      const limited = {wrapper: ['bash', '-c', 'ulimit -f 1; exec "$@" >help.txt', 'bash']};
      const {code, stderr} = await workplace.start('battle', ['--help'], {}, limited).ended;
      assert.equal(code, 1);
      assert.match(stderr, /Cannot write standard output: /);
      assert.equal((await stat(workplace.file('help.txt'))).size, 1024);
    }),
  );

  it(
    'is no error where a reader has closed its pipe',
    inAWorkplace(async (workplace) => {
      const closed = {wrapper: ['bash', '-c', 'set -o pipefail; "$@" | true', 'bash']};
      for (const words of [['--help'], ['--dry-run', '--json']]) {
        const {code, stderr} = await workplace.start('battle', words, {}, closed).ended;
        assert.deepEqual({code, stderr}, {code: 0, stderr: ''});
      }
    }),
  );

  for (const format of ['text', 'ndjson']) {
    it(
      `ends a script that runs by hand, and prints ${format}, with exit code 1`,
      inAWorkplace(async (workplace) => {
        const port = {PB_SERVER_PORT: '0', PB_OUTPUT: format};
        const server = workplace.start('tcp-server', [], port, redirected('>/dev/full'));
        const {code, stderr} = await server.ended;
        assert.equal(code, 1);
        assert.match(stderr, full);
      }),
    );
  }

  it(
    'of a client by hand fails, and a file that has room has all of it',
    inAWorkplace(async (workplace) => {
      const server = workplace.start('tcp-server', [], {PB_SERVER_PORT: '0', PB_OUTPUT: 'ndjson'});
      const [, port] = await server.says(/"address":"[^"]*:(\d+)"/);
      await writeFile(workplace.file('.env'), `PB_SERVER_PORT=${port}\n`);
      const client = async (/** @type {string} */ redirection) =>
        await workplace.start('tcp-client', ['--samples', '20'], {}, redirected(redirection)).ended;
      assert.deepEqual(await client('>out.txt').then(({code}) => code), 0);
      assert.ok((await stat(workplace.file('out.txt'))).size > 50);
      const {code, stderr} = await client('>/dev/full');
      assert.equal(code, 1);
      assert.match(stderr, full);
    }),
  );
});
