import {randomUUID} from 'node:crypto';
import {clientIdOf} from '../../brokers/client-id.js';
import {subscribe} from '../../brokers/mosquitto/connection.js';
import {RunError} from '../../errors.js';
import {bounded} from '../../net/bounded.js';
import {Life} from '../../net/life.js';
import {connectOver, partOf, storeOf} from '../brokered.js';
import {BrokeredCalls} from '../brokered-calls.js';
import {promised} from '../pending-replies.js';
import {Taker} from '../taker.js';
import {openOfRole, topicsOn} from './broker.js';
import {Outgoing, TopicPublisher} from './outgoing.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {OpenedMqtt, Session} from '../../brokers/mosquitto/connection.js'
 * @import {Broadcast, Client, ConnectSettings, Consumption, Correlation, OnConsumed} from '../transport.js'
 * @import {MqttRoleSettings} from './broker.js'
 * @import {IPublishPacket, MqttClient} from 'mqtt'
 */

/**
 * @typedef {ConnectSettings & MqttRoleSettings & ClientName} Settings
 *
 * @typedef {Settings & {clientId: string}} NamedSettings
 */

const presenceTimeoutMs = 5000;

/** @param {Settings} options @returns {Promise<Client>} */
export async function connect(options) {
  const clientId = clientIdOf(options);
  // A client name must be unique among connections. Several subscribers share a client id, and so do the clients that fill
  // and empty a queue.
  const isOne = options.hasServer && !options.broadcasts;
  const session = {clientId: topicsOn(options).clientName('client', isOne ? clientId : randomUUID())};
  const opened = await openOfRole(options, session);
  /** @type {NamedSettings} */
  const named = {...options, clientId};
  return await connectOver(opened, named, {
    toServer: connectToServer,
    toAll: connectToAll,
    toStore: connectToStore,
  });
}

/** @param {OpenedMqtt} opened @param {NamedSettings} options */
async function connectToServer(opened, options) {
  const {client, closed} = opened;
  const topics = topicsOn(options);
  const replies = topics.replies(options.clientId);
  const outgoing = new Outgoing(opened, options);
  const calls = new Calls(outgoing, {topic: topics.presence, replies, correlation: options.correlation});
  closed.catch((error) => calls.fail(error));
  calls.listen(client);
  await subscribe(opened, replies, options.mqttQos);
  await refuseWithoutServer(calls, topics.presence);
  calls.topic = topics.requests;
  const publisher = new TopicPublisher(outgoing, {
    ...{topic: topics.requests, marks: topics.marks, window: options.window, closed},
  });
  return partOf(calls, publisher, (payload) => publisher.publish(payload));
}

/** @param {OpenedMqtt} opened @param {Settings} options */
async function connectToAll(opened, options) {
  const {client, closed} = opened;
  const {broadcast: topic} = topicsOn(options);
  const outgoing = new Outgoing(opened, options);
  const refusals = new Life();
  const lost = Promise.race([closed, refusals.lost]);
  lost.catch(() => {});
  /** @type {Broadcast} */
  const broadcast = {
    reportsTaken: true,
    publish: (payload, onTaken) =>
      outgoing.publish(topic, payload, undefined, (refusal) => {
        if (refusal) refusals.fail(refusal);
        else onTaken?.();
      }),
    async subscribe(onMessage) {
      client.on('message', (_, payload) => onMessage(payload));
      await subscribe(opened, topic, options.mqttQos);
    },
  };
  return {broadcast, closed: lost};
}

