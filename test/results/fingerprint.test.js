import assert from 'node:assert/strict';
import {test} from 'node:test';
import {versionsTogether} from '../../src/results/fingerprint.js';

test('versions together are those of all, each once', () => {
  assert.deepEqual(
    versionsTogether([
      {node: 'v20', rabbitmq: null},
      {node: 'v20', rabbitmq: '3.10.8'},
      {node: 'v20', rabbitmq: '4.0.5', nats: null},
      {node: 'v20', rabbitmq: '3.10.8'},
    ]),
    {node: 'v20', rabbitmq: '3.10.8, 4.0.5', nats: null},
  );
  assert.deepEqual(versionsTogether([]), {});
});
