import assert from 'node:assert/strict';
import {test} from 'node:test';
import {configurationOf} from '../../../src/brokers/nats/driver.js';
import {nats} from '../../../src/brokers/nats/index.js';

test('a private NATS server knows one user and takes the largest payloads', () => {
  const server = {
    address: '127.0.0.1',
    port: 4333,
    username: 'alice',
    password: 'secret',
    data: '/data',
    settings: {},
  };
  const text = configurationOf(server);
  assert.match(text, /^host: "127\.0\.0\.1"\nport: 4333\n/);
  assert.match(text, /authorization \{ user: "alice", password: "secret", timeout: 60 \}/);
  assert.match(text, /max_payload: 64MB/);
  assert.match(text, /jetstream \{ store_dir: "\/data\/jetstream" \}/);
  const synced = configurationOf({...server, settings: {sync: 'always'}});
  assert.match(synced, /jetstream \{ store_dir: "\/data\/jetstream", sync_interval: always \}/);
});

test('it is planned for one host, with a password of its own each time', async () => {
  const {planHosts} = await nats.load();
  const asked = {nodes: 1, memoryBytes: undefined};
  const plans = [planHosts(['10.0.0.3'], asked), planHosts(['10.0.0.3'], asked)].flat();
  assert.deepEqual(
    plans.map(({hostname}) => hostname),
    ['10.0.0.3', '10.0.0.3'],
  );
  assert.equal(new Set(plans.map((plan) => JSON.stringify(plan))).size, 2);
});
