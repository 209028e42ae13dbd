import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {link, mkdir, mkdtemp, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {UsageError} from '../../../src/errors.js';
import {checkGivenFile, readGivenFile, readGivenText} from '../../../src/files/given-file.js';
import {readEnvFile} from '../../../src/options/resolve.js';
import {Journal} from '../../../src/results/journal.js';
import {openJournal, prepareFiles} from '../../../src/session/open-journal.js';

/** @type {string} */
let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perf-battle-given-'));
  execFileSync('mkfifo', [file('pipe')]);
  await mkdir(file('folder'));
  await writeFile(file('text'), '\uFEFFPB_SEED=7\nPB_ROUNDS=3\n');
  await writeFile(file('utf16'), Buffer.from('\uFEFFPB_SEED=7\n', 'utf16le'));
  await writeFile(file('latin1'), Buffer.from('# Zürich\n', 'latin1'));
  await writeFile(file('long'), 'x'.repeat(101));
  await symlink('loop', file('loop'));
});

after(() => rm(folder, {recursive: true}));

/** @param {string} name */
const file = (name) => join(folder, name);

const limits = {minBytes: 1, maxBytes: 100};

describe('a file that a person names', () => {
  for (const {path, reason} of [
    {path: 'pipe', reason: /pipe is a named pipe, not a regular file\.$/},
    {path: 'folder', reason: /folder is a directory, not a regular file\.$/},
    {path: '/dev/zero', reason: /^\/dev\/zero is a device, not a regular file\.$/},
    {path: 'none', reason: /none does not exist\.$/},
    {path: 'text/x', reason: /x does not exist: a part of its path is a file, not a folder\.$/},
    {path: 'loop', reason: /loop cannot be read: its symlinks form a loop\.$/},
    {path: 'long', reason: /long has more than the 100 bytes that are allowed\.$/},
  ]) {
    it(`is refused at once: ${path}`, () => {
      for (const read of [readGivenFile, readGivenText, checkGivenFile]) {
        const whole = path.startsWith('/') ? path : file(path);
        assert.throws(() => read(whole, limits), {name: UsageError.name, message: reason});
      }
    });
  }

  it('is read whole, also if the system does not know its size', () => {
    assert.equal(readGivenText('/proc/version', {maxBytes: 10_000}).startsWith('Linux'), true);
    assert.throws(() => readGivenFile('/proc/version', {maxBytes: 5}), /has more than the 5 bytes/);
    assert.equal(readGivenFile(file('long'), {maxBytes: 101}).length, 101);
    assert.equal(checkGivenFile(file('long'), {maxBytes: 101}), 101);
  });
});

describe('.env', () => {
  it('has all its settings after a byte order mark', () => {
    assert.deepEqual(readEnvFile(file('text')), {PB_SEED: '7', PB_ROUNDS: '3'});
  });

  for (const name of ['utf16', 'latin1', 'pipe', 'folder']) {
    it(`is refused when it is ${name}`, () => {
      assert.throws(() => readEnvFile(file(name)), {code: 'PB_USAGE', message: /^The settings file .*/});
    });
  }

  it('is refused for a PB_ line without =, with the line and what is allowed, and without a password', () => {
    for (const [text, message] of /** @type {const} */ ([
      ['PB_SEED=1\n\nPB_ROUNDS 3\n', 'line 3, must be NAME=VALUE, .* it has PB_ROUNDS without =\\.$'],
      ['PB_ROUNDS\nPB_SEED=1\n', 'line 1, must be'],
      ['A="\n=\n"\r\n  export PB_ROUNDS: 3\r\n', 'line 4, must be'],
      ['PB_NATS_PASSWORD s3cret', 'line 1, must be .* it has PB_NATS_PASSWORD without =\\.$'],
    ])) {
      writeFileSync(file('wrong'), text);
      assert.throws(() => readEnvFile(file('wrong')), {
        code: 'PB_USAGE',
        message: new RegExp(`/wrong, ${message}`),
      });
    }
  });

  it('may have lines of other programs, comments, and values of several lines', () => {
    writeFileSync(
      file('others'),
      'export PATH\nPB_SEED=1\nset -a\n# PB_ROUNDS 3\nA="x\nPB_ROUNDS 4\n"\nPB_ROUNDS=\'5\' # PB_SEED\n',
    );
    assert.deepEqual(readEnvFile(file('others')), {PB_SEED: '1', PB_ROUNDS: '5'});
  });

  it('counts as empty when it does not exist', () => {
    assert.deepEqual(readEnvFile(file('none')), {});
  });
});

describe('the results file', () => {
  it('is refused where it cannot be written, with the option that names another', async () => {
    const {journal, battles} = await openJournal(file('folder'), assert.fail);
    await assert.rejects(prepareFiles(journal, battles, {results: file('folder')}), {
      code: 'PB_RUN',
      message: /^Cannot write .*folder: it is a directory\. Name a file\. --results names the file\.$/,
    });
  });
});

describe('the journal', () => {
  it('is refused when it is a named pipe', async () => {
    await assert.rejects(new Journal(file('pipe')).read(), {code: 'PB_RUN', message: /pipe is a named pipe/});
  });

  it('is refused when a link makes it the results file', async () => {
    await writeFile(file('results.ndjson'), '');
    await link(file('results.ndjson'), file('results.md'));
    const {journal, battles} = await openJournal(file('results.md'), assert.fail);
    await assert.rejects(prepareFiles(journal, battles, {results: file('results.md')}), {
      code: 'PB_USAGE',
      message: /are the same file/,
    });
  });
});
