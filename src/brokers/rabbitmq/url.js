import {joinAddress} from '../../net/address.js';
import {maskUrl, readUrl} from '../../net/broker-url.js';

/**
 * @import {UsageError} from '../../errors.js'
 * @import {UrlReader} from '../../net/broker-url.js'
 * @import {ClientFiles} from '../../net/tls-files.js'
 */

/**
 * The address and the credentials of a broker. Only amqps uses the files of ClientFiles.
 * @typedef {object} Address
 * @property {'amqp' | 'amqps'} protocol
 * @property {string} hostname a name or an address; IPv6 without brackets
 * @property {number} port
 * @property {string} username
 * @property {string} password
 * @property {string} vhost the virtual host, '/' by default
 * @property {Partial<Record<PluginProtocol, number>>} [otherPorts] the ports of other protocols; default: see `pluginPortOf`
 *
 * @typedef {Address & ClientFiles} RabbitmqConnection
 */

const DEFAULT_PORTS = {amqp: 5672, amqps: 5671};
const format = {example: 'amqp://user:password@host:5672/vhost', mask: maskBrokerUrl};

/**
 * The query parameters of a URL (https://www.rabbitmq.com/docs/uri-query-parameters) and the keys of the equivalent options.
 * `verify` has no option: perf-battle always verifies the broker's certificate.
 */
const parameters = /** @type {const} */ ({
  cacertfile: 'rabbitmqCaFile',
  certfile: 'rabbitmqCertFile',
  keyfile: 'rabbitmqKeyFile',
  heartbeat: 'heartbeatSeconds',
  verify: null,
});
const ofTls = ['cacertfile', 'certfile', 'keyfile', 'verify'];

/** @typedef {keyof typeof pluginPorts} PluginProtocol the protocol of a plugin that listens on its own port */

/** The default ports of the plugins, by the protocol of the broker's URL. */
const pluginPorts = {
  stream: {amqp: 5552, amqps: 5551},
  stomp: {amqp: 61_613, amqps: 61_614},
  mqtt: {amqp: 1883, amqps: 8883},
};

/** @param {RabbitmqConnection} connection @param {PluginProtocol} plugin */
export function pluginPortOf({protocol, otherPorts}, plugin) {
  return otherPorts?.[plugin] ?? pluginPorts[plugin][protocol];
}

/** @typedef {Partial<{rabbitmqCaFile: string, rabbitmqCertFile: string, rabbitmqKeyFile: string, heartbeatSeconds: number}>} UrlSettings */

/**
 * Reads an AMQP URL (https://www.rabbitmq.com/docs/uri-spec). Unlike the specification, a trailing slash means the default
 * virtual host, as most users expect. Defaults: user guest, password guest, port 5672 (amqps: 5671), virtual host '/'.
 * @param {string} text such as `amqp://user:p%40ss@host:5672/%2f` or `amqps://host/vhost?cacertfile=/etc/ca.pem&heartbeat=5`
 * @returns {RabbitmqConnection}
 * @throws {UsageError} when the URL is malformed; the message shows it without its password
 */
export function parseBrokerUrl(text) {
  const reader = readUrl(text, format);
  const {url, decode} = reader;
  const protocol = protocolOf(reader);
  const named = url.username !== '' || url.password !== '';
  const {rabbitmqCaFile = null, rabbitmqCertFile = null, rabbitmqKeyFile = null} = parametersOf(reader);
  return {
    protocol,
    hostname: reader.hostname,
    port: reader.port ?? DEFAULT_PORTS[protocol],
    username: named ? decode(url.username) : 'guest',
    password: named ? decode(url.password) : 'guest',
    vhost: vhostOf(reader),
    caFile: rabbitmqCaFile,
    certFile: rabbitmqCertFile,
    keyFile: rabbitmqKeyFile,
  };
}

/**
 * The settings in the parameters of a URL.
 * @param {string} text a URL that `parseBrokerUrl` accepts
 * @returns {UrlSettings} by the option's key
 */
export function settingsOfUrl(text) {
  return parametersOf(readUrl(text, format));
}

