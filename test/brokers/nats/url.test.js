import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {connectionFrom, maskConnection, maskNatsUrls, parseNatsUrl} from '../../../src/brokers/nats/url.js';
import {UsageError} from '../../../src/errors.js';
import {maskTokenUrl} from '../../../src/net/broker-url.js';

const nobody = {
  ...{username: null, password: null, token: null, others: [], tls: false},
  ...{caFile: null, certFile: null, keyFile: null},
};
const none = {
  ...{natsUrl: null, natsHost: 'localhost', natsPort: 4222},
  ...{natsUsername: null, natsPassword: null, natsToken: null},
};

describe('a URL of a NATS server', () => {
  /** @type {[string, Partial<ReturnType<typeof parseNatsUrl>>, string][]} */
  const table = [
    ['nats://localhost', {hostname: 'localhost', port: 4222}, 'nats://localhost:4222'],
    ['nats://[::1]:4333/', {hostname: '::1', port: 4333}, 'nats://[::1]:4333'],
    [
      'nats://alice:p%40ss@broker:4333',
      {hostname: 'broker', port: 4333, username: 'alice', password: 'p@ss'},
      'nats://alice:***@broker:4333',
    ],
    ['nats://S3cret@broker', {hostname: 'broker', port: 4222, token: 'S3cret'}, 'nats://***@broker:4222'],
    ['tls://broker', {hostname: 'broker', port: 4222, tls: true}, 'tls://broker:4222'],
    ['TLS://S3cret@[::1]', {hostname: '::1', port: 4222, tls: true, token: 'S3cret'}, 'tls://***@[::1]:4222'],
    [
      'nats://a:4333,b',
      {hostname: 'a', port: 4333, others: [{hostname: 'b', port: 4222}]},
      'nats://a:4333,b:4222',
    ],
    [
      'tls://alice:p,w@a, [::1]:1,tls://c',
      {
        ...{hostname: 'a', port: 4222, tls: true, username: 'alice', password: 'p,w'},
        others: [
          {hostname: '::1', port: 1},
          {hostname: 'c', port: 4222},
        ],
      },
      'tls://alice:***@a:4222,[::1]:1,c:4222',
    ],
  ];
  for (const [text, expected, masked] of table) {
    it(`is read: ${text}`, () => {
      const connection = parseNatsUrl(text);
      assert.deepEqual(connection, {...nobody, ...expected});
      assert.equal(maskConnection(connection), masked);
    });
  }

  for (const [text, reason] of [
    ['amqp://broker', /must begin with nats:\/\/ or tls:\/\//],
    ['nats://a,tls://b', /all servers must have tls:\/\//],
    ['nats://alice:S3cret@a,nats://bob:S3cret@b', /different credentials/],
    ['nats://a,', /must be like/],
    ['nats://a,amqp://b', /must begin with/],
    ['nats://', /must be like/],
    ['nats://:S3cret@broker', /a password and no user name/],
    ['nats://broker/S3cret', /nothing may follow the port/],
    ['nats://alice:S3cr/et@broker', /must be like/],
    ['nats://alice:S3cret@broker:0', /from 1 to 65535/],
  ]) {
    it(`is refused: ${text}`, () => {
      assert.throws(
        () => parseNatsUrl(String(text)),
        (error) => error instanceof UsageError && RegExp(reason).test(error.message),
      );
    });
  }

  for (const text of [
    'nats://S3cret@broker/x',
    'nats://S3cret@broker?x=1',
    'nats://S3cret@broker:0',
    'nats://S3cret%zz@broker',
    'nats://S3cret@bro%zzker',
    'nats://S3cret@broker#x',
    'amqp://S3cret@broker',
    'tls://alice:S3cret@broker/x',
    'nats://alice:S3cret@a,nats://alice:S3cret@b/x',
    'nats://S3cret@a,nats://S3cretToo@b',
    'nats://alice:S3cret,4222,x/y@broker',
  ]) {
    it(`is refused without showing its secret: ${text}`, () => {
      assert.throws(
        () => parseNatsUrl(text),
        (error) => error instanceof UsageError && !/S3cret/.test(error.message),
      );
    });
  }

  for (const text of ['nats://alice:S3cret@broker', 'nats://S3cret@broker', 'nats://alice:S3cr/et@broker']) {
    it(`is shown without its secret: ${text}`, () => {
      assert.doesNotMatch(maskNatsUrls(text), /S3cr/);
      assert.match(maskNatsUrls(text), /@broker/);
      assert.doesNotMatch(maskTokenUrl(text), /S3cr/);
      assert.match(maskTokenUrl(text), /@broker/);
    });
  }
});

describe('settings that name a NATS server', () => {
  it('are the parts', () => {
    const settings = {...none, natsHost: 'broker', natsUsername: 'alice', natsPassword: 'secret'};
    assert.deepEqual(connectionFrom(settings), {
      ...nobody,
      ...{hostname: 'broker', port: 4222},
      ...{username: 'alice', password: 'secret', token: null},
    });
  });

  for (const [what, given, message] of /** @type {const} */ ([
    ['a password without a user', {natsPassword: 'S3cret'}, /^--nats-password .* needs --nats-username/],
    ['a user and a token', {natsUsername: 'alice', natsToken: 'S3cret'}, /^--nats-token .* excludes/],
    ['a password and a token', {natsPassword: 'S3cret', natsToken: 'S3cret'}, /^--nats-token .* excludes/],
  ])) {
    it(`may not be ${what}`, () =>
      assert.throws(() => connectionFrom({...none, ...given}), {code: 'PB_USAGE', message}));
  }

  for (const file of ['natsCaFile', 'natsCertFile', 'natsKeyFile'])
    it(`use TLS with ${file}, whatever the scheme`, () => {
      for (const natsUrl of [null, 'nats://broker', 'tls://broker']) {
        const {tls, ...connection} = connectionFrom({...none, natsUrl, [file]: '/a.pem'});
        assert.equal(tls, true);
        assert.ok(Object.values(connection).includes('/a.pem'));
      }
    });

  it('are the URL alone where there is one', () => {
    const settings = {...none, natsUrl: 'nats://token@other:1', natsHost: 'broker', natsUsername: 'alice'};
    assert.deepEqual(connectionFrom(settings), {...nobody, hostname: 'other', port: 1, token: 'token'});
  });
});
