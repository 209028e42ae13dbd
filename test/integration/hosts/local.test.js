import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {after, before, describe, it} from 'node:test';
import {pathToFileURL} from 'node:url';
import {inOwnGroup} from '../../../src/hosts/host.js';
import {spawnRole} from '../../../src/hosts/local.js';

const program = `
const {execArgv, env} = process;
console.log(JSON.stringify({execArgv, trim: env.MALLOC_TRIM_THRESHOLD_ ?? null, isControlled: env.PB_STDIN === 'control'}));
process.exit();
`;

/** @type {string} */
let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perf-battle-integration-'));
  await writeFile(join(folder, 'program.mjs'), program);
});

after(() => rm(folder, {recursive: true}));

/** @param {boolean} keepMemory */
async function run(keepMemory) {
  const role = spawnRole(pathToFileURL(join(folder, 'program.mjs')), {cores: null, keepMemory});
  return JSON.parse(await text(role.stdout));
}

describe('the process of a role', () => {
  it('keeps its memory and collects garbage like a larger process', async () => {
    assert.deepEqual(await run(true), {
      execArgv: ['--heap-growing-percent=900'],
      trim: '134217728',
      isControlled: true,
    });
  });

  it('has the defaults of its system with --keep-memory off', async () => {
    assert.deepEqual(await run(false), {execArgv: [], trim: null, isControlled: true});
  });
});

describe('a process group of its own', () => {
  /** @param {readonly string[]} command @param {NodeJS.ProcessEnv} [env] */
  async function run(command, env = process.env) {
    const [file, ...parameters] = [...inOwnGroup, ...command];
    const child = spawn(file, parameters, {env});
    const [stdout, stderr, [code, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return {pid: child.pid, stdout, stderr, code, signal};
  }

  it('has the pid of the command, and the session of the roles', async () => {
    const script = `const stat = require('fs').readFileSync('/proc/self/stat', 'utf8');
      const [, , group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ').map(Number);
      console.log(JSON.stringify({pid: process.pid, group, session, words: process.argv.slice(1)}))`;
    const {pid, stdout} = await run([process.execPath, '-e', script, 'a  b', '*']);
    const own = await readFile('/proc/self/stat', 'utf8');
    const session = Number(own.slice(own.lastIndexOf(')') + 2).split(' ')[3]);
    assert.deepEqual(JSON.parse(stdout), {pid, group: pid, session, words: ['a  b', '*']});
  });

  it('says which command is missing, also where the locale is, and no more', async () => {
    const locale = {...process.env, LC_ALL: 'xx_XX.UTF-8'};
    const {code, stderr} = await run(['/nowhere/node'], locale);
    assert.deepEqual([code, stderr], [127, '/nowhere/node: No such file or directory\n']);
    const without = await run([process.execPath, '-e', 'console.error(process.env.PERL_BADLANG)'], locale);
    assert.deepEqual([without.code, without.stderr], [0, 'undefined\n']);
  });
});
