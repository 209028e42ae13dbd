import {TLSSocket} from 'node:tls';
import {RunError, UnavailableError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';
import {bounded} from '../../net/bounded.js';
import {Life} from '../../net/life.js';
import {describeTls} from '../../net/tls.js';
import {connectRedis, unavailable} from './connection.js';

/**
 * @import {Redis} from 'ioredis'
 * @import {RoleSettings} from '../kind.js'
 * @import {RedisConnection} from './url.js'
 */

/** @typedef {RoleSettings<RedisConnection> & {redisPrefix: string, redisAppendfsync: string | null}} RedisSettings */

/** The time limit for opening all connections and for the questions to the server before they are ready, together. */
const openWithinMs = 10_000;
/** A server that does not answer must not delay the end of a run. */
const closeWithinMs = 3000;

/**
 * The connections of one role. A command that waits for a message blocks the commands after it on the same connection, so
 * writes have a connection of their own.
 *
 * @typedef {object} RoleConnections
 * @property {Redis} writer
 * @property {Redis} reader
 * @property {Promise<void>} closed rejects when a connection is lost
 * @property {(what: string, cause?: unknown) => void} lose reports a loss that another part has noticed
 * @property {() => Promise<Redis>} open opens another connection, which is closed with the others
 * @property {Record<string, unknown>} details
 * @property {(what: {keys: () => Iterable<string>, seconds: number}) => void} renew keeps these keys until `seconds` after the end of this role
 * @property {<Result>(work: Promise<Result>) => Promise<Result>} prepared bounds the questions to the server at the start
 * @property {(cleanUp?: (writer: Redis) => Promise<unknown>) => Promise<void>} close runs a clean-up first, within a time limit
 */

/** The time to live of keys is set at this interval, because a list that was empty in between has lost it. */
const renewEveryMs = 1000;

/**
 * @param {RedisSettings} options
 * @returns {Promise<RoleConnections>}
 * @throws {UnavailableError} when the server cannot be reached, refuses the credentials, or has another appendfsync than the setting
 */
export async function openConnections(options) {
  const {broker, noDelay, files, redisAppendfsync, greetingMs: timeoutMs = openWithinMs} = options;
  /** @type {Redis[]} */
  const all = [];
  const life = new Life();
  const {closed, lose} = life;
  const open = async () => {
    const redis = await connectRedis(broker, {timeoutMs, noDelay, ...(files && {files})});
    all.push(redis);
    /** @type {Error | undefined} */
    let reason;
    redis.on('error', (error) => {
      reason ??= error;
    });
    redis.once('close', () => {
      const why =
        reason?.message ?? 'it stopped, or this end was too slow for its client-output-buffer-limit';
      lose(`The Redis connection was closed by the server: ${why}.`, reason);
    });
    return redis;
  };
  /** @type {NodeJS.Timeout[]} */
  const timers = [];
  const disconnect = () => {
    life.isFinished = true;
    for (const timer of timers) clearInterval(timer);
    for (const redis of all) redis.disconnect();
  };
  try {
    const [writer, reader] = await Promise.all([open(), open()]);
    const appendfsync = await bounded(readAppendfsync(writer), timeoutMs);
    refuseOther(broker, {asked: redisAppendfsync, found: appendfsync});
    const {stream} = writer;
    return {
      writer,
      reader,
      closed,
      lose,
      open,
      details: {appendfsync, ...(stream instanceof TLSSocket && describeTls(stream))},
      renew: ({keys, seconds}) => {
        const renewal = () => {
          for (const key of keys()) writer.expire(key, seconds).catch(() => {});
        };
        renewal();
        timers.push(setInterval(renewal, renewEveryMs).unref());
      },
      prepared: async (work) => {
        try {
          return await bounded(Promise.race([work, closed.then(() => work)]), timeoutMs);
        } catch (error) {
          if (error instanceof RunError || error instanceof UnavailableError) throw error;
          throw unavailable(broker, error);
        }
      },
      close: async (cleanUp) => {
        life.isFinished = true;
        if (cleanUp) await bounded(cleanUp(writer), closeWithinMs).catch(() => {});
        disconnect();
      },
    };
  } catch (error) {
    disconnect();
    throw error instanceof UnavailableError ? error : unavailable(broker, error);
  }
}

/**
 * When the server writes its data to the disk.
 * @param {Redis} redis
 * @returns {Promise<string | null>} off: never; null: the server does not allow CONFIG GET, like many rented servers
 */
async function readAppendfsync(redis) {
  try {
    const [, isOn] = /** @type {string[]} */ (await redis.config('GET', 'appendonly'));
    const [, when] = /** @type {string[]} */ (await redis.config('GET', 'appendfsync'));
    return isOn === 'no' ? 'off' : (when ?? null);
  } catch (error) {
    if (/** @type {Error} */ (error).name === 'ReplyError') return null;
    throw error;
  }
}

/** @param {RedisConnection} broker @param {{asked: string | null, found: string | null}} appendfsync */
function refuseOther({hostname, port}, {asked, found}) {
  if (asked === null || asked === found) return;
  const states = found === null ? 'does not say its appendfsync' : `has appendfsync ${found}`;
  throw new UnavailableError(
    `The Redis server at ${joinAddress(hostname, port)} ${states}, and --redis-appendfsync is ${asked}. perf-battle changes no settings of a server that it has not started. Leave the option out, or use a private one: --broker private.`,
    {code: 'PB_BROKER_UNAVAILABLE'},
  );
}
