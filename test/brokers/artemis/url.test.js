import assert from 'node:assert/strict';
import {test} from 'node:test';
import {localConnection} from '../../../src/brokers/address.js';
import {artemis} from '../../../src/brokers/artemis/index.js';
import {
  connectionFrom,
  localServer,
  maskConnection,
  parseArtemisUrl,
} from '../../../src/brokers/artemis/url.js';
import {brokerKindOfUrl} from '../../../src/brokers/index.js';

const none = {
  ...{artemisUrl: null, artemisHost: 'localhost', artemisPort: 61_616},
  ...{artemisUsername: 'artemis', artemisPassword: 'artemis'},
};
const nobody = localConnection(61_616);

for (const [text, parts] of /** @type {const} */ ([
  ['amqp://host', {hostname: 'host', port: 5672}],
  ['amqp://host:61616/', {hostname: 'host', port: 61_616}],
  ['amqp://[::1]:1', {hostname: '::1', port: 1}],
  ['amqp://user:p%40ss@host', {hostname: 'host', port: 5672, username: 'user', password: 'p@ss'}],
  ['amqps://host', {tls: true, hostname: 'host', port: 5671}],
]))
  test(`the URL ${text} is read`, () => {
    assert.deepEqual(parseArtemisUrl(text), {...nobody, ...parts});
    assert.equal(artemis.urlOption.type.parse(text), text);
  });

for (const [text, reason] of /** @type {const} */ ([
  ['artemis://host', /must begin with amqp:\/\/ or amqps:\/\//],
  ['amqp://host/vhost', /nothing may follow the port/],
  ['amqp://u:secret@host?heartbeat=5', /nothing may follow the port/],
  ['amqp://host:70000', /it is not a URL/],
  ['host:5672', /it names no host/],
]))
  test(`the URL ${text} is refused, without its password`, () => {
    assert.throws(
      () => parseArtemisUrl(text),
      (/** @type {Error & {code: string}} */ {code, message}) => {
        assert.equal(code, 'PB_USAGE');
        assert.match(message, reason);
        assert.doesNotMatch(message, /secret/);
        return true;
      },
    );
  });

test('options name a broker in parts, and files that imply TLS', () => {
  assert.deepEqual(connectionFrom(none), localServer);
  const parts = {artemisHost: 'h', artemisPort: 9, artemisUsername: 'u', artemisPassword: 'p'};
  assert.deepEqual(connectionFrom({...none, ...parts}), {
    ...localServer,
    ...{hostname: 'h', port: 9, username: 'u', password: 'p'},
  });
  const secure = connectionFrom({...none, artemisUrl: 'amqp://host', artemisCaFile: 'ca.pem'});
  assert.deepEqual([secure.protocol, secure.caFile], ['amqps', 'ca.pem']);
  assert.equal(connectionFrom({...none, artemisUrl: 'amqps://host'}).protocol, 'amqps');
});

test('a connection is shown without its password', () => {
  const secure = connectionFrom({...none, artemisUrl: 'amqps://a%20b:secret@host:1'});
  assert.equal(maskConnection(secure), 'amqps://a%20b:***@host:1');
  const unnamed = connectionFrom({...none, artemisUrl: 'amqp://localhost:61616'});
  assert.equal(maskConnection(unnamed), 'amqp://localhost:61616');
});

test('a URL of AMQP in --broker still names RabbitMQ', () => {
  for (const url of ['amqp://host', 'amqps://host']) assert.equal(brokerKindOfUrl(url)?.name, 'rabbitmq');
});
