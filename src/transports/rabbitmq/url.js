/**
 * A broker's address as people write it (an AMQP URL, or its parts) and as programs need it, and how to show it without
 * its password.
 */
import {joinAddress} from '../address.js';
import {maskUrl, readUrl} from '../broker-url.js';

/**
 * @import {UsageError} from '../../errors.js'
 * @import {UrlReader} from '../broker-url.js'
 */

/**
 * Everything that a connection to a broker needs.
 * @typedef {object} RabbitmqConnection
 * @property {'amqp' | 'amqps'} protocol
 * @property {string} hostname a name or an address; IPv6 without brackets
 * @property {number} port
 * @property {string} username
 * @property {string} password
 * @property {string} vhost the virtual host, '/' by default
 * @property {string | null} caFile a PEM file with the certificates to trust in place of the system's (amqps only)
 */

const DEFAULT_PORTS = {amqp: 5672, amqps: 5671};
const format = {example: 'amqp://user:password@host:5672/vhost', mask: maskBrokerUrl};

/**
 * Reads an AMQP URL as https://www.rabbitmq.com/docs/uri-spec has it, except that a bare trailing slash means the
 * default virtual host, as nearly everybody expects. Missing parts: guest, guest, port 5672 (amqps: 5671), vhost '/'.
 * @param {string} text such as `amqp://user:p%40ss@host:5672/%2f` or `amqps://host/vhost?cacertfile=/etc/ca.pem`
 * @returns {RabbitmqConnection}
 * @throws {UsageError} when it is malformed; the message shows the URL without its password
 */
export function parseBrokerUrl(text) {
  const reader = readUrl(text, format);
  const {url, decode} = reader;
  const protocol = protocolOf(reader);
  const named = url.username !== '' || url.password !== '';
  return {
    protocol,
    hostname: reader.hostname,
    port: reader.port ?? DEFAULT_PORTS[protocol],
    username: named ? decode(url.username) : 'guest',
    password: named ? decode(url.password) : 'guest',
    vhost: vhostOf(reader),
    caFile: caFileOf(reader),
  };
}

/**
 * Completes connection settings that were given in parts.
 * @param {Partial<RabbitmqConnection>} parts
 * @returns {RabbitmqConnection}
 */
export function completeConnection({protocol = 'amqp', hostname, port, username, password, vhost, caFile}) {
  return {
    protocol,
    hostname: hostname || 'localhost',
    port: port ?? DEFAULT_PORTS[protocol],
    username: username ?? 'guest',
    password: password ?? 'guest',
    vhost: vhost || '/',
    caFile: caFile ?? null,
  };
}

/**
 * The connection that settings name.
 * @param {AddressSettings} values of the options
 * @returns {RabbitmqConnection}
 *
 * @typedef {object} AddressSettings
 * @property {string | null} rabbitmqUrl in place of the other parts
 * @property {string} rabbitmqHost
 * @property {number} rabbitmqPort
 * @property {string} rabbitmqUsername
 * @property {string} rabbitmqPassword
 * @property {string} rabbitmqVhost
 * @property {string | null} rabbitmqCaFile path of a PEM file
 */
export function connectionFrom(values) {
  const caFile = values.rabbitmqCaFile;
  if (values.rabbitmqUrl) {
    const connection = parseBrokerUrl(values.rabbitmqUrl);
    return {...connection, caFile: caFile ?? connection.caFile};
  }
  return {
    protocol: 'amqp',
    hostname: values.rabbitmqHost,
    port: values.rabbitmqPort,
    username: values.rabbitmqUsername,
    password: values.rabbitmqPassword,
    vhost: values.rabbitmqVhost,
    caFile,
  };
}

/**
 * The URL with *** in place of its password, for messages.
 * @param {string} text
 */
export function maskBrokerUrl(text) {
  return maskUrl(text, ['cacertfile']);
}

/**
 * Connection settings as a URL for people, the password masked.
 * @param {RabbitmqConnection} connection
 */
export function maskConnection({protocol, hostname, port, username, vhost}) {
  const path = vhost === '/' ? '' : `/${encodeURIComponent(vhost)}`;
  return `${protocol}://${encodeURIComponent(username)}:***@${joinAddress(hostname, port)}${path}`;
}

/** @param {UrlReader} reader @returns {'amqp' | 'amqps'} */
function protocolOf({url, refuse}) {
  if (url.protocol === 'amqp:') return 'amqp';
  if (url.protocol === 'amqps:') return 'amqps';
  return refuse('it must begin with amqp:// or amqps://');
}

/** @param {UrlReader} reader */
function vhostOf({url, decode, refuse}) {
  const path = url.pathname.slice(1);
  if (path.includes('/')) refuse('a / in the name of a virtual host must be written as %2F');
  return decode(path) || '/';
}

/** @param {UrlReader} reader */
function caFileOf({url, refuse}) {
  for (const name of url.searchParams.keys()) {
    if (name !== 'cacertfile') refuse(`the parameter "${name}" is not supported; only cacertfile is`);
  }
  return url.searchParams.get('cacertfile');
}
