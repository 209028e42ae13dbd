import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {connectionFrom, maskConnection, parseRedisUrl} from '../../../src/brokers/redis/url.js';
import {UsageError} from '../../../src/errors.js';

const plain = {
  ...{port: 6379, tls: false, username: null, password: null, database: 0},
  ...{caFile: null, certFile: null, keyFile: null},
};
const none = {redisUrl: null, redisHost: 'broker', redisPort: 6380, redisUsername: null, redisPassword: null};

describe('a URL of a Redis server', () => {
  /** @type {[string, Partial<ReturnType<typeof parseRedisUrl>>, string][]} */
  const table = [
    ['redis://localhost', {hostname: 'localhost'}, 'redis://localhost:6379'],
    ['redis://[::1]:6380/', {hostname: '::1', port: 6380}, 'redis://[::1]:6380'],
    [
      'redis://alice:p%40ss@broker/3',
      {hostname: 'broker', username: 'alice', password: 'p@ss', database: 3},
      'redis://alice:***@broker:6379/3',
    ],
    ['rediss://:p@broker', {hostname: 'broker', tls: true, password: 'p'}, 'rediss://:***@broker:6379'],
  ];
  for (const [text, expected, masked] of table) {
    it(`is read: ${text}`, () => {
      const connection = parseRedisUrl(text);
      assert.deepEqual(connection, {...plain, ...expected});
      assert.equal(maskConnection(connection), masked);
    });
  }

  for (const [text, reason] of [
    ['amqp://broker', /must begin with redis:\/\/ or rediss:\/\//],
    ['redis://broker?db=1', /takes no parameters/],
    ['redis://broker/cache', /only the number of a database/],
    ['redis://S3cret@broker', /a user name and no password/],
    ['redis://alice:S3cr/et@broker', /must be like/],
    ['redis://:S3cret@broker:0', /from 1 to 65535/],
  ]) {
    it(`is refused without showing its secret: ${text}`, () => {
      assert.throws(
        () => parseRedisUrl(String(text)),
        (error) =>
          error instanceof UsageError &&
          RegExp(reason).test(error.message) &&
          (!String(text).includes(':S3cr') || !error.message.includes('S3cr')),
      );
    });
  }
});

describe('settings that name a Redis server', () => {
  it('are the parts, and a password needs no user', () => {
    assert.deepEqual(connectionFrom({...none, redisPassword: 'secret'}), {
      ...plain,
      ...{hostname: 'broker', port: 6380, password: 'secret'},
    });
  });

  it('may not be a user without a password', () =>
    assert.throws(() => connectionFrom({...none, redisUsername: 'alice'}), {
      code: 'PB_USAGE',
      message: /^--redis-username .* needs --redis-password/,
    }));

  for (const file of ['redisCaFile', 'redisCertFile', 'redisKeyFile'])
    it(`use TLS with ${file}, whatever the scheme`, () => {
      for (const redisUrl of [null, 'redis://broker', 'rediss://broker'])
        assert.equal(connectionFrom({...none, redisUrl, [file]: '/a.pem'}).tls, true);
    });
});
