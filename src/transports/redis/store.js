import {clientIdOf} from '../../brokers/client-id.js';
import {keysOf, queueExpiresSeconds} from '../../brokers/redis/connection.js';
import {mediumOf, messagesAtOnce} from './messages.js';
import {Publisher} from './publisher.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {RedisSettings, RoleConnections} from '../../brokers/redis/role-connections.js'
 * @import {ConnectSettings, OnConsumed, Store} from '../transport.js'
 * @import {RedisVariant} from './index.js'
 * @import {Held} from './medium.js'
 * @import {Redis} from 'ioredis'
 */

/**
 * Opens a list or a stream for this client alone. A message is stored when the server has answered.
 * @param {RoleConnections} connections
 * @param {RedisSettings & RedisVariant & ClientName & Pick<ConnectSettings, 'window' | 'findsQueue' | 'keepsStore'>} options
 * @returns {Promise<{store: Store, cleanUp: ((writer: Redis) => Promise<unknown>) | undefined}>}
 */
export async function openStore(connections, options) {
  const {reader, writer, renew} = connections;
  const {findsQueue = false, keepsStore = false} = options;
  const medium = mediumOf(options);
  const key = keysOf(options).queue(clientIdOf(options));
  if (!findsQueue) await writer.unlink(key);
  await medium.openQueue(writer, key);
  renew({keys: () => [key], seconds: queueExpiresSeconds});
  const publisher = new Publisher(connections, medium, options);
  return {
    store: {
      put: (payload, outcome) => publisher.put(key, payload, outcome ?? null),
      drained: () => publisher.drained(),
      flushed: () => publisher.flushed(),
      awaitsConfirms: true,
      take: (count, onMessage) =>
        takeAll((most) => medium.take({reader, writer, key}, most), count, onMessage),
      consume: (onMessage) =>
        consume(connections, (again) => medium.hold({reader, writer, key}, {again}), {key, onMessage}),
    },
    cleanUp: keepsStore ? undefined : (usable) => usable.unlink(key),
  };
}

/**
 * Takes exactly `count` messages. While messages are handled, the server already looks for the next.
 * @param {(most: number) => Promise<Buffer[]>} take @param {number} count @param {(payload: Buffer) => void} onMessage
 */
async function takeAll(take, count, onMessage) {
  let left = count;
  let next = take(Math.min(left, messagesAtOnce));
  while (left > 0) {
    const messages = await next;
    left -= messages.length;
    if (left > 0) {
      next = take(Math.min(left, messagesAtOnce));
      // The pop may fail while the messages are handled.
      next.catch(() => {});
    }
    for (const payload of messages) onMessage(payload);
  }
}

/**
 * @param {Pick<RoleConnections, 'lose'>} connections @param {(again: boolean) => Promise<Held[]>} hold
 * @param {{key: string, onMessage: OnConsumed}} to
 */
async function consume({lose}, hold, {key, onMessage}) {
  let isEnded = false;
  const receive = async () => {
    for (let again = true; !isEnded; again = false)
      for (const {payload, acknowledge} of await hold(again)) onMessage(payload, acknowledge);
  };
  const receiving = receive().catch((error) =>
    lose(`Redis lets nothing be read from ${key}: ${error.message}.`, error),
  );
  return {
    async end() {
      isEnded = true;
      await receiving;
    },
  };
}
