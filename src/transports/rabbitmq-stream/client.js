import {clientIdOf} from '../../brokers/client-id.js';
import {declareStream, namesOver, refuseWithoutServer, topologyOf} from '../../brokers/rabbitmq/topology.js';
import {clientOf, withoutServer} from '../brokered.js';
import {AcknowledgedCalls} from '../numbered-calls.js';
import {Offset, Outgoing, openStreams, StreamPublisher} from './connection.js';
import {openStore} from './store.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {Client, ConnectSettings, Correlation, Waiting} from '../transport.js'
 * @import {StreamSettings} from './connection.js'
 */

/** @typedef {ConnectSettings & StreamSettings & ClientName} Settings */

/** @param {Settings} options @returns {Promise<Client>} */
export async function connect(options) {
  if (options.broadcasts) return await connectToAll(options);
  return options.hasServer ? await connectToServer(options) : await connectToStore(options);
}

/** @param {Settings} options */
async function connectToServer(options) {
  const names = topologyOf(namesOver(options, 'stream'));
  const replies = names.replyQueue(clientIdOf(options));
  const opened = await openStreams(options, async (channel) => {
    await refuseWithoutServer(channel, names.requestQueue, 'npx perf-battle serve rabbitmq-stream', {
      countsConsumers: false,
    });
    await channel.deleteQueue(replies);
    await declareStream(channel, replies, {...options, isBounded: true});
    return names.requestQueue;
  });
  const {closed, details, close, openPublisher, openConsumer} = opened;
  const end = () => close((channel) => channel.deleteQueue(replies));
  try {
    const outgoing = new Outgoing(await openPublisher(names.requestQueue), opened);
    const calls = new Calls(outgoing, replies, options.correlation);
    closed.catch((error) => calls.fail(error));
    await openConsumer({stream: replies, offset: Offset.next()}, ({content, messageProperties}) =>
      calls.take(Number(messageProperties?.correlationId), content),
    );
    const publisher = new StreamPublisher(outgoing, {window: options.window, closed});
    return clientOf(calls, publisher, {closed, details, close: end});
  } catch (error) {
    await end();
    throw error;
  }
}

/** Connects a publisher or a subscriber. Each subscriber reads the stream from its end. @param {Settings} options @returns {Promise<Client>} */
async function connectToAll(options) {
  const stream = topologyOf(namesOver(options, 'stream')).broadcastExchange;
  const opened = await openStreams(options, async (channel) => {
    await declareStream(channel, stream, {...options, isBounded: true});
    return stream;
  });
  const {closed, details, close, fail, openPublisher, openConsumer} = opened;
  let isSubscriber = false;
  try {
    const outgoing = new Outgoing(await openPublisher(stream), opened);
    return {
      ...withoutServer,
      broadcast: {
        publish: (payload) => outgoing.send(payload, {}, (refusal) => refusal && fail(refusal)),
        async subscribe(onMessage) {
          isSubscriber = true;
          await openConsumer({stream, offset: Offset.next()}, ({content}) => onMessage(content));
        },
      },
      ...{closed, details},
      // The publisher may continue with messages of another size, so a subscriber does not delete the stream.
      close: () => close(isSubscriber ? undefined : (channel) => channel.deleteQueue(stream)),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {Settings} options */
async function connectToStore(options) {
  const {store, opened, cleanUp} = await openStore(options);
  const {closed, details, close} = opened;
  return {...withoutServer, store, closed, details, close: () => close(cleanUp)};
}

class Calls extends AcknowledgedCalls {
  /** @param {Outgoing} outgoing @param {string} replyTo @param {Correlation | null} correlation */
  constructor(outgoing, replyTo, correlation) {
    super({correlation});
    this.outgoing = outgoing;
    this.replyTo = replyTo;
  }

  /** @param {Buffer} payload @param {Waiting} waiting */
  ask(payload, waiting) {
    if (this.failure) return waiting.reject(this.failure);
    const call = this.add(waiting);
    const number = this.sent;
    this.outgoing.send(payload, {correlationId: String(number), replyTo: this.replyTo}, (refusal) => {
      if (refusal === null) call.acknowledged();
      else this.refuse(number, refusal);
    });
  }
}
