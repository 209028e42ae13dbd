import assert from 'node:assert/strict';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {after, before, describe, it} from 'node:test';
import {pathToFileURL} from 'node:url';
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
