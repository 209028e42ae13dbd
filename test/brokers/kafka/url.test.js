import assert from 'node:assert/strict';
import {test} from 'node:test';
import {kafka} from '../../../src/brokers/kafka/index.js';
import {connectionFrom, localServer, maskConnection, parseKafkaUrl} from '../../../src/brokers/kafka/url.js';

const none = {
  kafkaUrl: null,
  kafkaHost: 'localhost',
  kafkaPort: 9092,
  kafkaUsername: null,
  kafkaPassword: null,
};

function at(/** @type {string} */ hostname, port = 9092) {
  return {hostname, port};
}

for (const [text, parts] of /** @type {const} */ ([
  ['kafka://host', {hostname: 'host'}],
  ['kafka://host:9095/', {hostname: 'host', port: 9095}],
  ['kafka://[::1]:1', {hostname: '::1', port: 1}],
  ['kafka://user:p%40ss@host', {hostname: 'host', username: 'user', password: 'p@ss'}],
  ['kafka+ssl://host:9093', {hostname: 'host', port: 9093, tls: true}],
  ['kafka://a:1,b,[::1]:3/', {hostname: 'a', port: 1, others: [at('b'), at('::1', 3)]}],
  ['kafka://u:p%2C@a, b:2', {hostname: 'a', username: 'u', password: 'p,', others: [at('b', 2)]}],
  ['kafka+ssl://a,kafka+ssl://b:1', {hostname: 'a', tls: true, others: [at('b', 1)]}],
]))
  test(`the URL ${text} is read`, () => {
    assert.deepEqual(parseKafkaUrl(text), {...localServer, ...parts});
    assert.equal(kafka.urlOption.type.parse(text), text);
  });

for (const [text, reason] of /** @type {const} */ ([
  ['redis://host', /must begin with kafka:\/\/ or kafka\+ssl:\/\//],
  ['kafka://host/topic', /nothing may follow the port/],
  ['kafka://host?acks=1', /nothing may follow the port/],
  ['kafka://user@host', /a user needs a password/],
  ['kafka://:secret@host', /a user needs a password/],
  ['kafka://host:70000', /it is not a URL/],
  ['host:9092', /it names no host/],
  ['kafka://user:secret@a,', /it is not a URL/],
  ['kafka://user:secret@a,b/topic', /nothing may follow the port/],
  ['kafka://user:secret@a,kafka://b', /all brokers have the same user/],
  ['kafka://user:secret@a,kafka+ssl://user:secret@b', /all use TLS or none/],
]))
  test(`the URL ${text} is refused, without its password`, () => {
    assert.throws(
      () => parseKafkaUrl(text),
      (/** @type {Error & {code: string}} */ {code, message}) => {
        assert.equal(code, 'PB_USAGE');
        assert.match(message, reason);
        assert.doesNotMatch(message, /secret/);
        return true;
      },
    );
  });

test('options name a broker in parts, how a user logs in, and files that imply TLS', () => {
  assert.deepEqual(connectionFrom(none), localServer);
  const user = {
    kafkaUsername: 'u',
    kafkaPassword: 'p',
    kafkaSaslMechanism: /** @type {const} */ ('scram-sha-512'),
  };
  const named = {hostname: 'h', port: 9, username: 'u', password: 'p', mechanism: 'scram-sha-512'};
  assert.deepEqual(connectionFrom({...none, ...user, kafkaHost: 'h', kafkaPort: 9}), {
    ...localServer,
    ...named,
  });
  const secure = connectionFrom({...none, kafkaUrl: 'kafka://host', kafkaCaFile: 'ca.pem'});
  assert.deepEqual([secure.tls, secure.caFile], [true, 'ca.pem']);
});

for (const half of [{kafkaUsername: 'u'}, {kafkaPassword: 'secret'}])
  test(`${Object.keys(half)} alone is refused`, () => {
    assert.throws(() => connectionFrom({...none, ...half}), {
      code: 'PB_USAGE',
      message: /--kafka-username .* and --kafka-password must be given together/,
    });
  });

test('a connection is shown without its password', () => {
  const connection = parseKafkaUrl('kafka+ssl://a%20b:secret@host:1');
  assert.equal(maskConnection(connection), 'kafka+ssl://a%20b:***@host:1');
  assert.equal(maskConnection(localServer), 'kafka://localhost:9092');
  const several = 'kafka://a:secret@one,two:1';
  assert.equal(maskConnection(parseKafkaUrl(several)), 'kafka://a:***@one:9092,two:1');
  assert.doesNotMatch(String(kafka.urlOption.type.mask?.(several)), /secret/);
});
