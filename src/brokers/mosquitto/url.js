/**
 * An MQTT broker's address as people write it and as programs need it, and how to show it without its password.
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
 * @property {string | null} username
 * @property {string | null} password
 *
 * @typedef {Access & ClientFiles} MqttConnection everything that a connection to an MQTT broker needs
 */

const ports = {'mqtt:': 1883, 'mqtts:': 8883};

/** @type {MqttConnection} */
export const localServer = {
  hostname: 'localhost',
  port: ports['mqtt:'],
  tls: false,
  username: null,
  password: null,
  caFile: null,
  certFile: null,
  keyFile: null,
};

/**
 * @param {string} text such as `mqtt://user:p%40ss@host:1883` or `mqtts://host`
 * @returns {MqttConnection}
 * @throws {UsageError} when it is malformed; the message shows the URL without its password
 */
export function parseMqttUrl(text) {
  const format = {example: 'mqtt://user:password@host:1883', mask: maskUrl};
  const {url, hostname, port, decode, refuse} = readUrl(text, format);
  const {protocol} = url;
  if (protocol !== 'mqtt:' && protocol !== 'mqtts:') return refuse('it must begin with mqtt:// or mqtts://');
  if (url.search !== '' || !['', '/'].includes(url.pathname)) refuse('nothing may follow the port');
  const [username, password] = [decode(url.username) || null, decode(url.password) || null];
  return {
    ...localServer,
    ...{hostname, port: port ?? ports[protocol], tls: protocol === 'mqtts:', username, password},
  };
}

/**
 * The connection that settings name.
 * @param {AddressSettings} values of the options
 * @returns {MqttConnection}
 * @throws {UsageError} when they name a password without a user
 *
 * @typedef {object} AddressSettings
 * @property {string | null} mosquittoUrl in place of the other parts
 * @property {string} mosquittoHost
 * @property {number} mosquittoPort
 * @property {string | null} mosquittoUsername
 * @property {string | null} mosquittoPassword
 * @property {string | null} [mosquittoCaFile] path of a PEM file
 * @property {string | null} [mosquittoCertFile]
 * @property {string | null} [mosquittoKeyFile]
 */
export function connectionFrom({
  mosquittoUrl,
  mosquittoHost: hostname,
  mosquittoPort: port,
  mosquittoUsername: username,
  mosquittoPassword: password,
  ...files
}) {
  const {mosquittoCaFile: caFile = null, mosquittoCertFile: certFile = null} = files;
  const paths = {caFile, certFile, keyFile: files.mosquittoKeyFile ?? null};
  // Who names an authority, or proves who he is, does not send in the clear.
  const isSecure = Object.values(paths).some((path) => path !== null);
  if (mosquittoUrl) {
    const connection = parseMqttUrl(mosquittoUrl);
    return {...connection, ...paths, tls: connection.tls || isSecure};
  }
  if (password !== null && username === null)
    throw new UsageError(
      '--mosquitto-password (PB_MOSQUITTO_PASSWORD) needs --mosquitto-username: a password belongs to a user.',
    );
  return {hostname, port, tls: isSecure, username, password, ...paths};
}

/** Connection settings as a URL for people, the password masked. @param {MqttConnection} connection */
export function maskConnection({hostname, port, tls, username}) {
  const user = username === null ? '' : `${encodeURIComponent(username)}:***@`;
  return `${tls ? 'mqtts' : 'mqtt'}://${user}${joinAddress(hostname, port)}`;
}
