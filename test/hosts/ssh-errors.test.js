import assert from 'node:assert/strict';
import {test} from 'node:test';
import {explainSsh, isLasting} from '../../src/hosts/ssh-errors.js';

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
    assert.equal(error.code, 'PB_HOST_UNAVAILABLE');
    assert.match(error.message, /user@b/);
    assert.match(error.message, reason);
    assert.ok(error.message.endsWith(stderr.split('\n').at(-1) ?? ''));
    assert.equal(error.exitCode, 3);
    assert.doesNotMatch(error.message, /\n/);
  });
}

for (const {stderr, lasts} of [
  {stderr: 'root@b: Permission denied (publickey).', lasts: true},
  {stderr: 'Host key verification failed.', lasts: true},
  {stderr: '/home/ann/.ssh/config: line 3: Bad configuration option: nosuch', lasts: true},
  {
    stderr:
      'Unable to negotiate with 10.0.0.1 port 22: no matching host key type found. Their offer: ssh-rsa',
    lasts: true,
  },
  {stderr: 'ssh: Could not resolve hostname bastion: Name or service not known', lasts: true},
  {stderr: 'ssh: connect to host b port 22: Connection refused', lasts: false},
  {stderr: 'ssh: connect to host b port 22: Connection timed out', lasts: false},
  {stderr: 'kex_exchange_identification: read: Connection reset by peer', lasts: false},
  {stderr: '', lasts: false},
]) {
  test(`${lasts ? 'is' : 'is not'} an error that lasts: ${stderr || 'no message'}`, () => {
    assert.equal(isLasting(stderr), lasts);
  });
}
