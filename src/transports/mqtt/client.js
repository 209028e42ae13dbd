import {randomUUID} from 'node:crypto';
import {clientIdOf} from '../../brokers/client-id.js';
import {subscribe} from '../../brokers/mosquitto/connection.js';
import {RunError} from '../../errors.js';
import {bounded} from '../../net/bounded.js';
import {AcknowledgedCall, promised, withoutServer} from '../pending-replies.js';
import {openOfRole, topicsOn} from './broker.js';
import {Outgoing, refusalOf} from './outgoing.js';
import {TopicPublisher} from './publisher.js';
import {openStore} from './store.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {OpenedMqtt} from '../../brokers/mosquitto/connection.js'
 * @import {IPublishPacket, MqttClient} from 'mqtt'
 * @import {Client, ConnectSettings, Correlation, Waiting} from '../transport.js'
 * @import {MqttRoleSettings} from './broker.js'
 */

/** @typedef {ConnectSettings & MqttRoleSettings & ClientName} Settings */

const presenceTimeoutMs = 5000;

/**
 * @param {Settings} options
 * @returns {Promise<Client>}
 */
export async function connect(options) {
  const clientId = clientIdOf(options);
  // A name is that of one connection. Subscribers of one client have several, and so have those who fill and empty one queue.
  const isOne = options.hasServer && !options.broadcasts;
  const session = {clientId: topicsOn(options).clientName('client', isOne ? clientId : randomUUID())};
  const opened = await openOfRole(options, session);
  try {
    const connecting = options.broadcasts
      ? connectToAll(opened, options)
      : options.hasServer
        ? connectToServer(opened, options, clientId)
        : connectToStore(opened, options, clientId);
    return await Promise.race([connecting, opened.closed.then(() => connecting)]);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** @param {OpenedMqtt} opened @param {Settings} options @param {string} clientId @returns {Promise<Client>} */
async function connectToServer(opened, options, clientId) {
  const {client, closed, details, close} = opened;
  const topics = topicsOn(options);
  const replies = topics.replies(clientId);
  const outgoing = new Outgoing(opened, options);
  const calls = new Calls(outgoing, {topic: topics.requests, replies, correlation: options.correlation});
  closed.catch((error) => calls.fail(error));
  calls.listen(client);
  await subscribe(opened, replies, options.mqttQos);
  await refuseWithoutServer(calls, topics.presence);
  const publisher = new TopicPublisher(outgoing, {
    ...{topic: topics.requests, marks: topics.marks, window: options.window, closed},
  });
  const ask = (/** @type {Buffer} */ payload, /** @type {Waiting} */ waiting) => calls.ask(payload, waiting);
  return {
    ask,
    request: promised(ask),
    send: (payload) => publisher.publish(payload),
    drained: () => publisher.drained(),
    flushed: () => publisher.flushed(),
    closed,
    details,
    close,
  };
}

/** @param {OpenedMqtt} opened @param {Settings} options @returns {Promise<Client>} */
async function connectToAll(opened, options) {
  const {client, closed, details, close} = opened;
  const {broadcast} = topicsOn(options);
  const outgoing = new Outgoing(opened, options);
  /** @type {(error: Error) => void} */
  let refuse = () => {};
  /** @type {Promise<void>} */
  const refused = new Promise((_, reject) => {
    refuse = reject;
  });
  const lost = Promise.race([closed, refused]);
  lost.catch(() => {});
  return {
    ...withoutServer,
    broadcast: {
      publish: (payload) =>
        outgoing.publish(broadcast, payload, undefined, (error, packet) => {
          const refusal = refusalOf(error, packet);
          if (refusal) refuse(refusal);
        }),
      async subscribe(onMessage) {
        client.on('message', (_, payload) => onMessage(payload));
        await subscribe(opened, broadcast, options.mqttQos);
      },
    },
    closed: lost,
    ...{details, close},
  };
}

/** @param {OpenedMqtt} opened @param {Settings} options @param {string} clientId @returns {Promise<Client>} */
async function connectToStore(opened, options, clientId) {
  const {closed, details, close} = opened;
  const {store, cleanUp} = await openStore(opened, options, clientId);
  return {
    ...withoutServer,
    store,
    closed,
    details,
    close: async () => {
      await cleanUp();
      await close();
    },
  };
}

/**
 * Without a server, one-way messages would be lost without an error.
 * @param {Calls} calls
 * @param {string} presence
 */
async function refuseWithoutServer(calls, presence) {
  const answer = promised((payload, waiting) => calls.ask(payload, waiting, presence))(Buffer.alloc(0));
  try {
    await bounded(answer, presenceTimeoutMs);
  } catch (cause) {
    const hint = 'Start npx perf-battle serve mqtt with the same settings.';
    throw new RunError(`No MQTT server of perf-battle answers at ${presence}. ${hint}`, {
      code: 'PB_NO_SERVER',
      cause,
    });
  }
}

/** The outstanding requests of one client, matched by correlation data. All replies arrive at its response topic. */
export class Calls {
  /**
   * @param {Pick<Outgoing, 'publish' | 'qos'>} outgoing
   * @param {{topic: string, replies: string, correlation: Correlation | null}} options topic: of the requests
   */
  constructor(outgoing, {topic, replies, correlation}) {
    this.outgoing = outgoing;
    this.topic = topic;
    this.replies = replies;
    this.onStray = correlation?.onStray ?? (() => {});
    this.isAcknowledged = outgoing.qos === 0;
    this.sent = 0;
    /** @type {Map<number, AcknowledgedCall>} */
    this.calls = new Map();
    /** @type {Error | null} */
    this.failure = null;
  }

  /** @param {Pick<MqttClient, 'on'>} client */
  listen(client) {
    client.on('message', (_, payload, packet) => this.#take(payload, packet));
  }

  /**
   * @param {Buffer} payload
   * @param {Waiting} waiting
   * @param {string} [topic]
   */
  ask(payload, waiting, topic = this.topic) {
    if (this.failure) return waiting.reject(this.failure);
    this.sent += 1;
    const number = this.sent;
    const call = new AcknowledgedCall(waiting, this.isAcknowledged);
    this.calls.set(number, call);
    const correlationData = Buffer.allocUnsafe(correlationBytes);
    correlationData.writeUIntBE(number, 0, correlationBytes);
    const properties = {responseTopic: this.replies, correlationData};
    this.outgoing.publish(topic, payload, properties, (error, packet) => {
      const refusal = refusalOf(error, packet);
      if (refusal === null) return call.acknowledged();
      this.calls.delete(number);
      waiting.reject(refusal);
    });
  }

  /** @param {Error} error */
  fail(error) {
    this.failure ??= error;
    for (const {waiting} of this.calls.values()) waiting.reject(error);
    this.calls.clear();
  }

  /** @param {Buffer} payload @param {IPublishPacket} packet */
  #take(payload, {properties}) {
    const data = properties?.correlationData;
    const number = data?.length === correlationBytes ? data.readUIntBE(0, correlationBytes) : 0;
    const call = this.calls.get(number);
    if (!call) return this.onStray();
    if (call.waiting.onChunk && payload.length > 0) return call.waiting.onChunk(payload);
    this.calls.delete(number);
    call.replied(payload);
  }
}

/** Of the number of a request. */
const correlationBytes = 6;
