import {hopsOf} from './hops.js';

/**
 * @import {Moments} from '../measure/moments.js'
 * @import {Marked, Result} from '../protocol.js'
 * @import {TrialAnatomy} from '../results/trial.js'
 * @import {ClockOffset, RoleClocks} from './clocks.js'
 * @import {Seen} from './hops.js'
 */

/**
 * What a mean round trip consists of: the way to the server, its handler, and the way back. The means of the ways are differences of sums of points in
 * time, so together they are the mean round trip exactly.
 *
 * @param {readonly Result[]} results of the clients
 * @param {readonly Marked[]} marks of the servers
 * @param {RoleClocks} clocks how far those of the roles are ahead of ours
 * @param {number} clockBoundMs how far the clocks of the hosts may be apart; 0 on one host
 * @param {Seen | null} seen when the messages passed the broker; null without a broker
 * @returns {TrialAnatomy | null} null where the roles were not asked, or the servers had other messages than the clients: after a timeout
 */
export function anatomyOf(results, marks, clocks, clockBoundMs, seen) {
  const sent = onOurClock(results, clocks.clients);
  const served = onOurClock(marks, clocks.servers);
  if (sent === null || served === null || sent.messages === 0 || sent.messages !== served.messages)
    return null;
  return {
    requestMs: (served.beginsMs - sent.beginsMs) / sent.messages,
    handlerMs: (served.endsMs - served.beginsMs) / sent.messages,
    replyMs: (sent.endsMs - served.endsMs) / sent.messages,
    clockBoundMs,
    ...(seen && hopsOf(seen, sent, served)),
  };
}

/**
 * @param {readonly {moments?: Moments | null}[]} roles
 * @param {readonly ClockOffset[]} clocks
 * @returns {Moments | null}
 */
function onOurClock(roles, clocks) {
  let [messages, beginsMs, endsMs] = [0, 0, 0];
  for (const [index, {moments = null}] of roles.entries()) {
    if (moments === null) return null;
    const ahead = moments.messages * clocks[index].offsetMs;
    messages += moments.messages;
    beginsMs += moments.beginsMs - ahead;
    endsMs += moments.endsMs - ahead;
  }
  return {messages, beginsMs, endsMs};
}
