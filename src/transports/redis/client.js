import {clientIdOf} from '../../brokers/client-id.js';
import {expiresSeconds, keysOf, queueExpiresSeconds} from '../../brokers/redis/connection.js';
import {openConnections} from '../../brokers/redis/role-connections.js';
import {RunError} from '../../errors.js';
import {connectOver, partOf} from '../brokered.js';
import {BrokeredCalls} from '../brokered-calls.js';
import {findServers, mediumOf, messagesAtOnce, oneWay, requestHeader} from './messages.js';
import {Publisher} from './publisher.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {RedisSettings, RoleConnections} from '../../brokers/redis/role-connections.js'
 * @import {Broadcast, Client, ConnectSettings, OnConsumed, Store} from '../transport.js'
 * @import {RedisVariant} from './index.js'
 * @import {Held} from './medium.js'
 * @import {Redis} from 'ioredis'
 */

/** @typedef {ConnectSettings & RedisSettings & RedisVariant & ClientName} Settings */

/** @param {Settings} options @returns {Promise<Client>} */
export async function connect(options) {
  const connections = await openConnections(options);
  return await connectOver(connections, options, {
    toServer: connectToServer,
    toAll: connectToAll,
    toStore: connectToStore,
  });
}

/** @param {RoleConnections} connections @param {Settings} options */
async function connectToServer(connections, options) {
  const {reader, writer, closed, lose, renew} = connections;
  const medium = mediumOf(options);
  const keys = keysOf(options);
  const servers = await findServers(writer, keys);
  if (servers.length === 0) throw noServer(keys.requests);
  const own = servers[(options.client ?? 0) % servers.length];
  const to = medium.stores ? keys.requests : keys.requestsTo(own);
  const replyTo = keys.repliesTo(clientIdOf(options));
  await writer.unlink(replyTo);
  const publisher = new Publisher(connections, medium, options);
  const calls = new BrokeredCalls(
    options.correlation,
    (payload, {number}) => publisher.post(to, requestHeader(number, replyTo), payload),
    {isAcknowledged: true},
  );
  closed.catch((error) => calls.fail(error));
  await medium.receiveOwn({reader, writer, key: replyTo, resumes: false, lose}, (header, payload) =>
    calls.take(Number(header), payload),
  );
  if (medium.stores) renew({keys: () => [replyTo], seconds: expiresSeconds});
  const part = partOf(calls, publisher, (payload) => publisher.post(to, oneWay, payload));
  return {...part, cleanUp: () => writer.unlink(replyTo)};
}

/** @param {RoleConnections} connections @param {Settings} options */
async function connectToAll({reader, writer, lose}, options) {
  const {broadcast: channel} = keysOf(options);
  /** @type {Broadcast} */
  const broadcast = {
    reportsTaken: true,
    publish(payload, onTaken) {
      writer
        .publish(channel, payload)
        .then(onTaken, (error) => lose(`Redis did not publish: ${error.message}.`, error));
    },
    async subscribe(onMessage) {
      reader.on('messageBuffer', (_, /** @type {Buffer} */ payload) => onMessage(payload));
      await reader.subscribe(channel);
    },
  };
  return {broadcast};
}

/** @param {string} key */
function noServer(key) {
  const hint = 'Start npx perf-battle serve redis with the same settings.';
  return new RunError(`No Redis server of perf-battle reads from ${key}. ${hint}`, {code: 'PB_NO_SERVER'});
}

/**
 * Opens a list or a stream for this client alone. A message is stored when the server has answered.
 * @param {RoleConnections} connections @param {Settings} options
 * @returns {Promise<{store: Store, cleanUp: ((writer: Redis) => Promise<unknown>) | undefined}>}
 */
async function connectToStore(connections, options) {
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
