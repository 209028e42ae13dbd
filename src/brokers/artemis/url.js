import {joinAddress} from '../../net/address.js';
import {maskUrl, readUrl} from '../../net/broker-url.js';
import {connectionOf, localConnection} from '../address.js';

/**
 * @import {UsageError} from '../../errors.js'
 * @import {AddressSettings, SecureConnection} from '../kind.js'
 *
 * @typedef {Omit<SecureConnection, 'tls'> & {protocol: 'amqp' | 'amqps'}} ArtemisConnection
 */

/** The port for all protocols of an instance, and the default user of Apache's image. */
const local = {...localConnection(61_616), username: 'artemis', password: 'artemis'};

export const localServer = withProtocol(local);

/**
 * @param {string} text such as `amqp://user:p%40ss@host:5672` or `amqps://host`
 * @returns {SecureConnection}
 * @throws {UsageError} when the URL is malformed; the message shows it without its password
 */
export function parseArtemisUrl(text) {
  const format = {example: 'amqp://user:password@host:5672', mask: maskUrl};
  const {url, hostname, port, decode, refuse} = readUrl(text, format);
  const tls = url.protocol === 'amqps:';
  if (!tls && url.protocol !== 'amqp:') refuse('it must begin with amqp:// or amqps://');
  if (url.search !== '' || !['', '/'].includes(url.pathname)) refuse('nothing may follow the port');
  const [username, password] = [decode(url.username) || null, decode(url.password) || null];
  // The default ports of AMQP.
  return {...local, ...{hostname, port: port ?? (tls ? 5671 : 5672), tls, username, password}};
}

/** @param {AddressSettings<'artemis'>} values @returns {ArtemisConnection} */
export function connectionFrom(values) {
  return withProtocol(connectionOf('artemis', values, local, parseArtemisUrl));
}

/** @param {SecureConnection} connection @returns {ArtemisConnection} */
function withProtocol({tls, ...connection}) {
  return {...connection, protocol: tls ? 'amqps' : 'amqp'};
}

/** The connection as a URL for people, with the password masked. @param {ArtemisConnection} connection */
export function maskConnection({protocol, hostname, port, username}) {
  const user = username === null ? '' : `${encodeURIComponent(username)}:***@`;
  return `${protocol}://${user}${joinAddress(hostname, port)}`;
}
