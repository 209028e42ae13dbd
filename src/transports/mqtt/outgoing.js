import {RunError} from '../../errors.js';
import {Changes, WindowedPublisher} from '../windowed-publisher.js';

/**
 * @import {OpenedMqtt} from '../../brokers/mosquitto/connection.js'
 * @import {PutOutcome} from '../transport.js'
 * @import {MqttVariant} from './index.js'
 * @import {IPublishPacket, Packet} from 'mqtt'
 */

/** @typedef {(error: Error | null, packet: Packet | undefined) => void} Acknowledged */

/** The reason code of MQTT 5 for a message without a subscriber. */
const noSubscribers = 16;
/** The lowest reason code that is an error. */
const firstError = 128;
/** The receive maximum if the broker's greeting has none. */
const defaultReceiveMaximum = 65_535;

/**
 * The messages of one connection. The broker's greeting limits the number of unacknowledged messages with QoS 1 or 2. The broker ends a
 * connection that exceeds the limit, and the library does not count them. So further messages wait here.
 */
export class Outgoing {
  /** @param {OpenedMqtt} opened @param {MqttVariant} settings */
  constructor({client, socket, greeting, closed}, {mqttQos: qos}) {
    this.client = client;
    this.socket = socket;
    this.qos = qos;
    this.room = greeting.properties?.receiveMaximum ?? defaultReceiveMaximum;
    /** @type {{topic: string, payload: Buffer, properties: IPublishPacket['properties'], onAcknowledged: Acknowledged}[]} */
    this.waiting = [];
    /** @type {Error | null} */
    this.failure = null;
    this.changes = new Changes();
    socket.on('drain', () => this.changes.announce());
    closed.catch((error) => {
      this.failure ??= error;
      this.changes.announce();
    });
  }

  /**
   * @param {string} topic
   * @param {Buffer} payload
   * @param {IPublishPacket['properties']} properties
   * @param {Acknowledged} onAcknowledged is not called with QoS 0, nor if the connection ends first
   */
  publish(topic, payload, properties, onAcknowledged) {
    const {client, qos} = this;
    if (qos === 0) client.publish(topic, payload, {qos, properties});
    else if (this.room === 0) this.waiting.push({topic, payload, properties, onAcknowledged});
    else this.#send(topic, payload, properties, onAcknowledged);
  }

  /** Whether the socket's buffer has room. */
  get hasRoom() {
    return this.failure !== null || !this.socket.writableNeedDrain;
  }

  /** Resolves when the socket's buffer has room. @throws what ended the connection */
  async drained() {
    while (!this.hasRoom) await this.changes.next();
    if (this.failure) throw this.failure;
  }

  /**
   * Resolves when the broker has read all earlier messages: it acknowledges one more message.
   * @param {string} topic
   */
  async marked(topic) {
    const marking = this.client.publishAsync(topic, '', {qos: 1});
    marking.catch(() => {});
    while (!this.failure) {
      const isDone = await Promise.race([marking.then(() => true), this.changes.next()]);
      if (isDone) return;
    }
    throw this.failure;
  }

  /**
   * @param {string} topic
   * @param {Buffer} payload
   * @param {IPublishPacket['properties']} properties
   * @param {Acknowledged} onAcknowledged
   */
  #send(topic, payload, properties, onAcknowledged) {
    this.room -= 1;
    this.client.publish(topic, payload, {qos: this.qos, properties}, (error, packet) => {
      this.room += 1;
      if (this.failure) return;
      onAcknowledged(error ?? null, packet);
      const next = this.waiting.shift();
      if (next) this.#send(next.topic, next.payload, next.properties, next.onAcknowledged);
    });
  }
}

/**
 * Returns why a broker refused a message, or has no subscriber for it.
 * @param {Error | null} error
 * @param {Packet | undefined} packet the acknowledgement
 * @returns {RunError | null}
 */
export function refusalOf(error, packet) {
  const code = Number(/** @type {any} */ (error)?.code ?? /** @type {any} */ (packet)?.reasonCode ?? 0);
  if (code === noSubscribers)
    return new RunError('Nobody subscribes to the topic of this message any more.', {code: 'PB_RETURNED'});
  if (error === null && code < firstError) return null;
  return new RunError(`The MQTT broker refused a message: ${error?.message ?? `reason ${code}`}.`, {
    code: 'PB_NACK',
    cause: error,
  });
}

/**
 * Publishes one-way messages to a topic. With QoS 1 or 2, a window bounds the unacknowledged messages. With QoS 0, the socket's buffer
 * bounds the messages.
 */
export class TopicPublisher extends WindowedPublisher {
  /**
   * @param {Outgoing} outgoing
   * @param {{topic: string, marks: string, window: number | undefined, closed: Promise<void>}} options
   */
  constructor(outgoing, {topic, marks, window = 1, closed}) {
    const isConfirmed = outgoing.qos > 0;
    super({window: isConfirmed ? window : Number.POSITIVE_INFINITY, closed});
    this.outgoing = outgoing;
    this.topic = topic;
    this.marks = marks;
    this.isConfirmed = isConfirmed;
    this.onAcknowledged = this.#onAcknowledged();
  }

  /**
   * @param {Buffer} payload
   * @param {PutOutcome} [outcome] is called only with QoS 1 or 2
   * @returns {boolean} false: wait for `drained`
   */
  publish(payload, outcome) {
    if (this.isConfirmed) this.unconfirmed += 1;
    const isAsked = this.isConfirmed && outcome !== undefined;
    const onAcknowledged = isAsked ? this.#onAcknowledged(outcome) : this.onAcknowledged;
    this.outgoing.publish(this.topic, payload, undefined, onAcknowledged);
    return this.hasRoom && this.outgoing.hasRoom;
  }

  /** @param {PutOutcome} [outcome] */
  #onAcknowledged(outcome) {
    return (/** @type {Error | null} */ error, /** @type {Packet | undefined} */ packet) =>
      this.settleWith(refusalOf(error, packet), outcome);
  }

  /** @override @throws what ended the connection, or a message that the broker refused */
  async drained() {
    await super.drained();
    await this.outgoing.drained();
  }

  /**
   * Resolves when the broker has all messages. With QoS 0, the broker has read all messages, and confirms none.
   * @override
   * @returns {Promise<{confirmed: number | null}>}
   */
  async flushed() {
    const confirmed = await super.flushed();
    if (this.isConfirmed) return confirmed;
    await this.outgoing.marked(this.marks);
    return {confirmed: null};
  }
}
