import assert from 'node:assert/strict';
import {test} from 'node:test';
import {clusterId} from '../../../src/brokers/kafka/driver.js';

test('the name of a cluster is 22 characters of base64url, and never begins with a dash, which a command takes for an option', () => {
  for (let first = 0; first < 256; first += 1)
    assert.match(clusterId(Buffer.alloc(16, first)), /^[A-Za-z\d_][\w-]{21}$/);
});