/** Adds the defaults to a connection. @param {Partial<RabbitmqConnection>} parts @returns {RabbitmqConnection} */
export function completeConnection({
  protocol = 'amqp',
  hostname,
  port,
  username,
  password,
  vhost,
  otherPorts,
  ...files
}) {
  return {
    protocol,
    hostname: hostname || 'localhost',
    port: port ?? DEFAULT_PORTS[protocol],
    username: username ?? 'guest',
    password: password ?? 'guest',
    vhost: vhost || '/',
    ...(otherPorts && {otherPorts}),
    caFile: files.caFile ?? null,
    certFile: files.certFile ?? null,
    keyFile: files.keyFile ?? null,
  };
}

/**
 * @param {AddressSettings} values
 * @returns {RabbitmqConnection}
 *
 * @typedef {object} AddressSettings
 * @property {string | null} rabbitmqUrl replaces host, port, user, password and virtual host
 * @property {string} rabbitmqHost
 * @property {number} rabbitmqPort
 * @property {string} rabbitmqUsername
 * @property {string} rabbitmqPassword
 * @property {string} rabbitmqVhost
 * @property {number | null} [rabbitmqStreamPort]
 * @property {number | null} [rabbitmqStompPort]
 * @property {number | null} [rabbitmqMqttPort]
 * @property {string | null} rabbitmqCaFile the path of a PEM file
 * @property {string | null} [rabbitmqCertFile]
 * @property {string | null} [rabbitmqKeyFile]
 */
export function connectionFrom(values) {
  const {rabbitmqCaFile, rabbitmqCertFile = null, rabbitmqKeyFile = null} = values;
  const {rabbitmqStreamPort: stream, rabbitmqStompPort: stomp, rabbitmqMqttPort: mqtt} = values;
  const otherPorts = {...(stream && {stream}), ...(stomp && {stomp}), ...(mqtt && {mqtt})};
  const ofPlugins = Object.keys(otherPorts).length === 0 ? {} : {otherPorts};
  if (values.rabbitmqUrl) {
    const connection = parseBrokerUrl(values.rabbitmqUrl);
    return {
      ...connection,
      ...ofPlugins,
      caFile: rabbitmqCaFile ?? connection.caFile,
      certFile: rabbitmqCertFile ?? connection.certFile,
      keyFile: rabbitmqKeyFile ?? connection.keyFile,
    };
  }
  return {
    protocol: 'amqp',
    hostname: values.rabbitmqHost,
    port: values.rabbitmqPort,
    username: values.rabbitmqUsername,
    password: values.rabbitmqPassword,
    vhost: values.rabbitmqVhost,
    ...ofPlugins,
    caFile: rabbitmqCaFile,
    certFile: rabbitmqCertFile,
    keyFile: rabbitmqKeyFile,
  };
}

/** The URL with *** in place of its password. @param {string} text */
export function maskBrokerUrl(text) {
  return maskUrl(text, Object.keys(parameters));
}

/** The connection as a URL for people, with the password masked. @param {RabbitmqConnection} connection */
export function maskConnection({protocol, hostname, port, username, vhost}) {
  const path = vhost === '/' ? '' : `/${encodeURIComponent(vhost)}`;
  return `${protocol}://${encodeURIComponent(username)}:***@${joinAddress(hostname, port)}${path}`;
}

/** @param {UrlReader} reader */
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

/**
 * Refuses a parameter that perf-battle does not support, because other clients of the broker would apply it.
 * @param {UrlReader} reader
 * @returns {UrlSettings}
 */
function parametersOf({url, refuse}) {
  const names = Object.keys(parameters);
  /** @type {Record<string, string | number>} */
  const settings = {};
  for (const [name, value] of url.searchParams) {
    if (!Object.hasOwn(parameters, name))
      refuse(`the parameter "${name}" is not supported; only ${names.join(', ')} are`);
    if (url.searchParams.getAll(name).length > 1) refuse(`the parameter "${name}" is given twice`);
    if (ofTls.includes(name) && url.protocol !== 'amqps:') refuse(`the parameter "${name}" needs amqps://`);
    if (value === '') refuse(`the parameter "${name}" has no value`);
    if (name === 'verify' && value !== 'verify_peer')
      refuse(`the parameter "verify" may only be verify_peer: the broker's certificate is always verified`);
    const key = parameters[/** @type {keyof typeof parameters} */ (name)];
    if (key !== null) settings[key] = key === 'heartbeatSeconds' ? secondsOf(value, refuse) : value;
  }
  return settings;
}

/** @param {string} value @param {UrlReader['refuse']} refuse */
function secondsOf(value, refuse) {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  return refuse('the parameter "heartbeat" must be a number of seconds from 0 to 65535');
}
