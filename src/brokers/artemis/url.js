/**
 * The address of an Artemis broker as people write it and as programs need it, and how to show it without its password.
 */
import {joinAddress} from '../../net/address.js';
import {maskUrl, readUrl} from '../../net/broker-url.js';

/**
 * @import {UsageError} from '../../errors.js'
 * @import {ClientFiles} from '../../net/tls-files.js'
 *
 * @typedef {object} Access
 * @property {'amqp' | 'amqps'} protocol
 * @property {string} hostname a name or an address; IPv6 without brackets
 * @property {number} port
 * @property {string | null} username null: the broker lets anybody in
 * @property {string | null} password
 *
 * @typedef {Access & ClientFiles} ArtemisConnection everything that a connection to an Artemis broker needs
 */

/** Of AMQP, where a URL has none. */
const ports = {amqp: 5672, amqps: 5671};

/** The port of an instance for all protocols, and the user of Apache's image. @type {ArtemisConnection} */
export const localServer = {
  protocol: 'amqp',
  hostname: 'localhost',
  port: 61_616,
  username: 'artemis',
  password: 'artemis',
  caFile: null,
  certFile: null,
  keyFile: null,
};

/**
 * @param {string} text such as `amqp://user:p%40ss@host:5672` or `amqps://host`
 * @returns {ArtemisConnection}
 * @throws {UsageError} when it is malformed; the message shows the URL without its password
 */
export function parseArtemisUrl(text) {
  const format = {example: 'amqp://user:password@host:5672', mask: maskUrl};
  const {url, hostname, port, decode, refuse} = readUrl(text, format);
  const protocol = url.protocol.slice(0, -1);
  if (protocol !== 'amqp' && protocol !== 'amqps') return refuse('it must begin with amqp:// or amqps://');
  if (url.search !== '' || !['', '/'].includes(url.pathname)) refuse('nothing may follow the port');
  const [username, password] = [decode(url.username) || null, decode(url.password) || null];
  return {...localServer, ...{protocol, hostname, port: port ?? ports[protocol], username, password}};
}

/**
 * The connection that settings name.
 * @param {AddressSettings} values of the options
 * @returns {ArtemisConnection}
 *
 * @typedef {object} AddressSettings
 * @property {string | null} artemisUrl in place of the other parts
 * @property {string} artemisHost
 * @property {number} artemisPort
 * @property {string} artemisUsername
 * @property {string} artemisPassword
 * @property {string | null} [artemisCaFile] path of a PEM file
 * @property {string | null} [artemisCertFile]
 * @property {string | null} [artemisKeyFile]
 */
export function connectionFrom({artemisUrl, artemisHost, artemisPort, ...others}) {
  const {artemisUsername: username, artemisPassword: password} = others;
  const {
    artemisCaFile: caFile = null,
    artemisCertFile: certFile = null,
    artemisKeyFile: keyFile = null,
  } = others;
  const paths = {caFile, certFile, keyFile};
  const named = artemisUrl
    ? parseArtemisUrl(artemisUrl)
    : {...localServer, ...{hostname: artemisHost, port: artemisPort, username, password}};
  // Who names an authority, or proves who he is, does not send in the clear.
  const isSecure = Object.values(paths).some((path) => path !== null);
  return {...named, ...paths, ...(isSecure && {protocol: 'amqps'})};
}

/** Connection settings as a URL for people, the password masked. @param {ArtemisConnection} connection */
export function maskConnection({protocol, hostname, port, username}) {
  const user = username === null ? '' : `${encodeURIComponent(username)}:***@`;
  return `${protocol}://${user}${joinAddress(hostname, port)}`;
}
