import assert from 'node:assert/strict';

/**
 * The error that a script by hand with PB_OUTPUT=ndjson wrote as its last line.
 * @param {string} stdout @returns {{code: string, message: string}}
 */
export function failureIn(stdout) {
  const {event, code, message} = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  assert.equal(event, 'error', stdout);
  return {code, message};
}
