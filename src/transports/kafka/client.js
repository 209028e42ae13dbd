import {clientIdOf} from '../../brokers/client-id.js';
import {openKafka, topicsOf} from '../../brokers/kafka/connection.js';
import {RunError} from '../../errors.js';
import {connectOver, partOf} from '../brokered.js';
import {BrokeredCalls, unacknowledged} from '../brokered-calls.js';
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
 * @import {Broadcast, Client, ConnectSettings, Correlation} from '../transport.js'
 * @import {KafkaVariant} from './index.js'
 * @import {KafkaRecord} from '@platformatic/kafka'
 */

/** @typedef {ConnectSettings & KafkaSettings & KafkaVariant & ClientName} Settings */

/** @param {Settings} options @returns {Promise<Client>} */
export async function connect(options) {
  const opened = await openKafka(options);
  const limited = {...opened, details: {...opened.details, maxPayloadBytes}};
  const client = await connectOver(limited, options, {
    toServer: connectToServer,
    toAll: connectToAll,
    toStore: openStore,
  });
  opened.ready();
  return client;
}

/** @param {OpenedKafka} opened @param {Settings} options */
async function connectToServer(opened, options) {
  const {admin, closed, lose, beforeEnd} = opened;
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
  return partOf(calls, publisher, (payload) => publisher.publish(payload));
}

/**
 * Connects a publisher or a subscriber. Each subscriber reads the only partition of a topic without a consumer group, starting with the
 * next message, or where it was before.
 * @param {OpenedKafka} opened @param {Settings} options
 */
async function connectToAll(opened, options) {
  const {admin, lose, beforeEnd} = opened;
  const {broadcast: name} = topicsOf(options);
  const {keepsStore = false} = options;
  const topic = await declareTopic(admin, {name}, options);
  /** @type {Reader | null} */
  let reader = null;
  beforeEnd(async () => {
    // The publisher may continue with messages of another size, so a subscriber does not delete the topic.
    if (reader === null && !keepsStore) await deleteTopics(admin, [name]);
  });
  const next = async () => (await offsetsOf(admin, name, {timestamp: latest}))[0];
  /** @type {Sender | null} */
  let sender = null;
  /** @type {bigint} */
  let published = await next();
  /** @type {Broadcast} */
  const broadcast = {
    reportsTaken: true,
    publish(payload, onTaken) {
      refuseTooLarge(payload);
      if (sender === null) {
        sender = new Sender(opened.producer(), options);
        // In a measurement, a message is published when all subscribers have the previous message, so earlier messages can be deleted.
        if (!keepsStore) purgeRead(opened, name, () => [[0, published - 1n]]);
      }
      published += 1n;
      const message = {topic: name, partition: 0, value: Buffer.from(payload), headers: new Map()};
      sender.post(message, (error) => {
        if (error) lose(`The Kafka broker did not take a message to all: ${error.message}.`, error);
        else onTaken?.();
      });
    },
    async subscribe(onMessage, after = null) {
      reader = new Reader(opened.consumer({groupId: name}), topic, {
        from: /** @type {bigint | null} */ (after) ?? (await next()),
        onRecord: ({value}) => onMessage(value ?? endOfParts),
        onError: (error) => lose(`The topic ${name} delivers no more: ${error.message}.`, error),
      });
      reader.begin();
    },
    position: () => reader?.offset ?? null,
  };
  return {broadcast};
}

/** @param {string} topic */
function noServer(topic) {
  const hint = 'Start npx perf-battle serve kafka with the same settings.';
  return new RunError(`No server of perf-battle reads the Kafka topic ${topic}. ${hint}`, {
    code: 'PB_NO_SERVER',
  });
}

export class Calls extends BrokeredCalls {
  /**
   * @param {Pick<Sender, 'post'>} sender @param {{topic: string, partition: number}} to
   * @param {{replyTo: string, isConfirmed: boolean, correlation: Correlation | null}} options
   */
  constructor(sender, to, {replyTo, isConfirmed, correlation}) {
    const replyTopic = Buffer.from(replyTo, 'latin1');
    super(
      correlation,
      (payload, call) => {
        refuseTooLarge(payload);
        const headers = requestHeaders(String(call.number), replyTopic);
        sender.post({...to, value: Buffer.from(payload), headers}, (error) => {
          if (error) call.settle(refusalOf(error) ?? unacknowledged('Kafka broker', error));
          else if (isConfirmed) call.settle();
        });
      },
      {isAcknowledged: !isConfirmed},
    );
  }

  /** Kafka delivers an empty value as null. @param {Pick<KafkaRecord, 'headers' | 'value'>} record a part or the whole of a reply */
  takeRecord({headers, value}) {
    this.take(Number(readReply(headers)), value ?? endOfParts);
  }
}
