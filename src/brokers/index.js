import {tmpdir} from 'node:os';
import {UnavailableError} from '../errors.js';
import {LocalHost} from '../hosts/local.js';
import {completeConnection, parseBrokerUrl} from '../transports/rabbitmq-url.js';
import {findLocalBroker, useGivenBroker} from './found.js';
import {findServer, installCommand} from './installation.js';
import {startPrivateBroker} from './private.js';

/** @typedef {import('../transports/rabbitmq-url.js').BrokerConnection} BrokerConnection */

/**
 * A RabbitMQ that a run may use until it releases it.
 * @typedef {object} Broker
 * @property {'given' | 'found' | 'private'} kind
 * @property {BrokerConnection} connection
 * @property {string} label for people, without the password
 * @property {{rabbitmq: string | null, erlang: string | null}} versions
 * @property {() => Promise<ReturnType<typeof import('../measure/process-times.js').readProcessTimes>>} readTimes CPU time of its process;
 *   null where that cannot be seen
 * @property {number | null} pid of the Erlang process where it runs on this host and can be seen
 * @property {number | null} maxMessageBytes the largest message that it takes; null when that is not known
 * @property {Promise<string>} died settles with a reason when a private broker ends unasked; for others never
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
 * @param {import('../hosts/index.js').Host} [request.host] where a private one is started; default this host, for this host alone
 * @param {(line: string) => void} request.log takes a line for people
 * @param {AbortSignal} request.signal ends the search; nothing is left running when the promise rejects with its reason
 * @param {string[]} [request.serverFolders] where to look for `rabbitmq-server`; default where packages put it
 * @param {number} [request.localPort] where to look for a running broker; default 5672
 * @returns {Promise<Broker>}
 * @throws {UnavailableError} code PB_BROKER_UNAVAILABLE: none could be had; it says what to do about it
 * @throws {import('../errors.js').UsageError} when a URL is malformed
 */
export async function obtainBroker({
  choice,
  given,
  host = new LocalHost(),
  temporaryFolder,
  log,
  signal,
  serverFolders,
  localPort = 5672,
}) {
  signal.throwIfAborted();
  const base = host.isRemote ? undefined : (temporaryFolder ?? tmpdir());
  if (choice === 'private') return await startPrivate({host, base, log, signal, serverFolders});
  const named = choice === 'auto' ? given : {url: choice};
  if (named) return await useGivenBroker(toConnection(named), signal);
  // One for guest on localhost serves that host alone.
  if (host.isRemote || host.brokerAddress !== null)
    return await startPrivate({host, base, log, signal, serverFolders});
  const found = await findLocalBroker({port: localPort, log, signal});
  return found ?? (await startPrivate({host, base, log, signal, serverFolders, localPort}));
}

/** @param {GivenBroker} given @returns {BrokerConnection} */
function toConnection(given) {
  if (!('url' in given)) return completeConnection(given);
  const connection = parseBrokerUrl(given.url);
  return {...connection, caFile: given.caFile ?? connection.caFile};
}

/**
 * @param {object} options
 * @param {import('../hosts/index.js').Host} options.host
 * @param {string} [options.base] the folder for temporary files
 * @param {(line: string) => void} options.log
 * @param {AbortSignal} options.signal
 * @param {string[]} [options.serverFolders]
 * @param {number} [options.localPort] where none was found before
 */
async function startPrivate({host, base, log, signal, serverFolders, localPort}) {
  if (!host.isRemote && (await findServer(serverFolders)) === null) throw noBroker(localPort);
  const place = host.keeperPlace();
  const hostname = host.brokerAddress ?? '127.0.0.1';
  return await startPrivateBroker({place, hostname, serverFolders, base, log, signal});
}

/** @param {number} [localPort] */
function noBroker(localPort) {
  const tried = localPort === undefined ? '' : `no broker for guest answers on localhost:${localPort}, and `;
  const message = `There is no RabbitMQ: ${tried}rabbitmq-server is not installed on this host. Install it with: ${installCommand()}`;
  return new UnavailableError(message, {code: 'PB_BROKER_UNAVAILABLE'});
}
