import {isIP} from 'node:net';
import {UnavailableError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';
import {bounded, NoAnswerError} from '../../net/bounded.js';
import {explainCertificates} from '../../net/tls.js';
import {clientCredentials} from '../../net/tls-files.js';
import {requireOptional} from '../../packages/load.js';

/**
 * @import {OpenBounds} from '../kind.js'
 * @import {RedisConnection} from './url.js'
 * @import * as Library from 'ioredis'
 * @import {Redis as Connected} from 'ioredis'
 */

const {Redis} = /** @type {typeof Library} */ (requireOptional('ioredis', {by: 'Redis', install: 'redis'}));

const openWithinMs = 10_000;

/**
 * Opens a connection within a time limit. The client neither reconnects nor resends: a trial that loses its connection fails.
 * @param {RedisConnection} connection @param {OpenBounds} [bounds]
 * @returns {Promise<Connected>} the caller closes it
 * @throws {UnavailableError} names host, port, user and reason, and never the password
 */
export async function connectRedis(
  connection,
  {timeoutMs = openWithinMs, signal, files, noDelay = true} = {},
) {
  const {hostname, port, username, password, tls, database} = connection;
  const credentials = clientCredentials(connection, files);
  signal?.throwIfAborted();
  const redis = new Redis({
    host: hostname,
    port,
    ...(username !== null && {username}),
    ...(password !== null && {password}),
    db: database,
    // A proxy in front of several servers selects the server by its name.
    ...(tls && {tls: {...credentials, ...(isIP(hostname) === 0 && {servername: hostname})}}),
    connectionName: 'perf-battle',
    // perf-battle uses nothing that version 3 of the protocol adds.
    protocol: 2,
    lazyConnect: true,
    connectTimeout: timeoutMs,
    noDelay,
    disableClientInfo: true,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    retryStrategy: null,
    maxRetriesPerRequest: null,
    autoResubscribe: false,
    autoResendUnfulfilledCommands: false,
  });
  /** The first error event: the library's rejections do not have its reason. @type {unknown} */
  let reason;
  redis.on('error', (error) => {
    reason ??= error;
  });
  const guard = guardGreeting(redis);
  try {
    await bounded(
      redis.connect().then(() => redis.ping()),
      timeoutMs,
      signal,
    );
    guard.end();
    return redis;
  } catch (error) {
    redis.disconnect();
    if (signal?.aborted) throw signal.reason;
    // The library's timeout may expire a moment before the time limit of `bounded`.
    const isSilent = /** @type {NodeJS.ErrnoException} */ (reason ?? error).code === 'ETIMEDOUT';
    throw unavailable(
      connection,
      isSilent ? new NoAnswerError(timeoutMs) : (guard.refusal ?? reason ?? error),
    );
  }
}

/** A peer that sends more bytes before its answer is no Redis server. */
const maxGreetingBytes = 64 * 1024;

class RedisProtocolError extends Error {}

/** Bounds the greeting, because the library buffers an incomplete answer without a limit. @param {Connected} redis */
function guardGreeting(redis) {
  let bytes = 0;
  const guard = {
    refusal: /** @type {Error | null} */ (null),
    end: () => void redis.stream.off('data', count),
  };
  const count = (/** @type {Buffer} */ chunk) => {
    bytes += chunk.length;
    if (bytes <= maxGreetingBytes || guard.refusal) return;
    guard.refusal = new RedisProtocolError(`it sent more than ${maxGreetingBytes} bytes`);
    redis.stream.destroy(guard.refusal);
  };
  redis.once('connect', () => redis.stream.prependListener('data', count));
  return guard;
}

/** @param {RedisConnection} connection @param {unknown} cause */
export function unavailable(connection, cause) {
  const where = `The Redis server at ${joinAddress(connection.hostname, connection.port)}`;
  return new UnavailableError(`${where} ${explain(connection, /** @type {Error} */ (cause))}`, {
    code: 'PB_BROKER_UNAVAILABLE',
    cause,
  });
}

/** @param {RedisConnection} connection @param {NodeJS.ErrnoException} reason */
function explain({username, password, tls}, reason) {
  const who = password === null ? 'no password' : username === null ? 'a password' : `user "${username}"`;
  const {code} = reason;
  const message = reason.message.replace(/\.$/, '');
  const certificates = explainCertificates({kind: 'redis', who, code, message, isSecure: tls});
  if (certificates !== null) return certificates;
  if (tls && code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return `does not offer TLS (${who}). Use redis://, without the files of certificates.`;
  if (/^(WRONGPASS|NOAUTH|NOPERM)|AUTH/.test(message))
    return `refused ${who}: ${message}. Check --redis-username and --redis-password.`;
  if (/^LOADING/.test(message)) return `is not ready yet (${who}): ${message}`;
  if (reason instanceof NoAnswerError)
    return `does not answer (${who}): ${message}. Check that a Redis server runs there, the host and the port.`;
  if (reason instanceof RedisProtocolError || /RESP|Connection is closed|call stack/.test(message))
    return `does not speak Redis there (${who}): ${message}. Check the host and the port.`;
  return `cannot be reached (${who}): ${message}. Check that it runs, the host and the port.`;
}

/** The time to live of keys after all roles were killed. */
export const expiresSeconds = 60;
/** The time to live of a queue is longer, because a later process may read it. */
export const queueExpiresSeconds = 3600;

/**
 * The names of the keys and channels that both ends of the Redis pair use.
 * @param {{redisPrefix: string, pair?: string}} settings pair: the name of this pair of processes in a battle
 */
export function keysOf({redisPrefix: prefix, pair}) {
  return {
    /** The requests of all clients: a list, a stream, or the prefix of channels. */
    requests: `${prefix}:requests`,
    /** The channel of requests to one server. @param {string} serverId */
    requestsTo: (serverId) => `${prefix}:requests:${serverId}`,
    /** @param {string} clientId */
    repliesTo: (clientId) => `${prefix}:replies:${clientId}`,
    /** Every server subscribes to a channel with this prefix, so that clients can find out whether a server is there. */
    presence: `${prefix}:servers:`,
    /** Pairs that run at the same time have separate subscribers. */
    broadcast: [prefix, 'broadcast', pair].filter(Boolean).join(':'),
    /** @param {string} clientId */
    queue: (clientId) => `${prefix}:queue:${clientId}`,
    pattern: `${prefix}:*`,
  };
}
