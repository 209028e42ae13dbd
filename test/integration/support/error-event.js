import assert from 'node:assert/strict';

/**
 * The event with which a script ends that failed, as it writes them with PB_OUTPUT=ndjson. The error was foreseen: it has a code and no stack.
 * @param {string} stdout @returns {{code: string, message: string}}
 */
export function errorIn(stdout) {
  const {event, code, message} = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  assert.deepEqual({event, isForeseen: code !== 'PB_UNEXPECTED'}, {event: 'error', isForeseen: true}, stdout);
  return {code, message};
}
