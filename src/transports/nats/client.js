import {openNats} from '../../brokers/nats/connection.js';
import {createInbox} from '../../brokers/nats/guarded.js';
import {RunError} from '../../errors.js';
import {CorrelatedCalls} from '../numbered-calls.js';
import {promised} from '../pending-replies.js';
import {bufferOf, Publisher, subjectsOf} from './publisher.js';

/**
 * @import {NatsSettings} from '../../brokers/nats/connection.js'
 * @import {Client, ConnectSettings, Correlation, Waiting} from '../transport.js'
 * @import {Msg, NatsConnection} from '@nats-io/transport-node'
 */

const presenceTimeoutMs = 5000;

/** @param {ConnectSettings & NatsSettings} options @returns {Promise<Client>} */
export async function connect(options) {
  const {nats, closed, lose, answered, details, close} = await openNats(options);
  try {
    const {requests, presence, broadcast} = subjectsOf(options);
    await answered();
    await refuseWithoutServer(nats, presence, 'nats');
    const publisher = new Publisher(nats, closed);
    const calls = new Calls(publisher, requests, options.correlation);
    closed.catch((error) => calls.fail(error));
    calls.listen(nats);
    /** @type {Client['ask']} */
    const ask = (payload, waiting) => calls.ask(payload, waiting);
    return {
      ask,
      request: promised(ask),
      send: (payload) => publisher.publish(requests, payload),
      drained: () => publisher.drained(),
      flushed: () => publisher.flushed(),
      broadcast: {
        publish: (payload) => publisher.send(broadcast, payload),
        async subscribe(onMessage) {
          nats.subscribe(broadcast, {
            callback: (error, message) =>
              error
                ? lose(`The NATS server refused a subscription to ${broadcast}: ${error.message}.`)
                : onMessage(bufferOf(message)),
          });
          // The server's answer shows that it has the subscription.
          await nats.flush();
        },
      },
      closed,
      details,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Throws if no server answers, because one-way messages would be lost without an error.
 * @param {NatsConnection} nats
 * @param {string} presence
 * @param {string} transport
 */
export async function refuseWithoutServer(nats, presence, transport) {
  try {
    await nats.request(presence, undefined, {timeout: presenceTimeoutMs});
  } catch (cause) {
    const hint = `Start npx perf-battle serve ${transport} with the same settings.`;
    throw new RunError(`No NATS server of perf-battle answers at ${presence}. ${hint}`, {
      code: 'PB_NO_SERVER',
      cause,
    });
  }
}

/** The status of a reply when the subject of the request has no subscriber. */
const noResponders = 503;

/**
 * The outstanding requests of a client. All replies arrive at one subscription. The last part of a reply's subject is the number of the
 * request, as in the library's `request`.
 */
export class Calls extends CorrelatedCalls {
  /**
   * @param {Publisher} publisher
   * @param {string} subject of the requests
   * @param {Correlation | null} correlation
   */
  constructor(publisher, subject, correlation) {
    super(correlation);
    this.publisher = publisher;
    this.subject = subject;
    this.inbox = `${createInbox()}.`;
  }

  /** @param {NatsConnection} nats */
  listen(nats) {
    nats.subscribe(`${this.inbox}*`, {
      callback: (error, message) => (error ? this.fail(error) : this.#take(message)),
    });
  }

  /** @param {Buffer} payload @param {Waiting} waiting */
  ask(payload, waiting) {
    const number = this.add(waiting);
    if (number === null) return;
    try {
      this.publisher.send(this.subject, payload, {reply: this.inbox + number});
    } catch (error) {
      this.refuse(number, /** @type {Error} */ (error));
    }
  }

  /** @param {Msg} message */
  #take(message) {
    const number = message.subject.slice(this.inbox.length);
    const payload = bufferOf(message);
    const isRefusal = payload.length === 0 && message.headers?.code === noResponders;
    if (isRefusal && this.waiting.has(number)) this.refuse(number, noServerAnyMore(this.subject));
    else this.take(number, payload);
  }
}

/** @param {string} subject */
function noServerAnyMore(subject) {
  return new RunError(`No server subscribes to ${subject} any more.`, {code: 'PB_RETURNED'});
}
