import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {additions, flowSteps} from './support/architecture-page.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Something of each kind that is there: its files stand where the page puts those of a new one. */
const examples = new Map([
  ['a transport', 'websocket'],
  ['a broker kind', 'rabbitmq'],
  ['a workload', 'queue'],
  ['a column of the terminal table', 'queue'],
  ['a column of table --detail', ''],
  ['an option of a transport', 'websocket'],
  ['an option of a workload', 'queue'],
  ['an option of the battle', ''],
  ['a warning', ''],
  ['a check of doctor', ''],
  ['a command', 'choose'],
  ['an error code', ''],
  ['a field of a record', ''],
  ['a fault', ''],
  ['a page for users', 'ci'],
  ['a preset', 'coralmq'],
  ['an export', 'hlog'],
]);

test('every kind of addition has an example, and each file that the page names for it exists', () => {
  assert.deepEqual([...additions().keys()], [...examples.keys()]);
  for (const [what, {create, edit}] of additions()) {
    assert.ok(edit.length > 0, what);
    for (const path of [...create, ...edit]) {
      const file = path.replaceAll('<name>', examples.get(what) ?? '');
      assert.ok(existsSync(`${root}${file}`), `${what}: ${file}`);
    }
  }
});

test('the flow has all its steps in order, in files that exist', () => {
  const steps = flowSteps();
  assert.deepEqual(
    steps.map(({step}) => step),
    ['cli', 'settings', 'plan', 'session', 'battle', 'record', 'verdict', 'report'],
  );
  for (const {step, files} of steps) {
    assert.ok(files.length > 0, step);
    for (const file of files) assert.ok(existsSync(`${root}${file}`), file);
  }
});
