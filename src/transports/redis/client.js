import {clientIdOf} from '../../brokers/client-id.js';
import {expiresSeconds, keysOf} from '../../brokers/redis/connection.js';
import {openConnections} from '../../brokers/redis/role-connections.js';
import {RunError} from '../../errors.js';
import {clientOf, connectOver, withoutServer} from '../brokered.js';
import {CorrelatedCalls} from '../numbered-calls.js';
import {findServers, mediumOf, oneWay, requestHeader} from './messages.js';
import {Publisher} from './publisher.js';
import {openStore} from './store.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {RedisSettings, RoleConnections} from '../../brokers/redis/role-connections.js'
 * @import {Client, ConnectSettings, Correlation, Waiting} from '../transport.js'
 * @import {RedisVariant} from './index.js'
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
  const {reader, writer, closed, lose, renew, details, close} = connections;
  const medium = mediumOf(options);
  const keys = keysOf(options);
  const servers = await findServers(writer, keys);
  if (servers.length === 0) throw noServer(keys.requests);
  const own = servers[(options.client ?? 0) % servers.length];
  const to = medium.stores ? keys.requests : keys.requestsTo(own);
  const replyTo = keys.repliesTo(clientIdOf(options));
  await writer.unlink(replyTo);
  const publisher = new Publisher(connections, medium, options);
  const calls = new Calls(publisher, {to, replyTo}, options.correlation);
  closed.catch((error) => calls.fail(error));
  await medium.receiveOwn({reader, writer, key: replyTo, resumes: false, lose}, (header, payload) =>
    calls.take(header, payload),
  );
  if (medium.stores) renew({keys: () => [replyTo], seconds: expiresSeconds});
  const oneWayPublisher = {
    publish: (/** @type {Buffer} */ payload) => publisher.post(to, oneWay, payload),
    drained: () => publisher.drained(),
    flushed: () => publisher.flushed(),
  };
  return clientOf(calls, oneWayPublisher, {
    closed,
    details,
    close: () => close(() => writer.unlink(replyTo)),
  });
}

/** @param {RoleConnections} connections @param {Settings} options @returns {Promise<Client>} */
async function connectToAll({reader, writer, closed, lose, details, close}, options) {
  const {broadcast} = keysOf(options);
  return {
    ...withoutServer,
    broadcast: {
      publish(payload) {
        writer
          .publish(broadcast, payload)
          .catch((error) => lose(`Redis did not publish: ${error.message}.`, error));
      },
      async subscribe(onMessage) {
        reader.on('messageBuffer', (_, /** @type {Buffer} */ payload) => onMessage(payload));
        await reader.subscribe(broadcast);
      },
    },
    ...{closed, details, close},
  };
}

/** @param {RoleConnections} connections @param {Settings} options */
async function connectToStore(connections, options) {
  const {closed, details, close} = connections;
  const {store, cleanUp} = await openStore(connections, options);
  return {...withoutServer, store, closed, details, close: () => close(cleanUp)};
}

/** @param {string} key */
function noServer(key) {
  const hint = 'Start npx perf-battle serve redis with the same settings.';
  return new RunError(`No Redis server of perf-battle reads from ${key}. ${hint}`, {code: 'PB_NO_SERVER'});
}

export class Calls extends CorrelatedCalls {
  /**
   * @param {Publisher} publisher
   * @param {{to: string, replyTo: string}} keys
   * @param {Correlation | null} correlation
   */
  constructor(publisher, {to, replyTo}, correlation) {
    super(correlation);
    this.publisher = publisher;
    this.to = to;
    this.replyTo = replyTo;
  }

  /** @param {Buffer} payload @param {Waiting} waiting */
  ask(payload, waiting) {
    const number = this.add(waiting);
    if (number !== null) this.publisher.post(this.to, requestHeader(number, this.replyTo), payload);
  }
}