/** Without a server, one-way messages would be lost without an error. @param {Calls} calls @param {string} presence */
async function refuseWithoutServer(calls, presence) {
  const answer = promised((payload, waiting) => calls.ask(payload, waiting))(Buffer.alloc(0));
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

/** The outstanding requests of a client, matched by correlation data. All replies arrive at one response topic. */
export class Calls extends BrokeredCalls {
  /**
   * @param {Pick<Outgoing, 'publish' | 'qos'>} outgoing
   * @param {{topic: string, replies: string, correlation: Correlation | null}} options topic: of the requests
   */
  constructor(outgoing, {topic, replies, correlation}) {
    super(
      correlation,
      (payload, call) => {
        const correlationData = Buffer.allocUnsafe(correlationBytes);
        correlationData.writeUIntBE(call.number, 0, correlationBytes);
        const properties = {responseTopic: replies, correlationData};
        outgoing.publish(this.topic, payload, properties, (refusal) => call.settle(refusal));
      },
      {isAcknowledged: outgoing.qos === 0},
    );
    this.topic = topic;
  }

  /** @param {Pick<MqttClient, 'on'>} client */
  listen(client) {
    client.on('message', (_, payload, packet) => this.take(numberOf(packet), payload));
  }
}

/** The length of a request's number in the correlation data. */
const correlationBytes = 6;

/** @param {IPublishPacket} packet @returns {number} the number of the request; 0: the packet has no number */
function numberOf({properties}) {
  const data = properties?.correlationData;
  return data?.length === correlationBytes ? data.readUIntBE(0, correlationBytes) : 0;
}

/** A session expires after this time, in case its client is killed. */
const expirySeconds = 3600;

/**
 * Opens the queue of a disconnected subscriber: the broker keeps its session and its messages. Messages are put over the client's
 * connection, and taken over a second connection, which is open only while messages are taken.
 * @param {OpenedMqtt} opened @param {NamedSettings} options
 */
async function connectToStore(opened, options) {
  const {clientId, findsQueue = false, keepsStore = false, window} = options;
  const topics = topicsOn(options);
  const topic = topics.store(clientId);
  const name = topics.clientName('taker', clientId);
  const subscriber = new Subscriber((session) => openOfRole(options, {...session, clientId: name}));
  const {taker} = subscriber;
  await subscriber.subscribe(topic, {qos: options.mqttQos, isClean: !findsQueue});
  const {closed} = opened;
  closed.catch((error) => taker.fail(error));
  const outgoing = new Outgoing(opened, options);
  const publisher = new TopicPublisher(outgoing, {topic, marks: topics.marks, window, closed});
  return {
    store: storeOf(publisher, taker, {
      awaitsConfirms: publisher.isConfirmed,
      consume: (onMessage) => subscriber.consume(onMessage, (error) => opened.socket.destroy(error)),
    }),
    cleanUp: () => subscriber.end({keepsSession: keepsStore}),
  };
}

/** The subscriber, which is connected only while messages are taken. */
class Subscriber {
  /** Present while the subscriber is connected. @type {OpenedMqtt | null} */
  #opened = null;

  /** @param {(session: Omit<Session, 'clientId' | 'boundsDelivery'>) => Promise<OpenedMqtt>} open */
  constructor(open) {
    this.open = open;
    this.taker = new Taker({
      begin: () =>
        this.#come(
          (payload) => this.taker.offer(payload),
          (error) => this.taker.fail(error),
        ),
      end: () => this.#go(),
    });
  }

  /**
   * Delivers messages until the consumer or a connection ends. The library acknowledges a message when it has handed it over.
   * @param {OnConsumed} onMessage @param {(error: Error) => void} onLost
   * @returns {Promise<Consumption>}
   */
  async consume(onMessage, onLost) {
    await this.#come((payload) => onMessage(payload, null), onLost);
    return {end: () => this.#go()};
  }

  /** @param {string} topic @param {{qos: 0 | 1 | 2, isClean: boolean}} how isClean: deletes the queue of an earlier session */
  async subscribe(topic, {qos, isClean}) {
    const opened = await this.open({isClean, expirySeconds, takesNothing: true});
    // An existing session has its subscription. Its messages arrive at once, but must stay in the queue.
    if (opened.greeting.sessionPresent) return opened.abandon();
    await subscribe(opened, topic, qos);
    await opened.close();
  }

  /** @param {{keepsSession: boolean}} how */
  async end({keepsSession}) {
    await this.#opened?.close();
    this.#opened = null;
    if (keepsSession || this.taker.hasFailed) return;
    // A clean start deletes the session and its messages.
    const {close} = await this.open({isClean: true});
    await close();
  }

  /** @param {(payload: Buffer) => void} onMessage @param {(error: Error) => void} onLost */
  async #come(onMessage, onLost) {
    const opened = await this.open({isClean: false, expirySeconds, onMessage});
    this.#opened = opened;
    opened.closed.catch(onLost);
  }

  /** Disconnects after this turn of the event loop, in which the last message is acknowledged. */
  async #go() {
    const opened = this.#opened;
    this.#opened = null;
    await new Promise(setImmediate);
    await opened?.close();
  }
}
