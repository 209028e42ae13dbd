import {RunError} from '../../errors.js';
import {BufferedPublisher, SocketMessages} from '../windowed-publisher.js';

/**
 * @import {OpenedMqtt} from '../../brokers/mosquitto/connection.js'
 * @import {OnOutcome} from '../windowed-publisher.js'
 * @import {MqttVariant} from './index.js'
 * @import {IPublishPacket, Packet} from 'mqtt'
 */

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
export class Outgoing extends SocketMessages {
  /** @param {OpenedMqtt} opened @param {MqttVariant} settings */
  constructor({client, socket, greeting, closed}, {mqttQos: qos}) {
    super({socket, closed});
    this.client = client;
    this.qos = qos;
    this.room = greeting.properties?.receiveMaximum ?? defaultReceiveMaximum;
    /** @type {{topic: string, payload: Buffer, properties: IPublishPacket['properties'], onOutcome: OnOutcome}[]} */
    this.waiting = [];
  }

  /**
   * @param {string} topic @param {Buffer} payload @param {IPublishPacket['properties']} properties
   * @param {OnOutcome} onOutcome is not called with QoS 0
   */
  publish(topic, payload, properties, onOutcome) {
    const {client, qos} = this;
    if (qos === 0) client.publish(topic, payload, {qos, properties});
    else if (this.room === 0) this.waiting.push({topic, payload, properties, onOutcome});
    else this.#send(topic, payload, properties, onOutcome);
  }

  /** Resolves when the broker has read all earlier messages: it acknowledges one more message. @param {string} topic */
  async marked(topic) {
    const marking = this.client.publishAsync(topic, '', {qos: 1});
    marking.catch(() => {});
    while (!this.failure) {
      const isDone = await Promise.race([marking.then(() => true), this.changes.next()]);
      if (isDone) return;
    }
    throw this.failure;
  }

  /** @param {string} topic @param {Buffer} payload @param {IPublishPacket['properties']} properties @param {OnOutcome} onOutcome */
  #send(topic, payload, properties, onOutcome) {
    this.room -= 1;
    this.client.publish(topic, payload, {qos: this.qos, properties}, (error, packet) => {
      this.room += 1;
      if (this.failure) return;
      onOutcome(refusalOf(error ?? null, packet));
      const next = this.waiting.shift();
      if (next) this.#send(next.topic, next.payload, next.properties, next.onOutcome);
    });
  }
}

/**
 * Returns why a broker refused a message, or has no subscriber for it.
 * @param {Error | null} error
 * @param {Packet | undefined} packet the acknowledgement
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
export class TopicPublisher extends BufferedPublisher {
  /** @param {Outgoing} outgoing @param {{topic: string, marks: string, window: number | undefined, closed: Promise<void>}} options */
  constructor(outgoing, {topic, marks, window, closed}) {
    super(outgoing, {window, isConfirmed: outgoing.qos > 0, closed});
    this.outgoing = outgoing;
    this.topic = topic;
    this.marks = marks;
  }

  /** @param {Buffer} payload @param {OnOutcome} onOutcome */
  post(payload, onOutcome) {
    this.outgoing.publish(this.topic, payload, undefined, onOutcome);
  }

  async marked() {
    await this.outgoing.marked(this.marks);
  }
}
