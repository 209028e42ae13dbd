import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import {test} from 'node:test';
import {importLibrary} from '../../src/packages/import-library.js';

const require = createRequire(import.meta.url);
const [name, scoped, file] = ['no-such-library', '@no-such/library', './no-such-file.js'];

test('a library that is there is loaded', async () => {
  const {readFileSync} = await importLibrary(() => import('node:fs'), 'Mine');
  assert.equal(typeof readFileSync, 'function');
});

for (const [how, missing, load] of /** @type {[string, string, () => Promise<unknown>][]} */ ([
  ['imported', name, () => import(name)],
  ['imported', scoped, () => import(`${scoped}/part`)],
  ['required', name, async () => require(name)],
  ['required', scoped, async () => require(`${scoped}/part`)],
]))
  test(`a missing package ${missing} that is ${how} has the command that installs it`, async () => {
    await assert.rejects(importLibrary(load, 'Mine'), {
      ...{code: 'PB_NOT_INSTALLED', exitCode: 3},
      message: `Mine needs the npm package ${missing}, which is not installed. Install it with: npm install ${missing}`,
    });
  });

test('another error stays as it is', async () => {
  for (const load of [() => import(file), async () => require(file)])
    await assert.rejects(importLibrary(load, 'Mine'), /Cannot find module/);
  await assert.rejects(
    importLibrary(async () => assert.fail('other'), 'Mine'),
    {message: 'other'},
  );
});
