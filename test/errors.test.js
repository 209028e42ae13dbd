import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {
  errorCodes,
  failureOf,
  firstLineOf,
  headOfLog,
  InterruptedError,
  logIn,
  RunError,
  UnavailableError,
  UsageError,
} from '../src/errors.js';
import {allOptions} from '../src/settings/index.js';

const source = fileURLToPath(new URL('../src/', import.meta.url));
const files = readdirSync(source, {recursive: true, encoding: 'utf8'}).filter(
  (path) => path.endsWith('.js') && path !== 'errors.js',
);

/** Every name in quotes that begins with PB_ and is not that of an option. */
const written = new Map(
  files.flatMap((path) => {
    const names = readFileSync(join(source, path), 'utf8').match(/(?<=')PB_[A-Z0-9_]+(?=')/g) ?? [];
    return names.map((name) => /** @type {const} */ ([name, path]));
  }),
);
for (const {environmentName} of allOptions) written.delete(environmentName);

test('every error code that is used is declared', () => {
  const undeclared = [...written].filter(([name]) => !Object.hasOwn(errorCodes, name));
  assert.deepEqual(undeclared, []);
});

test('every error code that is declared is used', () => {
  const byClass = ['PB_USAGE', 'PB_RUN', 'PB_UNAVAILABLE', 'PB_INTERRUPTED'];
  const unused = Object.keys(errorCodes).filter((code) => !written.has(code) && !byClass.includes(code));
  assert.deepEqual(unused, []);
});

for (const {error, code, exitCode} of [
  {error: new UsageError('no'), code: 'PB_USAGE', exitCode: 2},
  {error: new RunError('no'), code: 'PB_RUN', exitCode: 1},
  {error: new RunError('no', {code: 'PB_LOST'}), code: 'PB_LOST', exitCode: 1},
  {error: new UnavailableError('no'), code: 'PB_UNAVAILABLE', exitCode: 3},
  {error: new UnavailableError('no', {code: 'PB_AWS'}), code: 'PB_AWS', exitCode: 3},
  {error: new InterruptedError('SIGINT'), code: 'PB_INTERRUPTED', exitCode: 130},
  {error: new InterruptedError('SIGTERM'), code: 'PB_INTERRUPTED', exitCode: 143},
  {error: new InterruptedError('SIGHUP'), code: 'PB_INTERRUPTED', exitCode: 143},
]) {
  test(`${error.name} with ${code} ends a command with ${exitCode}: ${error.message}`, () => {
    assert.deepEqual([error.code, error.exitCode], [code, exitCode]);
  });
}

test('an interruption says what is stored', () => {
  assert.equal(new InterruptedError('SIGINT').message, 'Interrupted by SIGINT.');
  assert.equal(
    new InterruptedError('SIGINT', 'All is stored.').message,
    'Interrupted by SIGINT. All is stored.',
  );
});

test('an error keeps its cause', () => {
  const cause = new Error('the reason');
  assert.equal(new RunError('no', {cause}).cause, cause);
  assert.ok(!('cause' in new RunError('no')));
});

test('records keep code, message and exit code of an error, and take one that is not ours as unexpected', () => {
  const ours = new UnavailableError('There is no RabbitMQ.', {code: 'PB_BROKER_UNAVAILABLE'});
  assert.deepEqual(failureOf(ours), {
    code: 'PB_BROKER_UNAVAILABLE',
    message: 'There is no RabbitMQ.',
    exitCode: 3,
  });
  const foreign = Object.assign(new Error('read ECONNRESET'), {code: 'ECONNRESET'});
  assert.deepEqual(failureOf(foreign), {code: 'PB_UNEXPECTED', message: 'read ECONNRESET', exitCode: 1});
});

test('a message with the end of a log is its first line, and the lines of the log', () => {
  const message = `The node (pid 7) ended with exit code 1. ${headOfLog}\nfirst\nsecond`;
  assert.equal(firstLineOf(message), 'The node (pid 7) ended with exit code 1.');
  assert.deepEqual(logIn(message), [headOfLog, 'first', 'second']);
  assert.equal(firstLineOf('One line.'), 'One line.');
  assert.deepEqual(logIn('Two\nlines'), []);
});
