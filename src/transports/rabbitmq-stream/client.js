import {clientIdOf} from '../../brokers/client-id.js';
import {declareStream, namesOver, refuseWithoutServer, topologyOf} from '../../brokers/rabbitmq/topology.js';
import {clientOver, partOf} from '../brokered.js';
import {BrokeredCalls} from '../brokered-calls.js';
import {Offset, Outgoing, openStreams, StreamPublisher} from './connection.js';
import {openStore} from './store.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {Broadcast, Client, ConnectSettings} from '../transport.js'
 * @import {Channel} from 'amqplib'
 * @import {StreamSettings} from './connection.js'
 */

/** @typedef {ConnectSettings & StreamSettings & ClientName} Settings */

/** @param {Settings} options @returns {Promise<Client>} */
export async function connect(options) {
  if (options.broadcasts) return await connectToAll(options);
  return options.hasServer ? await connectToServer(options) : await openStore(options);
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
  const cleanUp = (/** @type {Channel} */ channel) => channel.deleteQueue(replies);
  const connectHalf = async () => {
    const {closed, openPublisher, openConsumer} = opened;
    const outgoing = new Outgoing(await openPublisher(names.requestQueue), opened);
    const calls = new BrokeredCalls(options.correlation, (payload, call) => {
      const properties = {correlationId: String(call.number), replyTo: replies};
      outgoing.send(payload, properties, (refusal) => call.settle(refusal));
    });
    closed.catch((error) => calls.fail(error));
    await openConsumer({stream: replies, offset: Offset.next()}, ({content, messageProperties}) =>
      calls.take(Number(messageProperties?.correlationId), content),
    );
    const publisher = new StreamPublisher(outgoing, {window: options.window, closed});
    return {...partOf(calls, publisher, (payload) => publisher.publish(payload)), cleanUp};
  };
  return await clientOver(opened, connectHalf, cleanUp);
}

/** Connects a publisher or a subscriber. Each subscriber reads the stream from its end. @param {Settings} options @returns {Promise<Client>} */
async function connectToAll(options) {
  const stream = topologyOf(namesOver(options, 'stream')).broadcastExchange;
  const opened = await openStreams(options, async (channel) => {
    await declareStream(channel, stream, {...options, isBounded: true});
    return stream;
  });
  const {fail, openPublisher, openConsumer} = opened;
  let isSubscriber = false;
  return await clientOver(opened, async () => {
    const outgoing = new Outgoing(await openPublisher(stream), opened);
    /** @type {Broadcast} */
    const broadcast = {
      publish: (payload) => outgoing.send(payload, {}, (refusal) => refusal && fail(refusal)),
      async subscribe(onMessage) {
        isSubscriber = true;
        await openConsumer({stream, offset: Offset.next()}, ({content}) => onMessage(content));
      },
    };
    const cleanUp = async (/** @type {Channel} */ channel) => {
      // The publisher may continue with messages of another size, so a subscriber does not delete the stream.
      if (!isSubscriber) await channel.deleteQueue(stream);
    };
    return {broadcast, cleanUp};
  });
}
