import {openNats} from '../../brokers/nats/connection.js';
import {createInbox} from '../../brokers/nats/guarded.js';
import {RunError} from '../../errors.js';
import {clientOver, partOf} from '../brokered.js';
import {BrokeredCalls} from '../brokered-calls.js';
import {bufferOf, Publisher, subjectsOf} from './publisher.js';

/**
 * @import {NatsSettings} from '../../brokers/nats/connection.js'
 * @import {Broadcast, Client, ConnectSettings, Correlation} from '../transport.js'
 * @import {Msg, NatsConnection} from '@nats-io/transport-node'
 */

const presenceTimeoutMs = 5000;

/** @param {ConnectSettings & NatsSettings} options @returns {Promise<Client>} */
export async function connect(options) {
  const opened = await openNats(options);
  const {nats, closed, lose} = opened;
  return await clientOver(opened, async () => {
    const {requests, presence, broadcast: subject} = subjectsOf(options);
    await opened.answered();
    // The broker copies what is published, without a server.
    if (!options.broadcasts) await refuseWithoutServer(nats, presence, 'nats');
    const publisher = new Publisher(nats, closed);
    const calls = new Calls(publisher, requests, options.correlation);
    closed.catch((error) => calls.fail(error));
    calls.listen(nats);
    /** @type {Broadcast} */
    const broadcast = {
      publish: (payload) => publisher.send(subject, payload),
      async subscribe(onMessage) {
        nats.subscribe(subject, {
          callback: (error, message) =>
            error
              ? lose(`The NATS server refused a subscription to ${subject}: ${error.message}.`)
              : onMessage(bufferOf(message)),
        });
        // The server's answer shows that it has the subscription.
        await nats.flush();
      },
    };
    return {
      ...partOf(calls, publisher, (payload) => publisher.publish(requests, payload)),
      broadcast,
    };
  });
}

/**
 * Throws if no server answers, because one-way messages would be lost without an error.
 * @param {NatsConnection} nats @param {string} presence @param {string} transport
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
export class Calls extends BrokeredCalls {
  /** @param {Pick<Publisher, 'send'>} publisher @param {string} subject of the requests @param {Correlation | null} correlation */
  constructor(publisher, subject, correlation) {
    const inbox = `${createInbox()}.`;
    super(correlation, (payload, {number}) => publisher.send(subject, payload, {reply: inbox + number}), {
      isAcknowledged: true,
    });
    this.subject = subject;
    this.inbox = inbox;
  }

  /** @param {Pick<NatsConnection, 'subscribe'>} nats */
  listen(nats) {
    nats.subscribe(`${this.inbox}*`, {
      callback: (error, message) => (error ? this.fail(error) : this.#take(message)),
    });
  }

  /** @param {Msg} message */
  #take(message) {
    const number = Number(message.subject.slice(this.inbox.length));
    const payload = bufferOf(message);
    const isRefusal = payload.length === 0 && message.headers?.code === noResponders;
    if (isRefusal && this.calls.has(number)) this.refuse(number, noServerAnyMore(this.subject));
    else this.take(number, payload);
  }
}

/** @param {string} subject */
function noServerAnyMore(subject) {
  return new RunError(`No server subscribes to ${subject} any more.`, {code: 'PB_RETURNED'});
}
