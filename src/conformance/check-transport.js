import {randomUUID} from 'node:crypto';
import {brokerKindNamed} from '../brokers/index.js';
import {provisionBroker} from '../brokers/provision.js';
import {runChecks} from './run-checks.js';
import {checks} from './transport-checks.js';
import {Pair, settingsOf} from './transport-pair.js';

/**
 * @import {Broker, BrokerKind} from '../brokers/kind.js'
 * @import {BringBroker} from '../transports/define.js'
 * @import {Transport} from '../transports/transport.js'
 * @import {Finding} from './run-checks.js'
 * @import {GivenSettings} from './transport-pair.js'
 */

/**
 * Checks a transport, each time with a new pair in this process.
 * @param {Transport} transport
 * @param {GivenSettings} settings in place of the defaults of its options
 * @param {readonly string[]} [names] of the checks
 * @returns {AsyncGenerator<Finding>}
 */
export function checkTransport(transport, settings, names = checks.map(({name}) => name)) {
  const {broker, capabilities} = transport;
  return runChecks(
    checks.filter(({name}) => names.includes(name)),
    {
      open: () => new Pair(transport, settings),
      whyNot({needs, overSocket = false}) {
        if (!capabilities.includes(needs)) return `it does not say that it can ${needs}`;
        return overSocket && broker !== null ? 'clients reach the server through a broker' : null;
      },
    },
  );
}

/**
 * Starts a private broker for a transport that needs one.
 * @param {Omit<Transport, 'broker'> & {broker: string | BringBroker}} transport as it was declared
 * @param {GivenSettings} given in place of the defaults of its options
 * @param {AbortSignal} signal
 * @returns {Promise<{settings: GivenSettings, release: () => Promise<void>}>} settings: the connection to it, and names that no other program uses on it
 */
export async function startBroker(transport, given, signal) {
  const {broker, brokerSettings} = transport;
  const kind = typeof broker === 'string' ? brokerKindNamed(broker) : (await broker()).default;
  const asked = brokerSettings?.(settingsOf(transport, given)) ?? {};
  const request = {given: null, settings: asked, log: () => {}, signal};
  const obtained = await provisionBroker(kind, {choice: 'private', ...request});
  const settings = {broker: obtained.connection, ...uniqueNames(kind)};
  return {settings, release: () => obtained.release()};
}

/** Names of queues and exchanges, subjects, or what else a pair creates on a broker. @param {BrokerKind} kind */
export function uniqueNames({nameOptions}) {
  const id = randomUUID();
  return Object.fromEntries(nameOptions.map(({key}) => [key, `perf-battle-check-${key}-${id}`]));
}
