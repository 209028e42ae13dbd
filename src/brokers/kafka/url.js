import {UsageError} from '../../errors.js';
import {shorten} from '../../files/given-file.js';
import {joinAddress} from '../../net/address.js';
import {maskRefusedUrl, maskUrl, readUrl} from '../../net/broker-url.js';
import {connectionOf, localConnection} from '../address.js';

/** @import {AddressSettings, SecureConnection} from '../kind.js' */

/**
 * A Kafka broker's address as people write it and as programs need it, and how to show it without its password.
 */

/**
 *
 * @typedef {'plain' | 'scram-sha-256' | 'scram-sha-512'} SaslMechanism how a user logs in
 * @typedef {SecureConnection & {mechanism: SaslMechanism}} KafkaConnection of a cluster: to one of its brokers, which names the others
 */

const format = {example: 'kafka://user:password@host:9092', mask: maskUrl};

/** @type {KafkaConnection} */
export const localServer = {...localConnection(9092), mechanism: 'plain'};

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
    port: port ?? localServer.port,
    tls: isSecure,
    username: username || null,
    password: password || null,
  };
}

/**
 * The connection that settings name.
 * @param {AddressSettings<'kafka'> & {kafkaSaslMechanism?: SaslMechanism}} values of the options
 * @returns {KafkaConnection}
 * @throws {UsageError} when they name a user without a password, or a password without a user
 */
export function connectionFrom(values) {
  const {kafkaUrl, kafkaUsername, kafkaPassword, kafkaSaslMechanism: mechanism = 'plain'} = values;
  if (!kafkaUrl && (kafkaUsername === null) !== (kafkaPassword === null))
    throw new UsageError(
      '--kafka-username (PB_KAFKA_USERNAME) and --kafka-password must be given together: a user logs in with a password.',
    );
  return {...connectionOf('kafka', values, localServer, parseKafkaUrl), mechanism};
}

/**
 * Connection settings as a URL for people, the password masked.
 * @param {KafkaConnection} connection
 */
export function maskConnection({hostname, port, tls, username}) {
  const user = username === null ? '' : `${encodeURIComponent(username)}:***@`;
  return `${tls ? 'kafka+ssl' : 'kafka'}://${user}${joinAddress(hostname, port)}`;
}
