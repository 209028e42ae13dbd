import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import fc from 'fast-check';
import {
  maskBrokerUrl,
  maskConnection,
  parseBrokerUrl,
  settingsOfUrl,
} from '../../../src/brokers/rabbitmq/url.js';

const PLAIN = {
  protocol: 'amqp',
  hostname: 'host',
  port: 5672,
  username: 'guest',
  password: 'guest',
  vhost: '/',
  caFile: null,
  certFile: null,
  keyFile: null,
};

describe('parseBrokerUrl', () => {
  /** @type {[string, object][]} */
  const good = [
    ['amqp://host', {}],
    ['amqp://host/', {}],
    ['amqp://host:5673', {port: 5673}],
    ['amqps://host', {protocol: 'amqps', port: 5671}],
    ['amqps://host:5672', {protocol: 'amqps', port: 5672}],
    ['AMQP://host', {}],
    ['amqp://alice:secret@host', {username: 'alice', password: 'secret'}],
    ['amqp://alice@host', {username: 'alice', password: ''}],
    ['amqp://al%40ice:p%40ss%2Fw%25rd@host', {username: 'al@ice', password: 'p@ss/w%rd'}],
    ['amqp://ali:a:b@host', {username: 'ali', password: 'a:b'}],
    ['amqp://host/%2f', {vhost: '/'}],
    ['amqp://host/%2F', {vhost: '/'}],
    ['amqp://host/test', {vhost: 'test'}],
    ['amqp://host/a%2fb%20c', {vhost: 'a/b c'}],
    ['amqp://[::1]', {hostname: '::1'}],
    ['amqp://[2001:db8::7]:5673/v', {hostname: '2001:db8::7', port: 5673, vhost: 'v'}],
    ['amqp://127.0.0.1:1', {hostname: '127.0.0.1', port: 1}],
    ['amqps://host?cacertfile=/etc/ssl/ca.pem', {protocol: 'amqps', port: 5671, caFile: '/etc/ssl/ca.pem'}],
    ['amqp://host/v?heartbeat=3', {vhost: 'v'}],
    [
      'amqps://host?certfile=/a.pem&keyfile=/a.key&verify=verify_peer',
      {protocol: 'amqps', port: 5671, certFile: '/a.pem', keyFile: '/a.key'},
    ],
  ];
  for (const [text, expected] of good) {
    it(`reads ${text}`, () => assert.deepEqual(parseBrokerUrl(text), {...PLAIN, ...expected}));
  }

  /** @type {[string, RegExp][]} */
  const bad = [
    ['', /not a URL/],
    ['host', /not a URL/],
    ['localhost:5672', /must begin with amqp/],
    ['http://host', /must begin with amqp/],
    ['amqp://', /names no host/],
    ['amqp:///vhost', /names no host/],
    ['amqp://host:0', /port/],
    ['amqp://host:99999', /not a URL/],
    ['amqp://host/a/b', /%2F/],
    ['amqp://host/%zz', /hexadecimal/],
    ['amqp://host/%ff', /UTF-8/],
    ['amqp://host?heartbeat=-1', /"heartbeat" must be a number of seconds/],
    ['amqp://host?heartbeat=65536', /"heartbeat" must be a number of seconds/],
    ['amqp://host?heartbeat=3&heartbeat=3', /"heartbeat" is given twice/],
    ['amqp://host?heartbeat=', /"heartbeat" has no value/],
    ['amqp://host?connection_timeout=3000', /"connection_timeout" is not supported; only cacertfile/],
    ['amqp://host?channel_max=3', /"channel_max" is not supported/],
    ['amqp://host?frame_max=4096', /"frame_max" is not supported/],
    ['amqp://host?frameMax=4096', /"frameMax" is not supported/],
    ['amqp://host?__proto__=1', /"__proto__" is not supported/],
    ['amqps://host?verify=verify_none', /"verify" may only be verify_peer/],
    ['amqps://host?server_name_indication=x', /"server_name_indication" is not supported/],
    ['amqp://host?cacertfile=/ca.pem', /"cacertfile" needs amqps/],
    ['amqp://host?verify=verify_peer', /"verify" needs amqps/],
    ['amqp://host#x', /%23/],
  ];
  for (const [text, reason] of bad) {
    it(`refuses "${text}" and says why`, () => {
      assert.throws(() => parseBrokerUrl(text), {code: 'PB_USAGE', exitCode: 2, message: reason});
    });
  }

  const leaky = [
    'amqp://alice:S3cret@',
    'amqp://alice:S3cret',
    'amqp://alice:S3cret/x@host',
    'amqp://alice:S3cret?x@host',
    'amqp://alice:S3cret#x@host',
    'amqp://alice:1/S3cret@host',
    'amqp://alice:S3cret%zz@host',
    'amqp://alice:S3cret@host:port',
    'amqp://alice:S3cret@host/a/b',
    'http://alice:S3cret@host',
    'alice:S3cret@host',
    'amqp://host?password=S3cret',
  ];
  for (const text of leaky) {
    it(`refuses ${text} without showing the password`, () => {
      assert.throws(
        () => parseBrokerUrl(text),
        (/** @type {Error} */ error) => !`${error.stack} ${error.cause}`.includes('S3cret'),
      );
    });
  }

  it('gives back every user, password and virtual host that was percent-encoded', () => {
    const word = fc.string({minLength: 1, unit: 'grapheme'});
    // A URL cannot say . or .. for a path, not even percent-encoded: PB_RABBITMQ_VHOST can.
    const name = word.filter((text) => text !== '.' && text !== '..');
    fc.assert(
      fc.property(word, word, name, (username, password, vhost) => {
        const [user, pass, path] = [username, password, vhost].map(encodeStrictly);
        const connection = parseBrokerUrl(`amqp://${user}:${pass}@host/${path}`);
        assert.deepEqual(connection, {...PLAIN, username, password, vhost});
      }),
    );
  });
});

