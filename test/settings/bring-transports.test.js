import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {warnOfHiddenPackages} from '../../src/settings/bring-transports.js';

test('an installed package whose name is hidden by a transport of perf-battle is a warning', () => {
  const folder = mkdtempSync(join(tmpdir(), 'perf-battle-hidden-'));
  try {
    for (const name of ['http', 'mine']) {
      const installed = join(folder, 'node_modules', `perf-battle-transport-${name}`);
      mkdirSync(installed, {recursive: true});
      writeFileSync(join(installed, 'package.json'), '{}');
    }
    mkdirSync(join(folder, 'within'));
    assert.deepEqual(warnOfHiddenPackages(['tcp', 'http', 'mine', './http'], join(folder, 'within')), [
      'http is the transport of perf-battle. That of the installed npm package is --transport perf-battle-transport-http.',
    ]);
  } finally {
    rmSync(folder, {recursive: true});
  }
});

const examples = new URL('../../examples/transports/', import.meta.url);
for (const name of readdirSync(examples))
  test(`the example ${name} says where its module is, so that a program may give it to battle()`, () => {
    assert.match(
      readFileSync(new URL(`${name}/index.js`, examples), 'utf8'),
      /^ {2}url: import\.meta\.url,$/m,
    );
  });
