/**
 * @import {Redis} from 'ioredis'
 * @import {keysOf} from '../../brokers/redis/keys.js'
 */

/**
 * The servers that are there: each subscribes to a channel with its id, which ends with it.
 * @param {Redis} redis
 * @param {ReturnType<typeof keysOf>} keys
 * @returns {Promise<string[]>} their ids, in an order that all clients see
 */
export async function findServers(redis, {presence}) {
  const found = /** @type {string[]} */ (await redis.pubsub('CHANNELS', `${presence}*`));
  return found.map((channel) => channel.slice(presence.length)).sort();
}
