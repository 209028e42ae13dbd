import {tmpdir} from 'node:os';
import {UnavailableError} from '../errors.js';
import {LocalHost} from '../hosts/local.js';
import {completeConnection, parseBrokerUrl} from '../transports/rabbitmq/url.js';
import {findLocalBroker, useGivenBroker} from './found.js';
import {startPrivateBroker} from './private.js';
import {findServer, installCommand} from './rabbitmq/installation.js';

/**
 * @import {UsageError} from '../errors.js'
 * @import {Host} from '../hosts/host.js'
 * @import {readProcessTimes} from '../measure/process-times.js'
 * @import {BrokerConnection} from '../transports/rabbitmq/url.js'
 */

/**
 * A RabbitMQ that a run may use until it releases it.
 * @typedef {object} Broker
 * @property {'given' | 'found' | 'private'} kind
 * @property {BrokerConnection} connection to its first node
 * @property {readonly BrokerConnection[]} connections to each of its nodes; of one that was given or found, that one
 * @property {string} label for people, without the password
 * @property {{rabbitmq: string | null, erlang: string | null}} versions
 * @property {() => Promise<ReturnType<typeof readProcessTimes>>} readTimes CPU time of the
 *   processes of all its nodes; null where that of one cannot be seen
 * @property {number | null} pid of its first node's Erlang process where it runs on this host and can be seen
 * @property {number | null} maxMessageBytes the largest message that it takes; null when that is not known
 * @property {Promise<string>} died settles with a reason when a node of a private broker ends unasked; for others never
 * @property {() => Promise<void>} release idempotent; a private broker is gone, with its folder, when it settles
 */

/**
 * Connection settings that the person named: a URL, or parts.
 * @typedef {{url: string, caFile?: string | null} | Partial<BrokerConnection>} GivenBroker
 */

/**
 * Gets a real RabbitMQ.
 * @param {object} request
 * @param {string} request.choice 'auto': the one given, else one that answers on localhost, else a private one;
 *   'private': a private one whatever else there is; an amqp:// or amqps:// URL: that one
 * @param {GivenBroker | null} request.given the broker that the person named in other settings
 * @param {string} [request.temporaryFolder] where a private broker's folder is made; default the system's
 * @param {number} [request.nodes] how many a private one has; more than one are a cluster, which 'auto' starts unless a broker was given
 * @param {readonly Host[]} [request.hosts] where its nodes are started, turn by turn; default this host, for this
 *   host alone
 * @param {number} [request.memoryBytes] what its nodes are told that their host has; default what it has
 * @param {(line: string) => void} request.log takes a line for people
 * @param {AbortSignal} request.signal ends the search; nothing is left running when the promise rejects with its reason
 * @param {string[] | undefined} [request.serverFolders] where to look for `rabbitmq-server`; default where packages put it
 * @param {number} [request.localPort] where to look for a running broker; default 5672
 * @returns {Promise<Broker>}
 * @throws {UnavailableError} code PB_BROKER_UNAVAILABLE: none could be had; it says what to do about it
 * @throws {UsageError} when a URL is malformed
 */
export async function obtainBroker(request) {
  const {choice, given, nodes = 1, hosts = [new LocalHost()], log, signal, localPort = 5672} = request;
  signal.throwIfAborted();
  const start = (/** @type {number | undefined} */ tried = undefined) =>
    startPrivate({...request, nodes, hosts}, tried);
  if (choice === 'private') return await start();
  const named = choice === 'auto' ? given : {url: choice};
  if (named) return await useGivenBroker(toConnection(named), signal);
  // One for guest on localhost is a single node, and serves that host alone.
  const isForThisHost = hosts.every(({isRemote, brokerAddress}) => !isRemote && brokerAddress === null);
  if (nodes > 1 || !isForThisHost) return await start();
  return (await findLocalBroker({port: localPort, log, signal})) ?? (await start(localPort));
}

/** @param {GivenBroker} given @returns {BrokerConnection} */
function toConnection(given) {
  if (!('url' in given)) return completeConnection(given);
  const connection = parseBrokerUrl(given.url);
  return {...connection, caFile: given.caFile ?? connection.caFile};
}

/**
 * @param {Parameters<typeof obtainBroker>[0] & {nodes: number, hosts: readonly Host[]}} request
 * @param {number} [localPort] where none was found before
 */
async function startPrivate({hosts, temporaryFolder, serverFolders, ...request}, localPort) {
  const isHere = hosts.some(({isRemote}) => !isRemote);
  if (isHere && (await findServer(serverFolders)) === null) throw noBroker(localPort);
  return await startPrivateBroker({
    ...request,
    hosts: hosts.map((host) => ({
      host,
      hostname: host.brokerAddress ?? '127.0.0.1',
    })),
    serverFolders,
    base: temporaryFolder ?? tmpdir(),
  });
}

/** @param {number} [localPort] */
function noBroker(localPort) {
  const tried = localPort === undefined ? '' : `no broker for guest answers on localhost:${localPort}, and `;
  const message = `There is no RabbitMQ: ${tried}rabbitmq-server is not installed on this host. Install it with: ${installCommand()}`;
  return new UnavailableError(message, {code: 'PB_BROKER_UNAVAILABLE'});
}
