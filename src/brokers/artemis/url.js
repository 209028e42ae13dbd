/**
 * The address of an Artemis broker as people write it and as programs need it, and how to show it without its password.
 */
import {joinAddress} from '../../net/address.js';
import {maskUrl, readUrl} from '../../net/broker-url.js';
import {connectionOf, localConnection} from '../address.js';

/**
 * @import {UsageError} from '../../errors.js'
 * @import {AddressSettings, SecureConnection} from '../kind.js'
 *
 * @typedef {Omit<SecureConnection, 'tls'> & {protocol: 'amqp' | 'amqps'}} ArtemisConnection everything that a connection to an Artemis broker needs
 */

/** The port of an instance for all protocols, and the user of Apache's image. */
const local = {...localConnection(61_616), username: 'artemis', password: 'artemis'};

export const localServer = withProtocol(local);

/**
 * @param {string} text such as `amqp://user:p%40ss@host:5672` or `amqps://host`
 * @returns {SecureConnection}
 * @throws {UsageError} when it is malformed; the message shows the URL without its password
 */
export function parseArtemisUrl(text) {
  const format = {example: 'amqp://user:password@host:5672', mask: maskUrl};
  const {url, hostname, port, decode, refuse} = readUrl(text, format);
  const tls = url.protocol === 'amqps:';
  if (!tls && url.protocol !== 'amqp:') refuse('it must begin with amqp:// or amqps://');
  if (url.search !== '' || !['', '/'].includes(url.pathname)) refuse('nothing may follow the port');
  const [username, password] = [decode(url.username) || null, decode(url.password) || null];
  // Those of AMQP, where a URL has none.
  return {...local, ...{hostname, port: port ?? (tls ? 5671 : 5672), tls, username, password}};
}

/**
 * The connection that settings name.
 * @param {AddressSettings<'artemis'>} values of the options
 * @returns {ArtemisConnection}
 */
export function connectionFrom(values) {
  return withProtocol(connectionOf('artemis', values, local, parseArtemisUrl));
}

/** @param {SecureConnection} connection @returns {ArtemisConnection} */
function withProtocol({tls, ...connection}) {
  return {...connection, protocol: tls ? 'amqps' : 'amqp'};
}

/** Connection settings as a URL for people, the password masked. @param {ArtemisConnection} connection */
export function maskConnection({protocol, hostname, port, username}) {
  const user = username === null ? '' : `${encodeURIComponent(username)}:***@`;
  return `${protocol}://${user}${joinAddress(hostname, port)}`;
}
