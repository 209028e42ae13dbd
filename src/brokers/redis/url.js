/**
 * A Redis server's address as people write it and as programs need it, and how to show it without its password.
 */
import {UsageError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';
import {maskUrl, readUrl} from '../../net/broker-url.js';

/**
 * @import {ClientFiles} from '../../net/tls-files.js'
 *
 * @typedef {object} Access
 * @property {string} hostname a name or an address; IPv6 without brackets
 * @property {number} port
 * @property {boolean} tls
 * @property {string | null} username null with a password: the user `default`
 * @property {string | null} password
 * @property {number} database
 *
 * @typedef {Access & ClientFiles} RedisConnection everything that a connection to a Redis server needs
 */

const defaultPort = 6379;
const format = {example: 'redis://user:password@host:6379', mask: maskUrl};

/** @type {RedisConnection} */
export const localServer = {
  hostname: 'localhost',
  port: defaultPort,
  tls: false,
  username: null,
  password: null,
  database: 0,
  caFile: null,
  certFile: null,
  keyFile: null,
};

/**
 * Reads a URL as Redis's own tools do: a password needs no user, and the path is the number of a database.
 * @param {string} text such as `redis://user:p%40ss@host:6379` or `rediss://:password@host/2`
 * @returns {RedisConnection}
 * @throws {UsageError} when it is malformed; the message shows the URL without its password
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
    port: port ?? defaultPort,
    tls: isSecure,
    username: username || null,
    password: password || null,
    database: Number(database),
  };
}

/**
 * The connection that settings name.
 * @param {AddressSettings} values of the options
 * @returns {RedisConnection}
 * @throws {UsageError} when they name a user without a password
 *
 * @typedef {object} AddressSettings
 * @property {string | null} redisUrl in place of the other parts
 * @property {string} redisHost
 * @property {number} redisPort
 * @property {string | null} redisUsername
 * @property {string | null} redisPassword
 * @property {string | null} [redisCaFile] path of a PEM file
 * @property {string | null} [redisCertFile]
 * @property {string | null} [redisKeyFile]
 */
export function connectionFrom({redisUrl, redisHost, redisPort, redisUsername, redisPassword, ...files}) {
  const {redisCaFile: caFile = null, redisCertFile: certFile = null, redisKeyFile: keyFile = null} = files;
  const paths = {caFile, certFile, keyFile};
  // Who names an authority, or proves who he is, does not send in the clear.
  const isSecure = Object.values(paths).some((path) => path !== null);
  if (redisUrl) {
    const connection = parseRedisUrl(redisUrl);
    return {...connection, ...paths, tls: connection.tls || isSecure};
  }
  if (redisUsername !== null && redisPassword === null)
    throw new UsageError(
      '--redis-username (PB_REDIS_USERNAME) needs --redis-password: a user logs in with one.',
    );
  const credentials = {username: redisUsername, password: redisPassword};
  return {...localServer, hostname: redisHost, port: redisPort, ...credentials, ...paths, tls: isSecure};
}

/**
 * Connection settings as a URL for people, the password masked.
 * @param {RedisConnection} connection
 */
export function maskConnection({hostname, port, tls, username, password, database}) {
  const user = password === null ? '' : `${encodeURIComponent(username ?? '')}:***@`;
  const path = database === 0 ? '' : `/${database}`;
  return `${tls ? 'rediss' : 'redis'}://${user}${joinAddress(hostname, port)}${path}`;
}
