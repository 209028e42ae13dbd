import {setTimeout as sleep} from 'node:timers/promises';
import {clientIdOf} from '../../brokers/client-id.js';
import {streamsOf} from '../../brokers/nats/connection.js';
import {RunError} from '../../errors.js';
import {connectOver, partOf, storeOf} from '../brokered.js';
import {BrokeredCalls, unacknowledged} from '../brokered-calls.js';
import {refuseWithoutServer} from '../nats/client.js';
import {bufferOf} from '../nats/publisher.js';
import {Taker} from '../taker.js';
import {
  consume,
  consumerOf,
  createInbox,
  declareStream,
  deleteStream,
  headers,
  maxOutstandingRequests,
  openJetStream,
  outstandingOf,
  refusalOf,
  refuseTooLarge,
  replyHeader,
  StreamPublisher,
} from './stream.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {Broadcast, Client, ConnectSettings, Correlation, OnConsumed} from '../transport.js'
 * @import {OpenedJetStream, StreamSettings} from './stream.js'
 * @import {Consumer, ConsumerMessages, JetStreamClient, JsMsg} from '@nats-io/jetstream'
 * @import {NatsConnection} from '@nats-io/transport-node'
 */

/** @typedef {ConnectSettings & StreamSettings & ClientName} Settings */

/** @param {Settings} options @returns {Promise<Client>} */
export async function connect(options) {
  const opened = await openJetStream(options);
  return await connectOver(opened, options, {
    toServer: connectToServer,
    toAll: connectToAll,
    toStore: connectToStore,
  });
}

/** @param {OpenedJetStream} opened @param {Settings} options */
async function connectToServer({nats, js, closed}, options) {
  const {requests, presence} = streamsOf(options);
  await refuseWithoutServer(nats, presence, 'jetstream');
  const publisher = new StreamPublisher(js, requests, {window: options.window, closed});
  const calls = new Calls(js, requests, options.correlation);
  closed.catch((error) => calls.fail(error));
  calls.listen(nats);
  return partOf(calls, publisher, (payload) => publisher.publish(payload));
}

/** @typedef {{created: string, seq: number}} Position */

/** In a measurement, a message is published when all subscribers have the previous message, so the stream keeps two. */
const keptForAll = 2;

/**
 * Connects a publisher or a subscriber. Each subscriber has its own ordered consumer, which starts with the next message, or where it was before.
 * @param {OpenedJetStream} opened @param {Settings} options
 */
async function connectToAll({js, manager, lose}, options) {
  const {broadcast: subject, broadcastStream: stream} = streamsOf(options);
  const {keepsStore = false} = options;
  const kept = keepsStore ? -1 : keptForAll;
  await declareStream(manager, {stream, subject}, options, {retention: 'limits', max_msgs: kept});
  let isSubscriber = false;
  /** The number of the last delivered message, in the stream that was created then. @type {Position | null} */
  let last = null;
  /** @type {Broadcast} */
  const broadcast = {
    reportsTaken: true,
    publish(payload, onTaken) {
      refuseTooLarge(payload);
      js.publish(subject, payload).then(onTaken, (error) =>
        lose(`The NATS server did not store a message to all: ${error.message}.`),
      );
    },
    async subscribe(onMessage, after = null) {
      isSubscriber = true;
      const {created, state} = await manager.streams.info(stream);
      const before = /** @type {Position | null} */ (after);
      // A stream in memory is a new one after the end of its server.
      const seq = before === null ? state.last_seq : before.created === created ? before.seq : 0;
      const position = {created, seq};
      last = position;
      const consumer = await js.consumers.get(stream, startAfter(position.seq));
      await consume(consumer, {
        onMessage(message) {
          position.seq = message.seq;
          onMessage(bufferOf(message));
        },
        onEnd: (error) => lose(`The NATS server ended a consumer of ${stream}: ${error.message}.`),
        outstanding: keepsStore ? maxOutstandingRequests : keptForAll,
      });
    },
    position: () => last,
  };
  const cleanUp = async () => {
    // The publisher may continue with messages of another size, so a subscriber does not delete the stream.
    if (!isSubscriber && !keepsStore) await deleteStream(manager, stream);
  };
  return {broadcast, cleanUp};
}

