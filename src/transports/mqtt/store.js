import {subscribe} from '../../brokers/mosquitto/connection.js';
import {storeOf} from '../brokered.js';
import {Taker} from '../taker.js';
import {openOfRole, topicsOn} from './broker.js';
import {Outgoing, TopicPublisher} from './outgoing.js';

/**
 * @import {OpenedMqtt, Session} from '../../brokers/mosquitto/connection.js'
 * @import {ConnectSettings, Consumption, OnConsumed, Store} from '../transport.js'
 * @import {MqttRoleSettings} from './broker.js'
 */

/** A session expires after this time, in case its client is killed. */
const expirySeconds = 3600;

/**
 * Opens the queue of a disconnected subscriber: the broker keeps its session and its messages. Messages are put over the client's
 * connection, and taken over a second connection, which is open only while messages are taken.
 * @param {OpenedMqtt} opened
 * @param {MqttRoleSettings & {clientId: string} & Pick<ConnectSettings, 'window' | 'findsQueue' | 'keepsStore'>} options
 * @returns {Promise<{store: Store, cleanUp: () => Promise<void>}>}
 */
export async function openStore(opened, options) {
  const {clientId, findsQueue = false, keepsStore = false, window} = options;
  const topics = topicsOn(options);
  const topic = topics.store(clientId);
  const name = topics.clientName('taker', clientId);
  // With QoS 2, Mosquitto 2.0.11 exceeds a bound of 100 messages by one, and the library then ends the connection.
  const boundsDelivery = options.mqttQos < 2;
  const subscriber = new Subscriber((session) =>
    openOfRole(options, {...session, clientId: name, boundsDelivery}),
  );
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

  /** @param {(session: Omit<Session, 'clientId'>) => Promise<OpenedMqtt>} open */
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
