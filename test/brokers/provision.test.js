import assert from 'node:assert/strict';
import {test} from 'node:test';
import {nameOf} from '../../src/brokers/provision.js';

for (const [product, version, name] of /** @type {[string, string | null, string][]} */ ([
  ['Redis', '7.0.15', 'Redis 7.0.15'],
  ['Redis', 'Valkey 8.1.1', 'Valkey 8.1.1'],
  ['Valkey', 'Valkey 8.1.1', 'Valkey 8.1.1'],
  ['Relay hub', 'v2', 'Relay hub v2'],
  ['broker', null, 'broker'],
]))
  test(`a broker ${product} of version ${version} is named ${name}`, () => {
    assert.equal(nameOf(product, version), name);
  });
