import {sequenceOf} from '../../../payload/stamp.js';
import {CheckTally} from '../../check-tally.js';
import {makeCheck} from '../../stream/server.js';
import {sendSteadily} from '../steady-load.js';

/**
 * @import {Client, Reply} from '../../../transports/transport.js'
 * @import {MakeHandler, WorkloadContext, WorkloadRole} from '../../workload.js'
 * @import {ReceiveSettings} from '../../stream/server.js'
 * @import {Outlet, SteadySettings} from '../steady-load.js'
 */

/** A steady load of one-way messages, of which the servers report each that arrives. @satisfies {WorkloadRole<any>} */
export const role = {
  needs: ['send'],
  hasServer: true,
  concurrency: ({window}) => window,
  client: async () => streamSteadily,
  server: async () => makeReceiver,
};

/** @param {WorkloadContext<SteadySettings>} context */
export function streamSteadily(context) {
  return sendSteadily(context, oneWayOutlet);
}

/** @param {Client} client @returns {Outlet} */
export function oneWayOutlet({send, drained, flushed}) {
  if (!send || !drained || !flushed) throw new TypeError('This transport cannot send one way.');
  return {send: (payload) => send(payload), drained, flushed, settles: false};
}

/**
 * Reports after each turn of the event loop what has arrived, before it is acknowledged: if the process ends in between, a broker may deliver the messages
 * again. The reports survive the end of the process.
 * @type {MakeHandler<ReceiveSettings>}
 */
async function makeReceiver({options, onConsumed}) {
  if (!onConsumed) throw new TypeError('Nobody hears what this server receives.');
  // The rate is that of the load, and the messages bear no times.
  const check = await makeCheck({...options, verify: 1, rate: null});
  if (!check) throw new TypeError('This server does not know what it should receive.');
  const tally = new CheckTally(check);
  /** @type {number[]} */
  let arrived = [];
  /** @type {Reply[]} */
  let replies = [];
  const report = () => {
    const [done, unanswered] = [arrived, replies];
    [arrived, replies] = [[], []];
    onConsumed({arrived: done, finished: done, acknowledged: [], corrupted: tally.corrupted});
    for (const reply of unanswered) reply.end();
  };
  return {
    onRequest(message, reply) {
      if (replies.length === 0) setImmediate(report);
      replies.push(reply);
      const {corrupted} = tally;
      const sequence = sequenceOf(message);
      tally.take(message, sequence);
      // A corrupted message is not the message that was sent.
      if (tally.corrupted === corrupted) arrived.push(sequence);
    },
  };
}
