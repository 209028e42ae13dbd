import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {UsageError} from '../../src/errors.js';
import {maskTokenUrl} from '../../src/transports/broker-url.js';
import {connectionFrom, maskConnection, parseNatsUrl} from '../../src/transports/nats/url.js';

const nobody = {username: null, password: null, token: null};
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
  ];
  for (const [text, expected, masked] of table) {
    it(`is read: ${text}`, () => {
      const connection = parseNatsUrl(text);
      assert.deepEqual(connection, {...nobody, ...expected});
      assert.equal(maskConnection(connection), masked);
    });
  }

  for (const [text, reason] of [
    ['amqp://broker', /must begin with nats:\/\//],
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
    'tls://S3cret@broker',
    'tls://alice:S3cret@broker',
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
      assert.doesNotMatch(maskTokenUrl(text), /S3cr/);
      assert.match(maskTokenUrl(text), /@broker/);
    });
  }
});

describe('settings that name a NATS server', () => {
  it('are the parts', () => {
    const settings = {...none, natsHost: 'broker', natsUsername: 'alice', natsPassword: 'secret'};
    assert.deepEqual(connectionFrom(settings), {
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

  it('are the URL alone where there is one', () => {
    const settings = {...none, natsUrl: 'nats://token@other:1', natsHost: 'broker', natsUsername: 'alice'};
    assert.deepEqual(connectionFrom(settings), {...nobody, hostname: 'other', port: 1, token: 'token'});
  });
});
