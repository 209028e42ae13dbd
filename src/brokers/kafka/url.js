/**
 * A Kafka broker's address as people write it and as programs need it, and how to show it without its password.
 */
import {UsageError} from '../../errors.js';
import {shorten} from '../../files/given-text.js';
import {joinAddress} from '../../net/address.js';
import {maskRefusedUrl, maskUrl, readUrl} from '../../net/broker-url.js';

/**
 * @import {ClientFiles} from '../../net/tls-files.js'
 *
 * @typedef {'plain' | 'scram-sha-256' | 'scram-sha-512'} SaslMechanism
 *
 * @typedef {object} Access
 * @property {string} hostname of one broker of a cluster, which names the others; a name or an address; IPv6 without brackets
 * @property {number} port
 * @property {boolean} tls
 * @property {SaslMechanism} mechanism how a user logs in
 * @property {string | null} username null: without SASL
 * @property {string | null} password
 *
 * @typedef {Access & ClientFiles} KafkaConnection everything that a connection to a Kafka broker needs
 */

const defaultPort = 9092;
const format = {example: 'kafka://user:password@host:9092', mask: maskUrl};

/** @type {KafkaConnection} */
export const localServer = {
  hostname: 'localhost',
  port: defaultPort,
  tls: false,
  mechanism: 'plain',
  username: null,
  password: null,
  caFile: null,
  certFile: null,
  keyFile: null,
};

/**
 * Kafka itself knows no URLs: these are like those of rented brokers.
 * @param {string} text such as `kafka://user:p%40ss@host:9092` or `kafka+ssl://host:9093`
 * @returns {KafkaConnection}
 * @throws {UsageError} when it is malformed; the message shows the URL without its password
 */
export function parseKafkaUrl(text) {
  if (text.slice(text.lastIndexOf('@') + 1).includes(','))
    throw new UsageError(
      `A Kafka broker's URL has one host, like ${format.example}; got "${shorten(maskRefusedUrl(text, maskUrl))}". Name one of them: it names the others.`,
    );
  const {url, hostname, port, decode, refuse} = readUrl(text, format);
  const isSecure = url.protocol === 'kafka+ssl:';
  if (!isSecure && url.protocol !== 'kafka:') refuse('it must begin with kafka:// or kafka+ssl://');
  if (url.search !== '' || !['', '/'].includes(url.pathname)) refuse('nothing may follow the port');
  const [username, password] = [decode(url.username), decode(url.password)];
  if ((username === '') !== (password === '')) refuse('a user needs a password, and a password a user');
  return {
    ...localServer,
    hostname,
    port: port ?? defaultPort,
    tls: isSecure,
    username: username || null,
    password: password || null,
  };
}

/**
 * The connection that settings name.
 * @param {AddressSettings} values of the options
 * @returns {KafkaConnection}
 * @throws {UsageError} when they name a user without a password, or a password without a user
 *
 * @typedef {object} AddressSettings
 * @property {string | null} kafkaUrl in place of the other parts
 * @property {string} kafkaHost
 * @property {number} kafkaPort
 * @property {string | null} kafkaUsername
 * @property {string | null} kafkaPassword
 * @property {SaslMechanism} [kafkaSaslMechanism]
 * @property {string | null} [kafkaCaFile] path of a PEM file
 * @property {string | null} [kafkaCertFile]
 * @property {string | null} [kafkaKeyFile]
 */
export function connectionFrom({kafkaUrl, kafkaHost, kafkaPort, kafkaUsername, kafkaPassword, ...others}) {
  const {kafkaSaslMechanism: mechanism = 'plain'} = others;
  const {kafkaCaFile: caFile = null, kafkaCertFile: certFile = null, kafkaKeyFile: keyFile = null} = others;
  const paths = {caFile, certFile, keyFile};
  // Who names an authority, or proves who he is, does not send in the clear.
  const isSecure = Object.values(paths).some((path) => path !== null);
  if (kafkaUrl) {
    const connection = parseKafkaUrl(kafkaUrl);
    return {...connection, ...paths, mechanism, tls: connection.tls || isSecure};
  }
  if ((kafkaUsername === null) !== (kafkaPassword === null))
    throw new UsageError(
      '--kafka-username (PB_KAFKA_USERNAME) and --kafka-password must be given together: a user logs in with a password.',
    );
  const credentials = {mechanism, username: kafkaUsername, password: kafkaPassword};
  return {...localServer, hostname: kafkaHost, port: kafkaPort, ...credentials, ...paths, tls: isSecure};
}

/**
 * Connection settings as a URL for people, the password masked.
 * @param {KafkaConnection} connection
 */
export function maskConnection({hostname, port, tls, username}) {
  const user = username === null ? '' : `${encodeURIComponent(username)}:***@`;
  return `${tls ? 'kafka+ssl' : 'kafka'}://${user}${joinAddress(hostname, port)}`;
}
