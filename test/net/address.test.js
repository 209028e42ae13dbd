import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {joinAddress, parseSshHost, splitAddress} from '../../src/net/address.js';

test('hosts are parsed in the notation of ssh', () => {
  assert.deepEqual(parseSshHost('b'), {destination: 'b', port: null});
  assert.deepEqual(parseSshHost('ec2-user@10.0.0.1'), {destination: 'ec2-user@10.0.0.1', port: null});
  assert.deepEqual(parseSshHost('me@b.example:2222'), {destination: 'me@b.example', port: 2222});
  assert.deepEqual(parseSshHost('me@[fe80::1]:22'), {destination: 'me@fe80::1', port: 22});
});

test('a text that ssh would take as an option, or that is not a host, is refused', () => {
  for (const text of [
    '',
    '-oProxyCommand=reboot',
    'a b',
    'me@',
    '@b',
    'b:0',
    'b:65536',
    'b:x',
    'b;reboot',
    '$(reboot)',
    'a@-b',
  ])
    assert.equal(parseSshHost(text), null, text);
});

test('a host with shell metacharacters is refused', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const parsed = parseSshHost(text);
      if (parsed) assert.match(parsed.destination, /^[\w.][\w.+@:%-]*$/);
    }),
  );
});

test('addresses are split and joined, including IPv6', () => {
  for (const address of ['10.0.0.1:3000', '[::1]:80', 'b.example:1']) {
    const {host, port} = splitAddress(address);
    assert.equal(joinAddress(host, port), address);
  }
});
