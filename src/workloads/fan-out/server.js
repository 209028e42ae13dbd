/**
 * @import {Reply} from '../../transports/transport.js'
 * @import {MakeHandler} from '../workload.js'
 */

/**
 * Sends what is published to all that have subscribed, each as a part of a reply without an end. Subscribers of an earlier measurement are left when those of
 * a later one come. Where a broker does this, the server only shows that it is there.
 * @type {MakeHandler}
 */
export async function makeHub() {
  let group = '';
  /** @type {Reply[]} */
  let subscribers = [];
  return {
    onRequest(request, reply) {
      const joined = joinedAs(request);
      if (joined === null) {
        for (const subscriber of subscribers) subscriber.write(request);
        return reply.end();
      }
      if (joined !== group) {
        for (const earlier of subscribers) earlier.end();
        [group, subscribers] = [joined, []];
      }
      subscribers.push(reply);
      reply.write(announcement);
    },
  };
}

/** How a subscriber joins where the server of the workload sends the messages on. */

const prefix = Buffer.from('perf-battle: subscribe to ');

/** The first part of the reply: from now on the subscriber gets what is published. */
export const announcement = Buffer.from('subscribed');

/** @param {string} group of the subscribers of one publisher @returns {Buffer} a request */
export function subscriptionTo(group) {
  return Buffer.concat([prefix, Buffer.from(group)]);
}

/** Amply: a longer one is a message. */
const maxBytes = 128;

/** @param {Buffer} request @returns {string | null} the group; null: it is a message for the subscribers */
export function joinedAs(request) {
  if (request.length > maxBytes || !request.subarray(0, prefix.length).equals(prefix)) return null;
  return request.toString('latin1', prefix.length);
}
