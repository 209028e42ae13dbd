import assert from 'node:assert/strict';
import {test} from 'node:test';
import {explainSsh} from '../../src/hosts/ssh-errors.js';

const cases = [
  ['root@b: Permission denied (publickey).', /refused every key/],
  ['ssh: Could not resolve hostname b: Name or service not known', /name cannot be resolved/],
  ['ssh: connect to host b port 22: Connection refused', /ssh port refused the connection/],
  ['ssh: connect to host b port 22: Connection timed out', /does not answer/],
  ['Timeout, server b not responding.', /does not answer/],
  ['ssh: connect to host b port 22: No route to host', /no network route to it/],
  [
    '@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nsomething\nHost key verification failed.',
    /differs from the one in known_hosts/,
  ],
  [
    'No ED25519 host key is known for b and you have requested strict checking.\nHost key verification failed.',
    /host key is unknown/,
  ],
  ['', /connection ended\.$/],
];

for (const [stderr, reason] of /** @type {[string, RegExp][]} */ (cases)) {
  test(`an error of ssh is explained: ${stderr.split('\n')[0] || 'no message'}`, () => {
    const error = explainSsh('user@b', stderr);
    assert.match(error.message, /^The host user@b is not available: /);
    assert.match(error.message, reason);
    assert.ok(error.message.endsWith(stderr.split('\n').at(-1) ?? ''));
    assert.equal(error.exitCode, 3);
    assert.doesNotMatch(error.message, /\n/);
  });
}
