import {announcement, joinedAs} from './subscription.js';

/**
 * @import {Reply} from '../../transports/transport.js'
 * @import {MakeHandler} from '../workload.js'
 */

/**
 * Sends what is published to all that have subscribed, each as a part of a reply without an end. Subscribers of an earlier measurement are left when those of
 * a later one come. Where a broker does this, the server only shows that it is there.
 * @returns {ReturnType<MakeHandler>}
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
