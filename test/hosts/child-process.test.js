import assert from 'node:assert/strict';
import {PassThrough} from 'node:stream';
import {test} from 'node:test';
import {endInSteps, maxLineCharacters, readLines} from '../../src/hosts/child-process.js';

/** @param {readonly (string | Buffer)[]} parts that a process writes */
async function linesOf(parts) {
  const stream = new PassThrough();
  /** @type {string[]} */
  const lines = [];
  /** @type {string[]} */
  const refusals = [];
  readLines(
    stream,
    (line) => lines.push(line),
    (reason) => refusals.push(reason),
  );
  const ended = new Promise((resolve) => stream.once('end', resolve));
  for (const part of parts) stream.write(part);
  stream.end();
  await ended;
  return {lines, refusals};
}

test('lines are read whole, however they come, also one that has no end', async () => {
  const text = Buffer.from('one\ntwo ü\n\nthree');
  const {lines, refusals} = await linesOf([...text].map((byte) => Buffer.from([byte])));
  assert.deepEqual(lines, ['one', 'two ü', '', 'three']);
  assert.deepEqual(refusals, []);
  assert.deepEqual((await linesOf(['a\nb\n', 'c\n'])).lines, ['a', 'b', 'c']);
});

test('a line without an end is refused once, and what follows is forgotten', async () => {
  const part = 'a'.repeat(maxLineCharacters / 8);
  const {lines, refusals} = await linesOf(['first\n', ...Array(12).fill(part), '\nlast\n']);
  assert.deepEqual(lines, ['first']);
  assert.deepEqual(refusals, ['wrote a line of more than 32 MiB']);
});

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