describe('settingsOfUrl', () => {
  for (const [text, expected] of /** @type {const} */ ([
    ['amqp://host', {}],
    ['amqp://host?heartbeat=0', {heartbeatSeconds: 0}],
    [
      'amqps://host?heartbeat=7&cacertfile=/c&certfile=/a&keyfile=/k&verify=verify_peer',
      {heartbeatSeconds: 7, rabbitmqCaFile: '/c', rabbitmqCertFile: '/a', rabbitmqKeyFile: '/k'},
    ],
  ]))
    it(`has the options that ${text} stands for`, () => assert.deepEqual(settingsOfUrl(text), expected));
});

describe('maskUrl', () => {
  const table = [
    ['amqp://host', 'amqp://host'],
    ['amqp://alice:S3cret@host:5672/v', 'amqp://alice:***@host:5672/v'],
    ['amqps://alice:S3cret@[::1]/%2f', 'amqps://alice:***@[::1]/%2f'],
    ['amqp://alice:S3/cret@host', 'amqp://***@host'],
    ['amqp://alice:S3cret', 'amqp://***'],
    ['alice:S3cret@host', '***@host'],
    ['amqp://host?password=S3cret', 'amqp://host?password=***'],
    ['amqps://host?certfile=/a.pem&heartbeat=5', 'amqps://host?certfile=/a.pem&heartbeat=5'],
    ['not a url', 'not a url'],
  ];
  for (const [text, expected] of table) {
    it(`shows ${text} as ${expected}`, () => assert.equal(maskBrokerUrl(text), expected));
  }
});

describe('maskConnection', () => {
  it('shows everything but the password', () => {
    const connection = parseBrokerUrl('amqp://al%40ice:S3cret@[::1]:5673/a%2fb');
    assert.equal(connection.hostname, '::1');
    assert.equal(maskConnection(connection), 'amqp://al%40ice:***@[::1]:5673/a%2Fb');
  });
});

/** @param {string} text */
function encodeStrictly(text) {
  return encodeURIComponent(text).replace(/[!'()*.~]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
}
