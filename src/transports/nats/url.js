/**
 * A NATS server's address as people write it and as programs need it, and how to show it without its password or token.
 */
import {UsageError} from '../../errors.js';
import {joinAddress} from '../address.js';
import {maskTokenUrl, readUrl} from '../broker-url.js';

/**
 * Everything that a connection to a NATS server needs.
 * @typedef {object} NatsConnection
 * @property {string} hostname a name or an address; IPv6 without brackets
 * @property {number} port
 * @property {string | null} username
 * @property {string | null} password
 * @property {string | null} token in place of user and password
 */

const defaultPort = 4222;
const format = {example: 'nats://user:password@host:4222', mask: maskTokenUrl};

/** @type {NatsConnection} */
export const localServer = {
  hostname: 'localhost',
  port: defaultPort,
  username: null,
  password: null,
  token: null,
};

/**
 * Reads a URL as NATS's own tools do: a user name without a password is a token.
 * @param {string} text such as `nats://user:p%40ss@host:4222` or `nats://token@host`
 * @returns {NatsConnection}
 * @throws {UsageError} when it is malformed; the message shows the URL without its password
 */
export function parseNatsUrl(text) {
  const {url, hostname, port, decode, refuse} = readUrl(text, format);
  if (url.protocol !== 'nats:') refuse('it must begin with nats://');
  if (url.search !== '' || !['', '/'].includes(url.pathname)) refuse('nothing may follow the port');
  const [username, password] = [decode(url.username), decode(url.password)];
  if (username === '' && password !== '') refuse('it has a password and no user name');
  const isToken = username !== '' && password === '';
  return {
    hostname,
    port: port ?? defaultPort,
    username: isToken ? null : username || null,
    password: password || null,
    token: isToken ? username : null,
  };
}

/**
 * The connection that settings name.
 * @param {AddressSettings} values of the options
 * @returns {NatsConnection}
 * @throws {UsageError} when they name no user that can log in, or two
 *
 * @typedef {object} AddressSettings
 * @property {string | null} natsUrl in place of the other parts
 * @property {string} natsHost
 * @property {number} natsPort
 * @property {string | null} natsUsername
 * @property {string | null} natsPassword
 * @property {string | null} natsToken
 */
export function connectionFrom({natsUrl, natsHost, natsPort, natsUsername, natsPassword, natsToken}) {
  if (natsUrl) return parseNatsUrl(natsUrl);
  if (natsToken !== null && (natsUsername !== null || natsPassword !== null))
    throw new UsageError(
      '--nats-token (PB_NATS_TOKEN) excludes --nats-username and --nats-password: a server checks either. Remove one of them.',
    );
  if (natsPassword !== null && natsUsername === null)
    throw new UsageError(
      '--nats-password (PB_NATS_PASSWORD) needs --nats-username: without a user, no password is sent.',
    );
  const credentials = {username: natsUsername, password: natsPassword, token: natsToken};
  return {hostname: natsHost, port: natsPort, ...credentials};
}

/**
 * Connection settings as a URL for people, password and token masked.
 * @param {NatsConnection} connection
 */
export function maskConnection({hostname, port, username, token}) {
  const user = username === null ? '' : `${encodeURIComponent(username)}:***@`;
  return `nats://${token === null ? user : '***@'}${joinAddress(hostname, port)}`;
}
