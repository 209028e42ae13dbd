import assert from 'node:assert/strict';
import {test} from 'node:test';
import {explainSsh} from '../../src/hosts/ssh-errors.js';

const cases = [
  ['root@b: Permission denied (publickey).', /none of the keys/],
  ['ssh: Could not resolve hostname b: Name or service not known', /name is not known/],
  ['ssh: connect to host b port 22: Connection refused', /nothing answers/],
  ['ssh: connect to host b port 22: Connection timed out', /does not answer/],
  ['Timeout, server b not responding.', /does not answer/],
  ['ssh: connect to host b port 22: No route to host', /no way to it/],
  [
    '@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nsomething\nHost key verification failed.',
    /not the one that known_hosts holds/,
  ],
  [
    'No ED25519 host key is known for b and you have requested strict checking.\nHost key verification failed.',
    /not known yet/,
  ],
  ['', /connection ended\.$/],
];

for (const [said, meaning] of /** @type {[string, RegExp][]} */ (cases)) {
  test(`what ssh says is explained: ${said.split('\n')[0] || 'nothing'}`, () => {
    const error = explainSsh('user@b', said);
    assert.match(error.message, /user@b/);
    assert.match(error.message, meaning);
    assert.ok(error.message.endsWith(said.split('\n').at(-1) ?? ''));
    assert.equal(error.exitCode, 3);
    assert.doesNotMatch(error.message, /\n/);
  });
}
