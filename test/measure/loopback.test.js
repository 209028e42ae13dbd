import assert from 'node:assert/strict';
import {test} from 'node:test';
import {loopbackAddress} from '../../src/measure/network.js';

for (const [own, expected] of /** @type {[string[], string][]} */ ([
  [['127.0.0.1', '::1'], '127.0.0.1'],
  [['127.0.0.1'], '127.0.0.1'],
  [['::1', 'fe80::1', '10.0.0.3'], '::1'],
  [[], '127.0.0.1'],
]))
  test(`a host with the addresses ${own.join(', ') || '(none)'} reaches itself at ${expected}`, () =>
    assert.equal(loopbackAddress(own), expected));
