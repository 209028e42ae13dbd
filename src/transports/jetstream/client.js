import {streamsOf} from '../../brokers/nats/connection.js';
import {RunError} from '../../errors.js';
import {clientOf, connectOver, withoutServer} from '../brokered.js';
import {refuseWithoutServer} from '../nats/client.js';
import {bufferOf} from '../nats/publisher.js';
import {AcknowledgedCalls} from '../numbered-calls.js';
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
 * @import {Client, ConnectSettings, Correlation, Waiting} from '../transport.js'
 * @import {OpenedJetStream, StreamSettings} from './stream.js'
 * @import {JetStreamClient} from '@nats-io/jetstream'
 * @import {Msg, NatsConnection} from '@nats-io/transport-node'
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
async function connectToServer({nats, js, closed, details, close}, options) {
  const {requests, presence} = streamsOf(options);
  await refuseWithoutServer(nats, presence, 'jetstream');
  const publisher = new StreamPublisher(js, requests, {window: options.window, closed});
  const calls = new Calls(js, requests, options.correlation);
  closed.catch((error) => calls.fail(error));
  calls.listen(nats);
  return clientOf(calls, publisher, {closed, details, close});
}

/** A message is published when all subscribers have the previous message, so the stream keeps at most two. */
const keptForAll = /** @type {const} */ ({retention: 'limits', max_msgs: 2});

/**
 * Connects a publisher or a subscriber. Each subscriber has its own ordered consumer, which starts with the next message.
 * @param {OpenedJetStream} opened @param {Settings} options @returns {Promise<Client>}
 */
async function connectToAll(opened, options) {
  const {nats, js, manager, closed, lose, details, close} = opened;
  const {broadcast: subject, broadcastStream: stream} = streamsOf(options);
  await declareStream(manager, {stream, subject}, options, keptForAll);
  let isSubscriber = false;
  return {
    ...withoutServer,
    broadcast: {
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
    },
    closed,
    details,
    close: async () => {
      // The publisher may continue with messages of another size, so a subscriber does not delete the stream.
      if (!isSubscriber && !nats.isClosed()) await deleteStream(manager, stream);
      await close();
    },
  };
}

/** @param {OpenedJetStream} opened @param {Settings} options */
async function connectToStore(opened, options) {
  const {closed, details, close} = opened;
  const {store, cleanUp} = await openStore(opened, options);
  return {
    ...withoutServer,
    store,
    closed,
    details,
    close: async () => {
      if (!opened.nats.isClosed()) await cleanUp();
      await close();
    },
  };
}

/** The outstanding requests of a client. All replies arrive at one subscription. The last part of a reply's subject is the number of the request. */
export class Calls extends AcknowledgedCalls {
  /**
   * @param {Pick<JetStreamClient, 'publish'>} js
   * @param {string} subject of the requests
   * @param {Correlation | null} correlation
   */
  constructor(js, subject, correlation) {
    super({correlation});
    this.js = js;
    this.subject = subject;
    this.inbox = `${createInbox()}.`;
  }

  /** @param {Pick<NatsConnection, 'subscribe'>} nats */
  listen(nats) {
    nats.subscribe(`${this.inbox}*`, {
      callback: (error, message) =>
        error ? this.fail(error) : this.take(this.#numberOf(message), bufferOf(message)),
    });
  }

  /**
   * Sends a request. Its reply subject is used by the acknowledgement, so a header names the subject of the reply.
   * @param {Buffer} payload
   * @param {Waiting} waiting
   */
  ask(payload, waiting) {
    if (this.failure) return waiting.reject(this.failure);
    try {
      refuseTooLarge(payload);
    } catch (error) {
      return waiting.reject(/** @type {Error} */ (error));
    }
    const call = this.add(waiting);
    const number = this.sent;
    const fields = headers();
    fields.set(replyHeader, this.inbox + number);
    this.js.publish(this.subject, payload, {headers: fields}).then(
      () => call.acknowledged(),
      (error) => this.#refused(number, error),
    );
  }

  /** @param {Msg} message */
  #numberOf({subject}) {
    return Number(subject.slice(this.inbox.length));
  }

  /** @param {number} number @param {Error} error */
  #refused(number, error) {
    this.refuse(
      number,
      refusalOf(error) ??
        new RunError(`The NATS server acknowledged no request: ${error.message}.`, {
          code: 'PB_CONNECTION_LOST',
          cause: error,
        }),
    );
  }
}
