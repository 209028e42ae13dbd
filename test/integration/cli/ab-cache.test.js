import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {cp, mkdir, rm, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {copyingNpm, sidesIn, slowNpm, withNpm} from '../support/fake-npm.js';

/** @import {Workplace} from '../support/workplace.js' */

const root = fileURLToPath(new URL('../../..', import.meta.url));
const words = ['ab', '--transport', 'websocket', '--b', 'ws@8.18.0', '--rounds', '1'];

/** Starts a comparison, and waits until npm has a child. @param {Workplace} workplace @param {NodeJS.ProcessEnv} environment */
async function untilNpmRuns(workplace, environment) {
  const program = workplace.start('battle', words, environment);
  const isReady = async () => (await workplace.processes()).some(({command}) => /^sleep 300/.test(command));
  while (!(await isReady())) {
    assert.equal(program.child.exitCode, null, program.output());
    await sleep(50);
  }
  return program;
}

describe('the cache of ab', {timeout: 600_000}, () => {
  it(
    'has nothing of a comparison that a signal ended while npm ran, and nothing of npm runs on',
    inAWorkplace(async (workplace) => {
      const program = await untilNpmRuns(workplace, await withNpm(workplace, slowNpm));
      program.child.kill('SIGTERM');
      const {code, stderr} = await program.ended;
      assert.equal(code, 143, stderr);
      assert.deepEqual(await workplace.leftovers(), []);
      assert.deepEqual(await sidesIn(workplace), []);
    }),
  );

  it(
    'loses what was left by one that was killed at the next start, and npm ends at once',
    inAWorkplace(async (workplace) => {
      const program = await untilNpmRuns(workplace, await withNpm(workplace, slowNpm));
      program.child.kill('SIGKILL');
      await program.ended;
      assert.deepEqual(await workplace.leftoversWithin(5000), []);
      assert.equal((await sidesIn(workplace)).length, 1);
      const failing = await withNpm(workplace, 'sleep 303 & echo "npm error code E500" >&2; exit 1');
      const {code, stderr} = await workplace.battle(words, failing);
      assert.equal(code, 3, stderr);
      assert.match(stderr, /npm could not install ws@8\.18\.0: E500\n$/);
      assert.deepEqual(await sidesIn(workplace), []);
      assert.deepEqual(await workplace.leftoversWithin(2000), []);
    }),
  );

  it(
    'belongs to a checkout, so that another one can be deleted, and is made again where a part of it is missing',
    inAWorkplace(async (workplace) => {
      const environment = await withNpm(workplace, copyingNpm);
      for (const name of ['one', 'other']) {
        await mkdir(workplace.file(name));
        for (const part of ['src', 'package.json'])
          await cp(join(root, part), workplace.file(join(name, part)), {recursive: true});
        await symlink(join(root, 'node_modules'), workplace.file(join(name, 'node_modules')));
      }
      // As ab does before it measures.
      const fetch = workplace.file('fetch.js');
      await writeFile(
        fetch,
        `const {provideSides} = await import(process.argv[2] + '/src/sides/provide.js');
const sides = [{name: 'b', values: {}, origins: {}, program: {given: [], packages: {ws: '8.18.0'}}}];
const [{program}] = await provideSides(sides, {log: () => {}, signal: new AbortController().signal});
console.log(program.folder);`,
      );
      const provideIn = async (/** @type {string} */ name) => {
        const {code, stdout, stderr} = await workplace.run(fetch, [workplace.file(name)], environment);
        assert.equal(code, 0, stderr);
        return stdout.trim();
      };
      const ofOne = await provideIn('one');
      assert.equal(await provideIn('one'), ofOne);
      await rm(workplace.file('one'), {recursive: true});
      const ofOther = await provideIn('other');
      assert.notEqual(ofOne, ofOther);
      const isWhole = () =>
        ['ws', 'express', '@nats-io/nats-core'].every((name) =>
          existsSync(join(ofOther, 'node_modules', name, 'package.json')),
        );
      assert.ok(isWhole());
      await rm(join(ofOther, 'package.json'));
      await rm(join(ofOther, 'node_modules/ws'), {recursive: true});
      assert.equal(await provideIn('other'), ofOther);
      assert.ok(isWhole());
    }),
  );

  it(
    'is named in one sentence where it cannot be used',
    inAWorkplace(async (workplace) => {
      const full =
        'echo "npm error code ENOSPC" >&2; echo "npm error nospc no space left on device" >&2; exit 1';
      const environment = await withNpm(workplace, full);
      await writeFile(workplace.file('file'), '');
      await mkdir(workplace.file('taken/perf-battle'), {recursive: true});
      await writeFile(workplace.file('taken/perf-battle/sides'), '');
      for (const [cache, message] of /** @type {[string, RegExp][]} */ ([
        [workplace.file('file'), /cannot be used: a part of its path is not a folder\. Set XDG_CACHE_HOME/],
        [workplace.file('taken'), /cannot be used: a part of its path is not a folder\. Set XDG_CACHE_HOME/],
        ['/proc/perf-battle', /cannot be used: it cannot be created there\. Set XDG_CACHE_HOME/],
        [workplace.file('cache'), /npm could not install ws@8\.18\.0: ENOSPC: nospc no space left on device/],
      ])) {
        const {code, stderr} = await workplace.battle(words, {...environment, XDG_CACHE_HOME: cache});
        assert.equal(code, 1, stderr);
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /\n\s+at /);
      }
      assert.deepEqual(await sidesIn(workplace), []);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );
});
