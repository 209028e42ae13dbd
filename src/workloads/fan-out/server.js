import {announcement, joinedAs} from './subscription.js';

/**
 * @import {Reply} from '../../transports/transport.js'
 * @import {MakeHandler} from '../workload.js'
 */

/**
 * Sends published messages to all subscribers, each as a part of a reply without an end. A new group of subscribers replaces the previous group. If
 * a broker sends the messages, the server only shows that it is available.
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
