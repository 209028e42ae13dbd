import assert from 'node:assert/strict';
import {test} from 'node:test';
import {clusterId, configurationOf} from '../../../src/brokers/kafka/driver.js';

const server = {
  hostname: 'broker.example',
  address: '0.0.0.0',
  port: 1234,
  username: 'perf-battle',
  password: 's3cret',
  logs: '/folder/kafka',
  controllerPort: 5678,
};

test('a private broker listens where it must, is reached by its name, and takes only its own user', () => {
  const lines = configurationOf(server).split('\n');
  for (const line of [
    'listeners=CLIENTS://0.0.0.0:1234,CONTROLLER://127.0.0.1:5678',
    'advertised.listeners=CLIENTS://broker.example:1234',
    'listener.security.protocol.map=CLIENTS:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs=/folder/kafka',
  ])
    assert.ok(lines.includes(line), line);
  const login = lines.find((line) => line.includes('jaas.config')) ?? '';
  assert.match(login, / username="perf-battle" password="s3cret" user_perf-battle="s3cret";$/);
});

test('a private broker flushes nothing by itself, as Kafka does by default', () => {
  assert.doesNotMatch(configurationOf(server), /flush/);
});

test('an address of IPv6 has brackets', () => {
  assert.match(configurationOf({...server, address: '::'}), /^listeners=CLIENTS:\/\/\[::\]:1234,/m);
});

test('the name of a cluster is 22 characters of base64url, and never begins with a dash, which a command takes for an option', () => {
  for (let first = 0; first < 256; first += 1)
    assert.match(clusterId(Buffer.alloc(16, first)), /^[A-Za-z\d_][\w-]{21}$/);
});
