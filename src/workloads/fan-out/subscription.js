import {RunError} from '../../errors.js';

/**
 * Publishes and subscribes: by the transport itself, or by requests to a server that forwards the messages.
 *
 * @import {Client} from '../../transports/transport.js'
 */

const prefix = Buffer.from('perf-battle: subscribe to ');

/** The first part of the reply: from now on the subscriber gets all published messages. */
export const announcement = Buffer.from('subscribed');

/** @param {string} group name of the subscribers of one publisher @returns {Buffer} a request */
export function subscriptionTo(group) {
  return Buffer.concat([prefix, Buffer.from(group)]);
}

/** A broker may need this long for a subscription. */
export const minSubscribeMs = 10_000;

/** A longer request is a message. */
const maxBytes = 128;

/** @param {Buffer} request @returns {string | null} the group; null for a message to the subscribers */
export function joinedAs(request) {
  if (request.length > maxBytes || !request.subarray(0, prefix.length).equals(prefix)) return null;
  return request.toString('latin1', prefix.length);
}

/** @param {Client} client @param {Buffer} payload @param {Promise<unknown>} arrived settles when all subscribers have the message */
export function publish(client, payload, arrived) {
  if (client.broadcast) client.broadcast.publish(payload);
  // The server forwards one message at a time, so there is room again when all subscribers have it.
  else if (client.send?.(payload) === false) arrived.then(() => client.drained?.()).catch(() => {});
}

/**
 * @param {Client} client @param {string} group name of the subscribers of one publisher
 * @param {{onChunk: (chunk: Buffer) => void, onEnd: (error: Error) => void, after?: unknown}} subscriber onEnd: called when the subscription ends;
 *   after: the position at which an earlier subscription ended, if the broker keeps messages
 * @returns {Promise<void>} resolves when the subscriber gets all messages that are published from then on
 */
export function subscribe(client, group, {onChunk, onEnd, after}) {
  if (client.broadcast) return client.broadcast.subscribe(onChunk, after);
  return new Promise((resolve, reject) => {
    let isThere = false;
    const end = (/** @type {Error} */ error) => (isThere ? onEnd(error) : reject(error));
    client.ask(subscriptionTo(group), {
      onChunk(chunk) {
        if (isThere) return onChunk(chunk);
        isThere = chunk.subarray(0, announcement.length).equals(announcement);
        if (!isThere)
          return reject(
            new RunError('The server did not announce the subscription.', {code: 'PB_WRONG_REPLY'}),
          );
        resolve();
        // Under a load, a message may come together with the announcement.
        if (chunk.length > announcement.length) onChunk(chunk.subarray(announcement.length));
      },
      resolve: () => end(new RunError('The server ended a subscription.', {code: 'PB_CONNECTION_LOST'})),
      reject: end,
    });
  });
}
