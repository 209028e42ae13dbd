import {UsageError} from '../../errors.js';
import {shorten} from '../../files/quote.js';
import {joinAddress} from '../../net/address.js';
import {maskRefusedUrl, maskUrl, readUrl, splitUrls} from '../../net/broker-url.js';
import {connectionOf, localConnection} from '../address.js';

/**
 * @import {ServerAddress} from '../first-available.js'
 * @import {AddressSettings, SecureConnection} from '../kind.js'
 */

/**
 * @typedef {'plain' | 'scram-sha-256' | 'scram-sha-512'} SaslMechanism how a user logs in
 * @typedef {SecureConnection & {mechanism: SaslMechanism, others: readonly ServerAddress[]}} KafkaConnection names a broker of a cluster, which names
 *   the others; others: brokers to try if the first broker is not available
 */

const format = {example: 'kafka://user:password@one:9092,two:9092', mask: maskKafkaUrl};

/** @type {KafkaConnection} */
export const localServer = {...localConnection(9092), mechanism: 'plain', others: []};

/**
 * Kafka itself defines no URLs. This format resembles the URLs of rented brokers, and its hosts are a list, as in bootstrap.servers.
 * @param {string} text such as `kafka://user:p%40ss@host:9092`, `kafka+ssl://host:9093` or `kafka://one:9092,two:9092`
 * @returns {KafkaConnection}
 * @throws {UsageError} when the URL is malformed; the message shows it without its password
 */
export function parseKafkaUrl(text) {
  const [first, ...others] = splitUrls(text).map((url) => parseOne(url, text));
  const {hostname: _, port: __, ...access} = first;
  if (
    others.some((one) =>
      Object.entries(access).some(([key, value]) => one[/** @type {keyof typeof access} */ (key)] !== value),
    )
  )
    throw new UsageError(
      `Kafka brokers must be like ${format.example}; got "${shorten(maskRefusedUrl(text, maskKafkaUrl))}": all brokers have the same user, and all use TLS or none.`,
    );
  return {...localServer, ...first, others: others.map(({hostname, port}) => ({hostname, port}))};
}

/** @param {string} text of one broker @param {string} whole */
function parseOne(text, whole) {
  const {url, hostname, port, decode, refuse} = readUrl(text, {...format, whole});
  const isSecure = url.protocol === 'kafka+ssl:';
  if (!isSecure && url.protocol !== 'kafka:') refuse('it must begin with kafka:// or kafka+ssl://');
  if (url.search !== '' || !['', '/'].includes(url.pathname)) refuse('nothing may follow the port');
  const [username, password] = [decode(url.username), decode(url.password)];
  if ((username === '') !== (password === '')) refuse('a user needs a password, and a password a user');
  return {
    hostname,
    port: port ?? localServer.port,
    tls: isSecure,
    username: username || null,
    password: password || null,
  };
}

/** The URL with *** in place of its password. @param {string} text */
export function maskKafkaUrl(text) {
  const urls = splitUrls(text);
  if (urls.length === 1) return maskUrl(text);
  return urls.map((url) => maskUrl(url)).join(',');
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
export function maskConnection({hostname, port, others, tls, username}) {
  const user = username === null ? '' : `${encodeURIComponent(username)}:***@`;
  const servers = [{hostname, port}, ...others].map((server) => joinAddress(server.hostname, server.port));
  return `${tls ? 'kafka+ssl' : 'kafka'}://${user}${servers.join(',')}`;
}
