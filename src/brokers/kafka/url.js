import {UsageError} from '../../errors.js';
import {shorten} from '../../files/quote.js';
import {joinAddress} from '../../net/address.js';
import {maskRefusedUrl, maskUrl, readUrl} from '../../net/broker-url.js';
import {connectionOf, localConnection} from '../address.js';

/** @import {AddressSettings, SecureConnection} from '../kind.js' */

/**
 * @typedef {'plain' | 'scram-sha-256' | 'scram-sha-512'} SaslMechanism how a user logs in
 * @typedef {SecureConnection & {mechanism: SaslMechanism}} KafkaConnection names one broker of a cluster, which names the others
 */

const format = {example: 'kafka://user:password@host:9092', mask: maskUrl};

/** @type {KafkaConnection} */
export const localServer = {...localConnection(9092), mechanism: 'plain'};

/**
 * Kafka itself defines no URLs; this format resembles the URLs of rented brokers.
 * @param {string} text such as `kafka://user:p%40ss@host:9092` or `kafka+ssl://host:9093`
 * @returns {KafkaConnection}
 * @throws {UsageError} when the URL is malformed; the message shows it without its password
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
 * @param {AddressSettings<'kafka'> & {kafkaSaslMechanism?: SaslMechanism}} values
 * @returns {KafkaConnection}
 * @throws {UsageError} when the settings name a user without a password, or a password without a user
 */
export function connectionFrom(values) {
  const {kafkaUrl, kafkaUsername, kafkaPassword, kafkaSaslMechanism: mechanism = 'plain'} = values;
  if (!kafkaUrl && (kafkaUsername === null) !== (kafkaPassword === null))
    throw new UsageError(
      '--kafka-username (PB_KAFKA_USERNAME) and --kafka-password must be given together: a user logs in with a password.',
    );
  return {...connectionOf('kafka', values, localServer, parseKafkaUrl), mechanism};
}

/** The connection as a URL for people, with the password masked. @param {KafkaConnection} connection */
export function maskConnection({hostname, port, tls, username}) {
  const user = username === null ? '' : `${encodeURIComponent(username)}:***@`;
  return `${tls ? 'kafka+ssl' : 'kafka'}://${user}${joinAddress(hostname, port)}`;
}
