import assert from 'node:assert/strict';
import {describe, it, test} from 'node:test';
import {alarmIn, beginsMessage, configurationOf, greetingOf} from '../../../src/brokers/redis/driver.js';
import {redis} from '../../../src/brokers/redis/index.js';
import transport from '../../../src/transports/redis/index.js';

const server = {address: '127.0.0.1', port: 6400, username: 'alice', password: 'secret', data: '/data'};

describe('a private Redis server', () => {
  it('listens at one address, knows one user and makes no snapshots', () => {
    const text = configurationOf({...server, settings: {}});
    for (const line of ['bind 127.0.0.1', 'port 6400', 'unixsocket ""', 'save ""', 'dir "/data"'])
      assert.ok(text.includes(`${line}\n`), line);
    assert.match(text, /^user default off\nuser alice on >secret /m);
  });

  for (const [
    appendfsync,
    expected,
  ] of /** @type {['off' | 'no' | 'everysec' | 'always' | null, string][]} */ ([
    [null, 'appendonly no\nclient'],
    ['off', 'appendonly no\nclient'],
    ['no', 'appendonly yes\nappendfsync no\n'],
    ['everysec', 'appendonly yes\nappendfsync everysec\n'],
    ['always', 'appendonly yes\nappendfsync always\n'],
  ]))
    it(`is started for --redis-appendfsync ${appendfsync}`, () => {
      const settings = transport.brokerSettings({redisAppendfsync: appendfsync, redisVia: 'list'});
      assert.ok(configurationOf({...server, settings}).includes(expected));
    });

  it('is planned with its settings, and with a password of its own each time', async () => {
    const {planHosts} = await redis.load();
    const asked = {nodes: 1, memoryBytes: undefined, settings: {appendfsync: 'no'}};
    const plans = [planHosts(['10.0.0.3'], asked), planHosts(['10.0.0.3'], asked)].flat();
    for (const plan of plans)
      assert.deepEqual(
        {...plan, password: ''},
        {
          ...{hostname: '10.0.0.3', username: 'perf-battle', password: ''},
          settings: {appendfsync: 'no'},
        },
      );
    assert.equal(new Set(plans.map((plan) => JSON.stringify(plan))).size, 2);
  });
});

test('Valkey is told from Redis, whose version it names too', () => {
  assert.deepEqual(greetingOf('# Server\r\nredis_version:7.0.15\r\n'), {
    product: 'Redis',
    versions: {redis: '7.0.15'},
  });
  assert.deepEqual(greetingOf('redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.1\r\n'), {
    product: 'Valkey',
    versions: {redis: 'Valkey 8.1.1'},
  });
  assert.deepEqual(greetingOf(''), {product: 'Redis', versions: {redis: null}});
});

test('a server that refuses writes says why', () => {
  const facts = (/** @type {string[]} */ ...lines) => alarmIn(`${lines.join('\r\n')}\r\n`);
  const noeviction = 'maxmemory_policy:noeviction';
  assert.equal(
    facts('used_memory:1200', 'maxmemory:1000', noeviction),
    'it uses 1200 bytes of memory, and maxmemory is 1000 (noeviction)',
  );
  assert.equal(facts('used_memory:900', 'maxmemory:1000', noeviction), null);
  assert.equal(facts('used_memory:900', 'maxmemory:0', noeviction), null);
  assert.equal(facts('used_memory:1200', 'maxmemory:1000', 'maxmemory_policy:allkeys-lru'), null);
  assert.equal(facts('aof_last_write_status:err'), 'its last write to the append-only file failed');
  for (const text of ['aof_last_write_status:ok', '']) assert.equal(facts(text), null);
});

test('what is pushed, added, published and delivered begins a message, and nothing else does', () => {
  const words = (/** @type {string[]} */ ...all) =>
    `*${all.length}\r\n${all.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
  for (const text of [
    words('lpush', 'key', 'header', 'payload'),
    words('xadd', 'key', '*', 'header', 'payload'),
    words('publish', 'key:header', 'payload'),
    words('pmessage', 'key:*', 'key:header', 'payload'),
    // A pop, a reading of a group, and their answers' beginnings.
    '*2\r\n$3\r\nkey\r\n*2\r\n$6\r\nheader\r\n',
    '*1\r\n*2\r\n$3\r\nkey\r\n*1\r\n*2\r\n$3\r\n1-0\r\n',
  ])
    assert.ok(beginsMessage(Buffer.from(text)), text);
  for (const text of [
    '',
    ':1\r\n',
    '+PONG\r\n',
    '$3\r\n1-0\r\n',
    words('blmpop', '0', '1', 'key', 'RIGHT', 'COUNT', '32'),
    words('xack', 'key', 'servers', '1-0'),
    words('psubscribe', 'key:*', '1'),
  ])
    assert.ok(!beginsMessage(Buffer.from(text)), text);
});
