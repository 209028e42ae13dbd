import {streamsOf} from '../../brokers/nats/connection.js';
import {connectOver, partOf} from '../brokered.js';
import {BrokeredCalls, unacknowledged} from '../brokered-calls.js';
import {refuseWithoutServer} from '../nats/client.js';
import {bufferOf} from '../nats/publisher.js';
import {openStore} from './store.js';
import {
  consume,
  createInbox,
  declareStream,
  deleteStream,
  headers,
  openJetStream,
  refusalOf,
  refuseTooLarge,
  replyHeader,
  StreamPublisher,
} from './stream.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {Broadcast, Client, ConnectSettings, Correlation} from '../transport.js'
 * @import {OpenedJetStream, StreamSettings} from './stream.js'
 * @import {JetStreamClient} from '@nats-io/jetstream'
 * @import {NatsConnection} from '@nats-io/transport-node'
 */

/** @typedef {ConnectSettings & StreamSettings & ClientName} Settings */

/** @param {Settings} options @returns {Promise<Client>} */
export async function connect(options) {
  const opened = await openJetStream(options);
  return await connectOver(opened, options, {
    toServer: connectToServer,
    toAll: connectToAll,
    toStore: openStore,
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

/** A message is published when all subscribers have the previous message, so the stream keeps at most two. */
const keptForAll = /** @type {const} */ ({retention: 'limits', max_msgs: 2});

/**
 * Connects a publisher or a subscriber. Each subscriber has its own ordered consumer, which starts with the next message.
 * @param {OpenedJetStream} opened @param {Settings} options
 */
async function connectToAll({js, manager, lose}, options) {
  const {broadcast: subject, broadcastStream: stream} = streamsOf(options);
  await declareStream(manager, {stream, subject}, options, keptForAll);
  let isSubscriber = false;
  /** @type {Broadcast} */
  const broadcast = {
    publish(payload) {
      refuseTooLarge(payload);
      js.publish(subject, payload).catch((error) =>
        lose(`The NATS server did not store a message to all: ${error.message}.`),
      );
    },
    async subscribe(onMessage) {
      isSubscriber = true;
      const consumer = await js.consumers.get(stream, {deliver_policy: 'new'});
      await consume(consumer, {
        onMessage: (message) => onMessage(bufferOf(message)),
        onEnd: (error) => lose(`The NATS server ended a consumer of ${stream}: ${error.message}.`),
        outstanding: keptForAll.max_msgs,
      });
    },
  };
  const cleanUp = async () => {
    // The publisher may continue with messages of another size, so a subscriber does not delete the stream.
    if (!isSubscriber) await deleteStream(manager, stream);
  };
  return {broadcast, cleanUp};
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
