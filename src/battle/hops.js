import {brokerKindNamed} from '../brokers/index.js';
import {watchBroker, withoutSight} from '../hops/watch-broker.js';

/**
 * @import {ClientReady, ServerReady} from '../protocol.js'
 * @import {Seen, Watch} from '../hops/watch-broker.js'
 * @import {Moments} from '../measure/moments.js'
 * @import {HopMeans} from '../results/trial.js'
 * @import {Roles, TrialContext} from './roles.js'
 */

/**
 * Watches when messages pass the broker, for a cell whose round trips are taken apart.
 * @param {TrialContext} context
 * @param {Roles} roles
 * @param {readonly (ServerReady | ClientReady)[]} ready of the servers, then of the clients
 * @returns {Promise<Watch | null>} null where no broker is in between, or nothing is taken apart
 */
export async function watchHops({cell, broker, hosts}, {servers}, ready) {
  if (!cell.variant.anatomy || broker === null) return null;
  const {beginsMessage} = await brokerKindNamed(broker.kind).load();
  const brokerHosts = broker.hosts ?? [];
  const isHere =
    [...hosts.clients, ...hosts.servers, ...brokerHosts].every(({isRemote}) => !isRemote) &&
    (broker.hosts !== null || broker.pid !== null);
  if (process.platform !== 'linux' || !isHere)
    return withoutSight('client, server and broker must be on this host, with Linux');
  // Messages that are in flight together may share segments.
  if (cell.variant.clients !== 1) return withoutSight('several clients have messages in flight');
  if (!beginsMessage) return withoutSight('its messages are not recognized on the wire');
  const pids = ready.map(({pid}) => pid);
  return await watchBroker({
    brokerPorts: [...new Set(broker.connections.map(({port}) => port))],
    servers: pids.slice(0, servers.length),
    clients: pids.slice(servers.length),
    messages: {payloadBytes: cell.payloadBytes, beginsMessage},
  });
}

/**
 * Each way in three parts: until the broker has the whole message, until it begins to send it on, and the rest.
 * @param {Seen} seen
 * @param {Moments} sent of the clients, by the clock of this host
 * @param {Moments} served of the servers, likewise
 * @returns {{hops: HopMeans | null, noHops: string | null}} noHops: why there are none
 */
export function hopsOf({passages, reason}, sent, served) {
  if (passages === null) return {hops: null, noHops: reason};
  const {requestIn, requestOut, replyIn, replyOut} = passages;
  const {messages} = sent;
  if ([requestIn, requestOut, replyIn, replyOut].some((sum) => sum.messages !== messages))
    return {hops: null, noHops: 'not every message was recognized on the wire'};
  const between = (/** @type {number} */ from, /** @type {number} */ to) => (to - from) / messages;
  return {
    hops: {
      request: {
        beforeMs: between(sent.beginsMs, requestIn.atMs),
        brokerMs: between(requestIn.atMs, requestOut.atMs),
        afterMs: between(requestOut.atMs, served.beginsMs),
      },
      reply: {
        beforeMs: between(served.endsMs, replyIn.atMs),
        brokerMs: between(replyIn.atMs, replyOut.atMs),
        afterMs: between(replyOut.atMs, sent.endsMs),
      },
    },
    noHops: null,
  };
}
