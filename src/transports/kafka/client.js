import {clientIdOf} from '../../brokers/client-id.js';
import {openKafka, topicsOf} from '../../brokers/kafka/connection.js';
import {RunError} from '../../errors.js';
import {clientOf, connectOver, withoutServer} from '../brokered.js';
import {AcknowledgedCalls} from '../numbered-calls.js';
import {endOfParts} from '../serialized-requests.js';
import {Reader} from './reader.js';
import {PartitionPublisher, Sender} from './sender.js';
import {openStore} from './store.js';
import {
  countMembers,
  declareTopic,
  deleteTopics,
  findTopic,
  latest,
  maxPayloadBytes,
  offsetsOf,
  purgeRead,
  readReply,
  refusalOf,
  refuseTooLarge,
  requestHeaders,
} from './topic.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {KafkaSettings, OpenedKafka} from '../../brokers/kafka/connection.js'
 * @import {Client, ConnectSettings, Correlation, Waiting} from '../transport.js'
 * @import {KafkaVariant} from './index.js'
 * @import {KafkaRecord} from '@platformatic/kafka'
 */

/** @typedef {ConnectSettings & KafkaSettings & KafkaVariant & ClientName} Settings */

/** @param {Settings} options @returns {Promise<Client>} */
export async function connect(options) {
  const opened = await openKafka(options);
  const client = await connectOver(opened, options, {
    toServer: connectToServer,
    toAll: connectToAll,
    toStore: connectToStore,
  });
  opened.ready();
  return client;
}

/** @param {OpenedKafka} opened @param {Settings} options */
async function connectToServer(opened, options) {
  const {admin, closed, lose, beforeEnd, close} = opened;
  const {client = 0, kafkaAcks, window, correlation} = options;
  const names = topicsOf(options);
  const requests = await findTopic(admin, names.requests);
  if (requests === null || (await countMembers(admin, names.servers)) === 0) throw noServer(names.requests);
  const to = {topic: names.requests, partition: client % requests.leaders.length};
  const replyTo = names.repliesTo(clientIdOf(options));
  const replies = await declareTopic(admin, {name: replyTo}, options);
  beforeEnd(() => deleteTopics(admin, [replyTo]));
  const sender = new Sender(opened.producer(), options);
  const isConfirmed = kafkaAcks !== '0';
  const publisher = new PartitionPublisher(sender, to, {window, isConfirmed, closed});
  const calls = new Calls(sender, to, {replyTo, isConfirmed, correlation});
  closed.catch((error) => calls.fail(error));
  const reader = new Reader(opened.consumer({groupId: replyTo}), replies, {
    // The topic may have replies to an earlier connection of this client.
    from: (await offsetsOf(admin, replyTo, {timestamp: latest}))[0],
    onRecord: (record) => calls.takeRecord(record),
    onError: (error) => lose(`The topic ${replyTo} delivers no more: ${error.message}.`, error),
  });
  reader.begin();
  purgeRead(opened, replyTo, () => [[0, reader.offset]]);
  return clientOf(calls, publisher, {closed, details: {...opened.details, maxPayloadBytes}, close});
}

/**
 * Connects a publisher or a subscriber. Each subscriber reads the only partition of a topic without a consumer group, starting with the
 * next message.
 * @param {OpenedKafka} opened @param {Settings} options @returns {Promise<Client>}
 */
async function connectToAll(opened, options) {
  const {admin, closed, lose, beforeEnd, close} = opened;
  const {broadcast: name} = topicsOf(options);
  const topic = await declareTopic(admin, {name}, options);
  let isSubscriber = false;
  beforeEnd(async () => {
    // The publisher may continue with messages of another size, so a subscriber does not delete the topic.
    if (!isSubscriber) await deleteTopics(admin, [name]);
  });
  const next = async () => (await offsetsOf(admin, name, {timestamp: latest}))[0];
  /** @type {Sender | null} */
  let sender = null;
  /** @type {bigint} */
  let published = await next();
  return {
    ...withoutServer,
    broadcast: {
      publish(payload) {
        refuseTooLarge(payload);
        if (sender === null) {
          sender = new Sender(opened.producer(), options);
          // A message is published when all subscribers have the previous message, so earlier messages can be deleted.
          purgeRead(opened, name, () => [[0, published - 1n]]);
        }
        published += 1n;
        const message = {topic: name, partition: 0, value: Buffer.from(payload), headers: new Map()};
        sender.post(message, (error) => {
          if (error) lose(`The Kafka broker did not take a message to all: ${error.message}.`, error);
        });
      },
      async subscribe(onMessage) {
        isSubscriber = true;
        const reader = new Reader(opened.consumer({groupId: name}), topic, {
          from: await next(),
          onRecord: ({value}) => onMessage(value ?? nothing),
          onError: (error) => lose(`The topic ${name} delivers no more: ${error.message}.`, error),
        });
        reader.begin();
      },
    },
    closed,
    details: {...opened.details, maxPayloadBytes},
    close,
  };
}

/** Kafka delivers an empty value as null. */
const nothing = Buffer.alloc(0);

/** @param {OpenedKafka} opened @param {Settings} options */
async function connectToStore(opened, options) {
  const {closed, details, close} = opened;
  const store = await openStore(opened, options);
  return {...withoutServer, store, closed, details: {...details, maxPayloadBytes}, close};
}

/** @param {string} topic */
function noServer(topic) {
  const hint = 'Start npx perf-battle serve kafka with the same settings.';
  return new RunError(`No server of perf-battle reads the Kafka topic ${topic}. ${hint}`, {
    code: 'PB_NO_SERVER',
  });
}

export class Calls extends AcknowledgedCalls {
  /**
   * @param {Pick<Sender, 'post'>} sender
   * @param {{topic: string, partition: number}} to
   * @param {{replyTo: string, isConfirmed: boolean, correlation: Correlation | null}} options
   */
  constructor(sender, to, {replyTo, isConfirmed, correlation}) {
    super({correlation, isAcknowledged: !isConfirmed});
    this.sender = sender;
    this.to = to;
    this.replyTo = Buffer.from(replyTo, 'latin1');
    this.isConfirmed = isConfirmed;
  }

  /** @param {Buffer} payload @param {Waiting} waiting */
  ask(payload, waiting) {
    if (this.failure) return waiting.reject(this.failure);
    try {
      refuseTooLarge(payload);
    } catch (error) {
      return waiting.reject(/** @type {Error} */ (error));
    }
    const call = this.add(waiting);
    const number = this.sent;
    const headers = requestHeaders(String(number), this.replyTo);
    const message = {...this.to, value: Buffer.from(payload), headers};
    this.sender.post(message, (error) => {
      if (error) this.#refused(number, error);
      else if (this.isConfirmed) call.acknowledged();
    });
  }

  /** @param {Pick<KafkaRecord, 'headers' | 'value'>} record a part or the whole of a reply */
  takeRecord({headers, value}) {
    this.take(Number(readReply(headers)), value ?? endOfParts);
  }

  /** @param {number} number @param {Error} error */
  #refused(number, error) {
    this.refuse(
      number,
      refusalOf(error) ??
        new RunError(`The Kafka broker acknowledged no request: ${error.message}.`, {
          code: 'PB_CONNECTION_LOST',
          cause: error,
        }),
    );
  }
}
