import assert from 'node:assert/strict';
import {test} from 'node:test';
import {mosquitto} from '../../../src/brokers/mosquitto/index.js';
import {
  connectionFrom,
  localServer,
  maskConnection,
  parseMqttUrl,
} from '../../../src/brokers/mosquitto/url.js';

const parts = {
  mosquittoUrl: null,
  mosquittoHost: 'localhost',
  mosquittoPort: 1883,
  mosquittoUsername: null,
  mosquittoPassword: null,
};

test('a URL has host, port, TLS and credentials', () => {
  assert.deepEqual(parseMqttUrl('mqtt://alice:p%40ss@host:4000'), {
    ...localServer,
    ...{hostname: 'host', port: 4000, username: 'alice', password: 'p@ss'},
  });
  assert.deepEqual(parseMqttUrl('mqtts://[::1]'), {...localServer, hostname: '::1', port: 8883, tls: true});
  assert.deepEqual(parseMqttUrl('mqtt://host/').port, 1883);
});

for (const [url, reason] of [
  ['http://host', 'it must begin with mqtt:// or mqtts://'],
  ['mqtt://host/topic', 'nothing may follow the port'],
  ['mqtt://host?qos=1', 'nothing may follow the port'],
  ['mqtt://user:12/S3cret@host', 'it has an @ after the host'],
  ['host:1883', 'it names no host'],
])
  test(`${url} is refused: ${reason}`, () => {
    assert.throws(
      () => parseMqttUrl(url),
      ({message}) => message.includes(reason) && !message.includes('S3'),
    );
  });

test('a connection is shown without its password', () => {
  const shown = maskConnection(parseMqttUrl('mqtts://alice:S3cret@host'));
  assert.equal(shown, 'mqtts://alice:***@host:8883');
  assert.equal(mosquitto.urlOption.type.mask?.('mqtt://alice:S3cret@host'), 'mqtt://alice:***@host');
});

test('settings in parts are a connection, and a file of certificates implies TLS', () => {
  assert.deepEqual(connectionFrom({...parts, mosquittoUsername: 'alice', mosquittoPassword: 'secret'}), {
    ...localServer,
    ...{username: 'alice', password: 'secret'},
  });
  assert.equal(connectionFrom({...parts, mosquittoCaFile: 'ca.pem'}).tls, true);
  assert.equal(connectionFrom({...parts, mosquittoUrl: 'mqtt://host', mosquittoCaFile: 'ca.pem'}).tls, true);
});

test('a password without a user is refused', () => {
  assert.throws(() => connectionFrom({...parts, mosquittoPassword: 'S3cret'}), {
    code: 'PB_USAGE',
    message: /^--mosquitto-password \(PB_MOSQUITTO_PASSWORD\) needs --mosquitto-username/,
  });
});

test('a topic has parts of letters, digits, - and _', () => {
  const {type} = mosquitto.nameOptions[0];
  assert.equal(type.parse('a/b-1_c'), 'a/b-1_c');
  for (const other of ['a/+', '#', '/a', 'a/', 'a b', '', 'a'.repeat(181)])
    assert.equal(type.parse(other), undefined);
});
