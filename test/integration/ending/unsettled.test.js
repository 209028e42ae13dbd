import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {test} from 'node:test';

const script = new URL('../../../src/ending/end-process.js', import.meta.url);

/** @param {string} outcome an expression @returns {Promise<{code: unknown, stderr: string}>} how a process ends that waits for it */
function run(outcome) {
  const source = `
    import {failUntilSettled} from '${script}';
    const settle = failUntilSettled((message) => process.stderr.write(message));
    settle(await ${outcome});`;
  return new Promise((resolve) => {
    execFile(process.execPath, ['--input-type=module', '--eval', source], (error, _, stderr) =>
      resolve({code: error ? error.code : 0, stderr}),
    );
  });
}

test('a process whose work never settles ends with a failure and a sentence, and one whose work is done with its code', async () => {
  const [unsettled, done, failed] = await Promise.all([run('new Promise(() => {})'), run('0'), run('3')]);
  assert.equal(unsettled.code, 1);
  assert.match(unsettled.stderr, /ended before its work was done/);
  assert.deepEqual(done, {code: 0, stderr: ''});
  assert.deepEqual(failed, {code: 3, stderr: ''});
});
