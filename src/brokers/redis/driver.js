import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {bounded} from '../../net/bounded.js';
import {safeText} from '../../safe-text.js';
import {clientIdsOf} from '../client-id.js';
import {driverOfOneServer} from '../one-server.js';
import {connectRedis, keysOf} from './connection.js';
import {localServer} from './url.js';

/**
 * @import {BrokerDriver, BrokerSettings, Greeting, PairNames} from '../kind.js'
 * @import {RedisConnection} from './url.js'
 * @import {Redis} from 'ioredis'
 */

const connectionTo = (/** @type {Partial<RedisConnection>} */ server) => ({...localServer, ...server});

export const driver = driverOfOneServer(
  {label: 'Redis', program: 'redis-server', connectionTo},
  {
    greet,
    readAlarm,
    withoutDiskSpace,
    limitMemory,
    removeLeft,
    command,
    beginsMessage,
    processName: /^(redis|valkey)/,
  },
);

/** @param {RedisConnection} connection @param {{timeoutMs: number, signal: AbortSignal}} bounds for the whole function */
async function greet(connection, {timeoutMs, signal}) {
  const client = await connectRedis(connection, {timeoutMs, signal});
  try {
    // A user may lack the right to call INFO.
    const facts = await bounded(client.info('server'), timeoutMs, signal).catch(() => '');
    signal.throwIfAborted();
    return greetingOf(facts);
  } finally {
    client.disconnect();
  }
}

/**
 * @param {RedisConnection} connection @param {{timeoutMs: number, signal: AbortSignal}} bounds
 * @returns {Promise<string | null>} why the server refuses writes; null: it does not, or its user may not call INFO
 * @throws {UnavailableError}
 */
async function readAlarm(connection, bounds) {
  /** @type {Redis} */
  let client;
  try {
    client = await connectRedis(connection, bounds);
  } catch (error) {
    // A server that cannot write its append-only file also refuses PING.
    const [reason = null] = /MISCONF [^.]+/.exec(/** @type {Error} */ (error).message) ?? [];
    if (reason === null) throw error;
    return reason;
  }
  try {
    const facts = bounded(client.info(), bounds.timeoutMs, bounds.signal);
    return alarmIn(await facts.catch(() => ''));
  } finally {
    client.disconnect();
  }
}

/**
 * Finds why a server refuses writes (https://redis.io/docs/latest/develop/reference/eviction, https://redis.io/docs/latest/operate/oss_and_stack/management/persistence).
 * @param {string} facts INFO @returns {string | null}
 */
export function alarmIn(facts) {
  const fact = (/** @type {string} */ name) =>
    safeText(new RegExp(`^${name}:(\\S+)`, 'm').exec(facts)?.[1] ?? '');
  const [used, most] = ['used_memory', 'maxmemory'].map((name) => Number(fact(name)));
  if (most > 0 && used > most && fact('maxmemory_policy') === 'noeviction')
    return `it uses ${used} bytes of memory, and maxmemory is ${most} (noeviction)`;
  return fact('aof_last_write_status') === 'err' ? 'its last write to the append-only file failed' : null;
}

/** @type {NonNullable<BrokerDriver<RedisConnection>['withoutDiskSpace']>} */
function withoutDiskSpace({appendfsync}) {
  if (appendfsync === 'always') return 'ends when it cannot write, with appendfsync always';
  return appendfsync === 'everysec' || appendfsync === 'no'
    ? null
    : 'keeps no messages on its disk without AOF';
}

/** @type {NonNullable<BrokerDriver<RedisConnection>['limitMemory']>} */
async function limitMemory({nodes: [{connection}]}, {isLow, signal}) {
  const client = await connectRedis(connection, {signal});
  try {
    // A private server has no limit by default.
    await client.config('SET', 'maxmemory', isLow ? '1' : '0');
  } finally {
    client.disconnect();
  }
}

/** @param {string} facts the server section of INFO @returns {Greeting} */
export function greetingOf(facts) {
  const [, valkey] = /^valkey_version:(\S+)/m.exec(facts) ?? [];
  const [, redis] = /^redis_version:(\S+)/m.exec(facts) ?? [];
  // Valkey also reports the version of Redis that it is compatible with.
  const version = valkey ?? redis;
  return {
    product: valkey ? 'Valkey' : 'Redis',
    versions: {redis: version ? safeText(valkey ? `Valkey ${version}` : version) : null},
  };
}

/**
 * Deletes the keys of roles that were killed or lost their connection; other roles delete their own keys. Another program
 * may use a prefix that the user chose: only keys with the name of a client are deleted then.
 * @param {RedisConnection} connection
 * @param {readonly PairNames[]} pairs pairs that have ended
 * @param {{timeoutMs: number, signal?: AbortSignal}} bounds for the whole function
 * @throws when the server is not available or does not answer
 */
async function removeLeft(connection, pairs, bounds) {
  const client = await connectRedis(connection, bounds);
  try {
    const removed = Promise.all(pairs.map((pair) => removeOf(client, pair)));
    await bounded(removed, bounds.timeoutMs, bounds.signal);
  } finally {
    client.disconnect();
  }
}

/** @param {Redis} client @param {PairNames} pair */
async function removeOf(client, {names, clients, isUnique}) {
  const {requests, repliesTo, queue} = keysOf(names);
  const own = clientIdsOf({names, clients}).flatMap((id) => [repliesTo(id), queue(id)]);
  await client.unlink(...own, ...(isUnique ? [requests] : []));
}

/**
 * The password is in a file, because other users can read a command line.
 * @param {{folder: string} & Parameters<typeof configurationOf>[0]} server
 */
async function command({folder, ...server}) {
  const configuration = join(folder, 'redis.conf');
  await writeFile(configuration, configurationOf(server), {mode: 0o600});
  return [configuration];
}

/**
 * Redis's defaults, without snapshots, and with a larger buffer for subscribers. The default disconnects a subscriber that
 * is 8 MB behind for a minute, or 32 MB at any time: a few large payloads.
 * @param {{address: string, port: number, username: string, password: string, data: string, settings: BrokerSettings}} server
 */
export function configurationOf({address, port, username, password, data, settings: {appendfsync}}) {
  const isStored = appendfsync !== undefined && appendfsync !== 'off';
  const aof = isStored ? `appendonly yes\nappendfsync ${appendfsync}` : 'appendonly no';
  return `bind ${address}
port ${port}
unixsocket ""
daemonize no
set-proc-title no
logfile ""
dir "${data}"
save ""
${aof}
client-output-buffer-limit pubsub 512mb 256mb 60
user default off
user ${username} on >${password} ~* &* +@all
`;
}

/** The commands that send a message; a command of a client is an array. */
const messageCommands = /^\*\d+\r\n\$\d+\r\n(?:lpush|xadd|publish|pmessage)\r\n/i;
/** The answer to a blocking read: the key and its messages. */
const messageAnswer = /^\*[12]\r\n(?:\*2\r\n)?\$\d+\r\n[^\r\n]+\r\n\*\d+\r\n/;
const enoughBytes = 512;

/**
 * Whether a message begins in these bytes (https://redis.io/docs/latest/develop/reference/protocol-spec).
 * @param {Buffer} bytes from the start of a command or an answer
 */
export function beginsMessage(bytes) {
  const text = bytes.toString('latin1', 0, enoughBytes);
  return messageCommands.test(text) || messageAnswer.test(text);
}
