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

/** What a client that was killed has left goes by itself. */
const expirySeconds = 3600;

/**
 * The queue of a subscriber who is away: the broker keeps its session, and the messages for it. It is put into over the connection of the client, and
 * taken from over another one, which is there only meanwhile.
 * @param {OpenedMqtt} opened
 * @param {MqttRoleSettings & Pick<ConnectSettings, 'window' | 'findsQueue' | 'keepsStore'>} options
 * @param {string} clientId
 * @returns {Promise<{store: Store, cleanUp: () => Promise<void>}>}
 */
export async function openStore(opened, options, clientId) {
  const {findsQueue = false, keepsStore = false, window} = options;
  const topics = topicsOn(options);
  const topic = topics.store(clientId);
  const name = topics.clientName('taker', clientId);
  // With QoS 2, Mosquitto 2.0.11 sent 101 messages where 100 were allowed, and the library ends such a connection.
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

/** The subscriber, who is there only while messages are taken. */
class Subscriber {
  /** While it is there. @type {OpenedMqtt | null} */
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
   * Messages come until the consumer ends, or a connection. The library acknowledges a message when it has handed it over.
   * @param {OnConsumed} onMessage @param {(error: Error) => void} onLost
   * @returns {Promise<Consumption>}
   */
  async consume(onMessage, onLost) {
    await this.#come((payload) => onMessage(payload, null), onLost);
    return {end: () => this.#go()};
  }

  /**
   * @param {string} topic
   * @param {{qos: 0 | 1 | 2, isClean: boolean}} how isClean: what an earlier session has left is deleted
   */
  async subscribe(topic, {qos, isClean}) {
    const opened = await this.open({isClean, expirySeconds, takesNothing: true});
    // A session that is there has its subscription, and its messages come at once: they are for those who take.
    if (opened.greeting.sessionPresent) return opened.abandon();
    await subscribe(opened, topic, qos);
    await opened.close();
  }

  /** @param {{keepsSession: boolean}} how */
  async end({keepsSession}) {
    await this.#opened?.close();
    this.#opened = null;
    if (keepsSession || this.taker.hasFailed) return;
    // A clean start deletes what the broker keeps.
    const {close} = await this.open({isClean: true});
    await close();
  }

  /** @param {(payload: Buffer) => void} onMessage @param {(error: Error) => void} onLost */
  async #come(onMessage, onLost) {
    const opened = await this.open({isClean: false, expirySeconds, onMessage});
    this.#opened = opened;
    opened.closed.catch(onLost);
  }

  /** The acknowledgement of the last message is sent in this turn; the connection ends after it. */
  async #go() {
    const opened = this.#opened;
    this.#opened = null;
    await new Promise(setImmediate);
    await opened?.close();
  }
}
