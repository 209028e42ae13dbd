import {UsageError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';
import {maskUrl, readUrl} from '../../net/broker-url.js';
import {connectionOf, localConnection} from '../address.js';

/**
 * @import {AddressSettings, SecureConnection} from '../kind.js'
 *
 * @typedef {SecureConnection & {database: number}} RedisConnection a password without a user name belongs to the user `default`
 */

const format = {example: 'redis://user:password@host:6379', mask: maskUrl};

/** @type {RedisConnection} */
export const localServer = {...localConnection(6379), database: 0};

/**
 * Reads a URL in the same way as Redis's own tools: a password needs no user, and the path is the number of a database.
 * @param {string} text such as `redis://user:p%40ss@host:6379` or `rediss://:password@host/2`
 * @returns {RedisConnection}
 * @throws {UsageError} when the URL is malformed; the message shows it without its password
 */
export function parseRedisUrl(text) {
  const {url, hostname, port, decode, refuse} = readUrl(text, format);
  const isSecure = url.protocol === 'rediss:';
  if (!isSecure && url.protocol !== 'redis:') refuse('it must begin with redis:// or rediss://');
  if (url.search !== '') refuse('it takes no parameters');
  const [, database] =
    /^\/?(\d{0,5})$/.exec(url.pathname) ?? refuse('only the number of a database may follow the port');
  const [username, password] = [decode(url.username), decode(url.password)];
  if (username !== '' && password === '') refuse('it has a user name and no password');
  return {
    ...localServer,
    hostname,
    port: port ?? localServer.port,
    tls: isSecure,
    username: username || null,
    password: password || null,
    database: Number(database),
  };
}

/**
 * @param {AddressSettings<'redis'>} values
 * @returns {RedisConnection}
 * @throws {UsageError} when the settings name a user without a password
 */
export function connectionFrom(values) {
  if (!values.redisUrl && values.redisUsername !== null && values.redisPassword === null)
    throw new UsageError(
      '--redis-username (PB_REDIS_USERNAME) needs --redis-password: a user logs in with one.',
    );
  return connectionOf('redis', values, localServer, parseRedisUrl);
}

/** The connection as a URL for people, with the password masked. @param {RedisConnection} connection */
export function maskConnection({hostname, port, tls, username, password, database}) {
  const user = password === null ? '' : `${encodeURIComponent(username ?? '')}:***@`;
  const path = database === 0 ? '' : `/${database}`;
  return `${tls ? 'rediss' : 'redis'}://${user}${joinAddress(hostname, port)}${path}`;
}
