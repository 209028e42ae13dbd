/**
 * A broker's address as people write it (an AMQP URL, or its parts) and as programs need it, and how to show it without
 * its password.
 */
import {UsageError} from '../../errors.js';

/**
 * Everything that a connection to a broker needs.
 * @typedef {object} BrokerConnection
 * @property {'amqp' | 'amqps'} protocol
 * @property {string} hostname a name or an address; IPv6 without brackets
 * @property {number} port
 * @property {string} username
 * @property {string} password
 * @property {string} vhost the virtual host, '/' by default
 * @property {string | null} caFile a PEM file with the certificates to trust in place of the system's (amqps only)
 */

const DEFAULT_PORTS = {amqp: 5672, amqps: 5671};
const EXAMPLE = 'amqp://user:password@host:5672/vhost';

/**
 * Reads an AMQP URL as https://www.rabbitmq.com/docs/uri-spec has it, except that a bare trailing slash means the
 * default virtual host, as nearly everybody expects. Missing parts: guest, guest, port 5672 (amqps: 5671), vhost '/'.
 * @param {string} text such as `amqp://user:p%40ss@host:5672/%2f` or `amqps://host/vhost?cacertfile=/etc/ca.pem`
 * @returns {BrokerConnection}
 * @throws {UsageError} when it is malformed; the message shows the URL without its password
 */
export function parseBrokerUrl(text) {
  const url = parse(text);
  const protocol = protocolOf(url, text);
  const named = url.username !== '' || url.password !== '';
  return {
    protocol,
    hostname: decode(url.hostname, text).replace(/^\[|\]$/g, '') || refuse(text, 'it names no host'),
    port: portOf(url, text) ?? DEFAULT_PORTS[protocol],
    username: named ? decode(url.username, text) : 'guest',
    password: named ? decode(url.password, text) : 'guest',
    vhost: vhostOf(url, text),
    caFile: caFileOf(url, text),
  };
}

/**
 * Completes connection settings that were given in parts.
 * @param {Partial<BrokerConnection>} parts
 * @returns {BrokerConnection}
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
 * The URL with *** in place of its password, for messages. A URL that cannot be parsed, or whose parts cannot be told
 * apart for certain, loses everything that might belong to a password.
 * @param {string} text
 */
export function maskUrl(text) {
  const url = parseOrNull(text);
  if (url?.host && !isAmbiguous(url)) return maskParsed(url, text);
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0] ?? '';
  const at = text.lastIndexOf('@');
  if (at !== -1) return `${scheme}***${text.slice(at)}`;
  return scheme === '' ? text : `${scheme}***`;
}

/**
 * Connection settings as a URL for people, the password masked.
 * @param {BrokerConnection} connection
 */
export function maskConnection({protocol, hostname, port, username, vhost}) {
  const path = vhost === '/' ? '' : `/${encodeURIComponent(vhost)}`;
  return `${protocol}://${encodeURIComponent(username)}:***@${hostAndPort({hostname, port})}${path}`;
}

/**
 * @param {{hostname: string, port: number}} connection
 * @returns {string} `host:port`, with brackets round an IPv6 address
 */
export function hostAndPort({hostname, port}) {
  return hostname.includes(':') ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

/** @param {string} text @returns {URL} */
function parse(text) {
  const url = parseOrNull(text) ?? refuse(text, 'it is not a URL');
  // An @ after the host comes from a / ? or # in a password that was not percent-encoded: what looks like the host is
  // then a part of the user name and password.
  if (isAmbiguous(url))
    refuse(text, 'an @ stands after its host: write / ? # and @ in a password as %2F %3F %23 %40');
  if (url.hash !== '') refuse(text, 'a # must be written as %23');
  return url;
}

/** @param {string} text @returns {URL | null} */
function parseOrNull(text) {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** @param {URL} url */
function isAmbiguous(url) {
  return `${url.pathname}${url.search}${url.hash}`.includes('@');
}

/** @param {URL} url @param {string} text @returns {'amqp' | 'amqps'} */
function protocolOf(url, text) {
  if (url.protocol === 'amqp:') return 'amqp';
  if (url.protocol === 'amqps:') return 'amqps';
  return refuse(text, 'it must begin with amqp:// or amqps://');
}

/** @param {URL} url @param {string} text */
function portOf(url, text) {
  if (url.port === '') return null;
  return Number(url.port) || refuse(text, 'its port must be from 1 to 65535');
}

/** @param {URL} url @param {string} text */
function vhostOf(url, text) {
  const path = url.pathname.slice(1);
  if (path.includes('/')) refuse(text, 'a / in the name of a virtual host must be written as %2F');
  return decode(path, text) || '/';
}

/** @param {URL} url @param {string} text */
function caFileOf(url, text) {
  for (const name of url.searchParams.keys()) {
    if (name !== 'cacertfile') refuse(text, `the parameter "${name}" is not known, only cacertfile is`);
  }
  return url.searchParams.get('cacertfile');
}

/** @param {string} part @param {string} text */
function decode(part, text) {
  try {
    return decodeURIComponent(part);
  } catch {
    return refuse(
      text,
      'a % must be followed by two hexadecimal digits that make UTF-8; a bare % is written as %25',
    );
  }
}

/** @param {URL} url @param {string} text */
function maskParsed(url, text) {
  if (url.password === '' && url.search === '') return text;
  if (url.password !== '') url.password = '***';
  for (const name of new Set(url.searchParams.keys())) {
    if (name !== 'cacertfile') url.searchParams.set(name, '***');
  }
  return url.href;
}

/** @param {string} text @param {string} reason @returns {never} */
function refuse(text, reason) {
  throw new UsageError(`A broker's URL must be like ${EXAMPLE}; got "${maskUrl(text)}": ${reason}.`);
}
