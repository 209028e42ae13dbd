import assert from 'node:assert/strict';
import {test} from 'node:test';
import {endInSteps} from '../../src/hosts/end-in-steps.js';

/** A process that goes at one of the steps. @param {string} goesAt */
function makeProcess(goesAt) {
  /** @type {string[]} */
  const taken = [];
  /** @type {() => void} */
  let exit = () => {};
  const exited = /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      exit = resolve;
    })
  );
  const step = (/** @type {string} */ name) => () => {
    taken.push(name);
    if (name === goesAt) exit();
  };
  return {exited, taken, steps: ['stop', 'SIGTERM', 'SIGKILL'].map(step)};
}

for (const [goesAt, expected] of /** @type {const} */ ([
  ['stop', ['stop']],
  ['SIGTERM', ['stop', 'SIGTERM']],
  ['SIGKILL', ['stop', 'SIGTERM', 'SIGKILL']],
])) {
  test(`a process that goes at ${goesAt} is asked no further`, async () => {
    const {exited, taken, steps} = makeProcess(goesAt);
    await endInSteps(exited, steps, 5);
    assert.deepEqual(taken, expected);
  });
}

test('with one step there is no grace', async () => {
  const {exited, taken, steps} = makeProcess('SIGKILL');
  await endInSteps(exited, steps.slice(-1), 60_000);
  assert.deepEqual(taken, ['SIGKILL']);
});
