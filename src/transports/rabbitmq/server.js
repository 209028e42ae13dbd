import {declareTopology, deleteTopology, forgetEarlierRuns} from '../../brokers/rabbitmq/topology.js';
import {serveOver} from '../brokered.js';
import {replyInParts} from '../serialized-requests.js';
import {openChannel} from './channel.js';

/**
 * @import {ChannelSettings} from './channel.js'
 * @import {RabbitmqSettings} from './index.js'
 * @import {OnRequest, Reply, ServeSettings, Server} from '../transport.js'
 * @import {topologyOf} from '../../brokers/rabbitmq/topology.js'
 * @import {Channel, ConfirmChannel, ConsumeMessage} from 'amqplib'
 */

/** @param {ServeSettings & ChannelSettings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  const opened = await openChannel(options);
  return await serveOver(opened, () => consume(opened, options, onRequest));
}

/** @param {Awaited<ReturnType<typeof openChannel>>} opened @param {ServeSettings & ChannelSettings} options @param {OnRequest} onRequest */
async function consume({channel, lose}, options, onRequest) {
  const names = await declareTopology(channel, options);
  if (!options.findsQueue) await forgetEarlierRuns(channel, names.requestQueue);
  await channel.prefetch(options.prefetch);
  const answer = answerWith(channel, names, options);
  const onMessage = (/** @type {ConsumeMessage | null} */ message) => {
    if (message) onRequest(message.content, answer(message));
    else lose(`The request queue ${names.requestQueue} was deleted`);
  };
  const noAck = options.acknowledgement === 'auto';
  const {consumerTag} = await channel.consume(names.requestQueue, onMessage, {noAck});
  if (options.findsQueue) return;
  return (/** @type {Channel} */ usable) => deleteTopology(usable, names, consumerTag);
}

/**
 * Makes replies with the delivery mode of the request. With manual acknowledgement, the request is acknowledged after the reply was handed
 * over. With publisher confirms, it is acknowledged after the broker has confirmed the reply. A transaction contains both.
 * @param {Channel | ConfirmChannel} channel @param {ReturnType<typeof topologyOf>} names @param {RabbitmqSettings} options
 * @returns {(message: ConsumeMessage) => Reply}
 */
function answerWith(channel, names, {acknowledgement, confirms, reply}) {
  const exchange = reply === 'direct' ? '' : names.replyExchange;
  const manual = acknowledgement === 'manual';
  const drained = makeDrained(channel);
  return (message) => {
    const {replyTo, correlationId, deliveryMode} = message.properties;
    const acknowledge = () => {
      if (manual) channel.ack(message);
    };
    const properties = {correlationId, deliveryMode};
    return replyInParts({
      send(payload, onTaken) {
        if (confirms && onTaken) {
          const confirming = /** @type {ConfirmChannel} */ (channel);
          return confirming.publish(exchange, replyTo, payload, properties, (error) => !error && onTaken());
        }
        const hasRoom = channel.publish(exchange, replyTo, payload, properties);
        onTaken?.();
        return hasRoom;
      },
      drained,
      done: acknowledge,
    });
  };
}

/** Lets all replies that wait for room share one listener. @param {Channel} channel */
function makeDrained(channel) {
  /** @type {Promise<void> | null} */
  let draining = null;
  return () => {
    draining ??= new Promise((resolve) => {
      channel.once('drain', () => {
        draining = null;
        resolve();
      });
    });
    return draining;
  };
}
