import {clientIdOf} from '../../brokers/client-id.js';
import {expiresSeconds, keysOf} from '../../brokers/redis/connection.js';
import {openConnections} from '../../brokers/redis/role-connections.js';
import {RunError} from '../../errors.js';
import {connectOver, partOf} from '../brokered.js';
import {BrokeredCalls} from '../brokered-calls.js';
import {findServers, mediumOf, oneWay, requestHeader} from './messages.js';
import {Publisher} from './publisher.js';
import {openStore} from './store.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {RedisSettings, RoleConnections} from '../../brokers/redis/role-connections.js'
 * @import {Broadcast, Client, ConnectSettings} from '../transport.js'
 * @import {RedisVariant} from './index.js'
 */

/** @typedef {ConnectSettings & RedisSettings & RedisVariant & ClientName} Settings */

/** @param {Settings} options @returns {Promise<Client>} */
export async function connect(options) {
  const connections = await openConnections(options);
  return await connectOver(connections, options, {
    toServer: connectToServer,
    toAll: connectToAll,
    toStore: openStore,
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
    publish(payload) {
      writer
        .publish(channel, payload)
        .catch((error) => lose(`Redis did not publish: ${error.message}.`, error));
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
