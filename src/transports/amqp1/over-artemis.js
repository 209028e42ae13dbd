import {onManagement, queuesOf, unavailable} from '../../brokers/artemis/management.js';
import {clientIdOf} from '../../brokers/client-id.js';
import {RunError} from '../../errors.js';

/**
 * @import {Management} from '../../brokers/artemis/management.js'
 * @import {TopologyModule} from './topology.js'
 */

const openWithinMs = 10_000;
/** The broker deletes a queue after this time without a consumer, as with RabbitMQ. */
const expiresMs = 60_000;
/** The expiry of a client's store is longer, because the store has no consumer while it is filled. */
const storeExpiresMs = 3_600_000;

/** An address whose messages each go to one consumer. @param {string} address */
const queue = (address) => ({address, capabilities: ['queue']});

/** An address whose messages go to all subscribers. @param {string} address */
const topic = (address) => ({address, capabilities: ['topic']});

/**
 * Makes addresses and queues of Artemis over a management connection.
 * @type {TopologyModule['topologyOver']}
 */
export function topologyOver(_, options) {
  const {broker, greetingMs: timeoutMs = openWithinMs, files, findsQueue = false, ending: signal} = options;
  const names = queuesOf(/** @type {any} */ (options));
  const clientId = clientIdOf(options);
  const [replyTo, store] = [names.repliesTo(clientId), names.store(clientId)];
  /** @template Result @param {(management: Management) => Promise<Result>} work */
  const over = (work) => onManagement(broker, {timeoutMs, files}, work);
  const deleteOne = (/** @type {string} */ name) => over((management) => management.deleteQueue(name));
  return {
    async serve() {
      await over(async (management) => {
        await management.createQueue(names.requests, {expiresMs, mayExist: true, signal});
        // Requests that wait without a consumer belong to an earlier run.
        const isUsed = findsQueue || (await management.consumersOf(names.requests)) > 0;
        if (!isUsed) await management.emptyQueue(names.requests);
      });
      return {requests: queue(names.requests), replies: undefined, to: (key) => ({to: key})};
    },
    endServing: () =>
      over(async (management) => {
        await management.deleteQueue(names.requests, {ifUnused: true});
        // A reply to a client that has ended creates the address of its queue again.
        await management.deleteAddresses((name) => name.startsWith(names.repliesTo('')));
      }),
    async call() {
      const details = await over(async (management) => {
        if ((await management.consumersOf(names.requests)) === 0) throw noServer(names.requests);
        await management.deleteQueue(replyTo);
        await management.createQueue(replyTo, {expiresMs, signal});
        return await describeJournal(management);
      });
      return {requests: queue(names.requests), replies: queue(replyTo), replyTo, details};
    },
    endCalling: () => deleteOne(replyTo),
    async store() {
      const details = await over(async (management) => {
        if (!findsQueue) await management.deleteQueue(store);
        await management.createQueue(store, {expiresMs: storeExpiresMs, mayExist: findsQueue, signal});
        return await describeJournal(management);
      });
      return {into: queue(store), from: queue(store), details};
    },
    endStoring: () => deleteOne(store),
    broadcast: topic(names.broadcast),
    subscribe: async () => topic(names.broadcast),
    // A temporary queue ends with its link. A permanent address would remain.
    marks: {dynamic: true},
  };
}

/**
 * How long the journal collects writes before it syncs them. `artemis create` sets it by a measurement of the disk, so it differs between
 * private brokers.
 * @param {Management} management
 */
async function describeJournal(management) {
  return {journalBufferTimeoutNs: await management.journalBufferTimeoutNs()};
}

/** @param {string} name of the queue of requests */
function noServer(name) {
  return new RunError(
    `No server of perf-battle takes from the Artemis queue ${name}. Start npx perf-battle serve amqp1 --amqp1-broker artemis with the same settings.`,
    {code: 'PB_NO_SERVER'},
  );
}

export const unopened = unavailable;
