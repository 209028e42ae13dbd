import {UsageError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';
import {maskUrl, readUrl} from '../../net/broker-url.js';
import {connectionOf, localConnection} from '../address.js';

/**
 * @import {AddressSettings, SecureConnection} from '../kind.js'
 *
 * @typedef {SecureConnection} MqttConnection
 */

const ports = {'mqtt:': 1883, 'mqtts:': 8883};

/** @type {MqttConnection} */
export const localServer = localConnection(ports['mqtt:']);

/**
 * @param {string} text such as `mqtt://user:p%40ss@host:1883` or `mqtts://host`
 * @returns {MqttConnection}
 * @throws {UsageError} when the URL is malformed; the message shows it without its password
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
 * @param {AddressSettings<'mosquitto'>} values
 * @returns {MqttConnection}
 * @throws {UsageError} when the settings name a password without a user
 */
export function connectionFrom(values) {
  if (!values.mosquittoUrl && values.mosquittoPassword !== null && values.mosquittoUsername === null)
    throw new UsageError(
      '--mosquitto-password (PB_MOSQUITTO_PASSWORD) needs --mosquitto-username: a password belongs to a user.',
    );
  return connectionOf('mosquitto', values, localServer, parseMqttUrl);
}

/** The connection as a URL for people, with the password masked. @param {MqttConnection} connection */
export function maskConnection({hostname, port, tls, username}) {
  const user = username === null ? '' : `${encodeURIComponent(username)}:***@`;
  return `${tls ? 'mqtts' : 'mqtt'}://${user}${joinAddress(hostname, port)}`;
}