/** @param {number} seq of a message in a stream; 0: before the first one */
function startAfter(seq) {
  return {deliver_policy: /** @type {const} */ ('by_start_sequence'), opt_start_seq: seq + 1};
}

/** The outstanding requests of a client. All replies arrive at one subscription. The last part of a reply's subject is the number of the request. */
export class Calls extends BrokeredCalls {
  /**
   * The acknowledgement uses the reply subject of a request, so a header names the subject of the reply.
   * @param {Pick<JetStreamClient, 'publish'>} js
   * @param {string} subject of the requests
   * @param {Correlation | null} correlation
   */
  constructor(js, subject, correlation) {
    const inbox = `${createInbox()}.`;
    super(correlation, (payload, call) => {
      refuseTooLarge(payload);
      const fields = headers();
      fields.set(replyHeader, inbox + call.number);
      js.publish(subject, payload, {headers: fields}).then(
        () => call.settle(),
        (error) => call.settle(refusalOf(error) ?? unacknowledged('NATS server', error)),
      );
    });
    this.inbox = inbox;
  }

  /** @param {Pick<NatsConnection, 'subscribe'>} nats */
  listen(nats) {
    nats.subscribe(`${this.inbox}*`, {
      callback: (error, message) =>
        error
          ? this.fail(error)
          : this.take(Number(message.subject.slice(this.inbox.length)), bufferOf(message)),
    });
  }
}

/** Opens a stream for this client alone. @param {OpenedJetStream} opened @param {Settings} options */
async function connectToStore(opened, options) {
  const {manager, js, closed} = opened;
  const {window, findsQueue = false, keepsStore = false} = options;
  const names = streamsOf(options);
  const clientId = clientIdOf(options);
  const stream = names.storeStream(clientId);
  const subject = names.store(clientId);
  if (!findsQueue) await deleteStream(manager, stream);
  await declareStream(manager, {stream, subject}, options);
  const publisher = new StreamPublisher(js, subject, {window, closed});
  const taker = takerOf(opened, stream);
  closed.catch((error) => taker.fail(error));
  return {
    store: storeOf(publisher, taker, {
      awaitsConfirms: true,
      consume: (onMessage) => consumeFrom(opened, stream, onMessage),
    }),
    cleanUp: async () => {
      if (!keepsStore) await deleteStream(manager, stream);
    },
  };
}

/** @param {OpenedJetStream} opened @param {string} stream */
function takerOf(opened, stream) {
  /** @type {Promise<Consumer> | null} */
  let consumer = null;
  /** Present while messages are delivered. @type {ConsumerMessages | null} */
  let messages = null;
  const handlers = {
    onMessage: (/** @type {JsMsg} */ message) => {
      message.ack();
      taker.offer(bufferOf(message));
    },
    onEnd: (/** @type {Error} */ error) =>
      taker.fail(new RunError(`The stream ${stream} delivers no more: ${error.message}.`, {cause: error})),
  };
  const taker = new Taker({
    begin: async () => {
      consumer ??= consumerOf(opened, stream);
      messages = await consume(await consumer, {
        ...handlers,
        outstanding: await outstandingOf(opened.manager, stream),
      });
    },
    end: async () => messages?.stop(),
  });
  return taker;
}

/** The server redelivers a message that is not acknowledged within this time. */
const ackWaitMs = 1000;
const settledEveryMs = 50;

/** @param {OpenedJetStream} opened @param {string} stream @param {OnConsumed} onMessage */
async function consumeFrom(opened, stream, onMessage) {
  const consumer = await consumerOf(opened, stream, {ackWaitMs});
  const messages = await consume(consumer, {
    onMessage: (message) => onMessage(bufferOf(message), async () => message.ack()),
    onEnd: (error) => opened.lose(`The stream ${stream} delivers no more: ${error.message}.`),
    outstanding: await outstandingOf(opened.manager, stream),
  });
  return {
    end: async () => messages.stop(),
    async settled() {
      while ((await consumer.info()).num_ack_pending > 0) await sleep(settledEveryMs);
    },
  };
}
