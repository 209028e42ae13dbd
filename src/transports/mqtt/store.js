import {openMqttOfRole, subscribe} from '../../brokers/mosquitto/connection.js';
import {topicsOf} from '../../brokers/mosquitto/topics.js';
import {Outgoing} from './outgoing.js';
import {TopicPublisher} from './publisher.js';

/**
 * @import {MqttSettings, OpenedMqtt, Session} from '../../brokers/mosquitto/connection.js'
 * @import {ConnectSettings, Store} from '../transport.js'
 * @import {MqttVariant} from './index.js'
 */

/** What a client that was killed has left goes by itself. */
const expirySeconds = 3600;

/**
 * The queue of a subscriber who is away: the broker keeps its session, and the messages for it. It is put into over the connection of the client, and
 * taken from over another one, which is there only meanwhile.
 * @param {OpenedMqtt} opened
 * @param {MqttSettings & MqttVariant & Pick<ConnectSettings, 'window' | 'findsQueue' | 'keepsStore'>} options
 * @param {string} clientId
 * @returns {Promise<{store: Store, cleanUp: () => Promise<void>}>}
 */
export async function openStore(opened, options, clientId) {
  const {findsQueue = false, keepsStore = false, window} = options;
  const topics = topicsOf(options);
  const topic = topics.store(clientId);
  const name = topics.clientName('taker', clientId);
  // With QoS 2, Mosquitto 2.0.11 sent 101 messages where 100 were allowed, and the library ends such a connection.
  const boundsDelivery = options.mqttQos < 2;
  const taker = new Taker((session) => openMqttOfRole(options, {...session, clientId: name, boundsDelivery}));
  await taker.subscribe(topic, {qos: options.mqttQos, isClean: !findsQueue});
  const {closed} = opened;
  closed.catch((error) => taker.fail(error));
  const outgoing = new Outgoing(opened, options);
  const publisher = new TopicPublisher(outgoing, {topic, marks: topics.marks, window, closed});
  return {
    store: {
      put: (payload, outcome) =>
        outcome ? publisher.publishFor(payload, outcome) : publisher.publish(payload),
      drained: () => publisher.drained(),
      flushed: () => publisher.flushed(),
      awaitsConfirms: publisher.isConfirmed,
      take: (count, onMessage, how) => taker.take(count, onMessage, how),
    },
    cleanUp: () => taker.end({keepsSession: keepsStore}),
  };
}

/** Takes a given number of messages, then goes away until the next request. */
class Taker {
  /** @param {(session: Omit<Session, 'clientId'>) => Promise<OpenedMqtt>} open */
  constructor(open) {
    this.open = open;
    /** While it is there. @type {OpenedMqtt | null} */
    this.opened = null;
    this.remaining = 0;
    this.stays = false;
    /** What came before anybody asked for it. @type {Buffer[]} */
    this.early = [];
    /** @type {Error | null} */
    this.failure = null;
    /** @type {(payload: Buffer) => void} */
    this.onMessage = () => {};
    /** @type {() => void} */
    this.resolve = () => {};
    /** @type {(error: Error) => void} */
    this.reject = () => {};
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

  /**
   * @param {number} count
   * @param {(payload: Buffer) => void} onMessage
   * @param {{stay?: boolean}} [how] stay: remain there for the next call
   * @returns {Promise<void>}
   */
  take(count, onMessage, {stay = false} = {}) {
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      this.remaining = count;
      this.onMessage = onMessage;
      this.resolve = resolve;
      this.reject = reject;
      this.stays = stay;
      if (this.opened === null) this.#come().catch(reject);
      for (const payload of this.early.splice(0, count)) this.#hand(payload);
    });
  }

  /** @param {Error} error */
  fail(error) {
    this.failure ??= error;
    this.reject(error);
  }

  /** @param {{keepsSession: boolean}} how */
  async end({keepsSession}) {
    await this.opened?.close();
    this.opened = null;
    if (keepsSession || this.failure) return;
    // A clean start deletes what the broker keeps.
    const {close} = await this.open({isClean: true});
    await close();
  }

  async #come() {
    const onMessage = (/** @type {Buffer} */ payload) => this.#offer(payload);
    const opened = await this.open({isClean: false, expirySeconds, onMessage});
    this.opened = opened;
    opened.closed.catch((error) => this.fail(error));
    if (this.remaining === 0) this.#finish();
  }

  /** @param {Buffer} payload */
  #offer(payload) {
    if (this.remaining > 0) this.#hand(payload);
    else this.early.push(payload);
  }

  /** @param {Buffer} payload */
  #hand(payload) {
    this.remaining -= 1;
    this.onMessage(payload);
    if (this.remaining === 0) this.#finish();
  }

  #finish() {
    const {opened} = this;
    // All may have come together with the greeting.
    if (opened === null) return;
    if (this.stays) return this.resolve();
    this.opened = null;
    // The acknowledgement of the last message is sent in this turn; the connection ends after it.
    setImmediate(() => opened.close().then(() => this.resolve(), this.reject));
  }
}
