import assert from 'node:assert/strict';
import {test} from 'node:test';
import {configurationOf} from '../../../src/brokers/mosquitto/driver.js';
import {topicsOf} from '../../../src/brokers/mosquitto/topics.js';

const server = {
  address: '127.0.0.1',
  port: 4333,
  data: '/data',
  passwords: '/folder/passwords',
  settings: {},
};

test('a private Mosquitto listens at one address, knows one user, and neither waits nor drops', () => {
  const lines = configurationOf(server).split('\n');
  for (const line of [
    'listener 4333 127.0.0.1',
    'allow_anonymous false',
    'password_file /folder/passwords',
    'set_tcp_nodelay true',
    'max_queued_messages 0',
    'max_inflight_messages 0',
    'persistence false',
    'persistence_location /data/',
  ])
    assert.ok(lines.includes(line), line);
});

test('it saves what it holds as its transport asks', () => {
  const kept = (/** @type {string} */ persistence) =>
    configurationOf({...server, settings: {persistence}})
      .split('\n')
      .filter((line) => /^(persistence|autosave\w+) \w/.test(line));
  assert.deepEqual(kept('off'), ['persistence false']);
  assert.deepEqual(kept('interval'), ['persistence true']);
  assert.deepEqual(kept('changes'), ['persistence true', 'autosave_on_changes true', 'autosave_interval 1']);
});

test('topics and names of clients begin with the prefix, and all servers share the requests', () => {
  const topics = topicsOf({topic: 'a/b'});
  assert.equal(topics.sharedRequests, `$share/servers/${topics.requests}`);
  const all = [topics.requests, topics.presence, topics.marks, topics.replies('x'), topics.store('x')];
  assert.equal(new Set(all).size, all.length);
  for (const name of [...all, topics.clientName('taker', 'x')]) assert.match(name, /^a\/b/);
});
