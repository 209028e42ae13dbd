import {tmpdir} from 'node:os';
import {UnavailableError} from '../errors.js';
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
  temporaryFolder,
  log,
  signal,
  serverFolders,
  localPort = 5672,
}) {
  signal.throwIfAborted();
  const base = temporaryFolder ?? tmpdir();
  if (choice === 'private') return await startPrivate({base, log, signal, serverFolders});
  const named = choice === 'auto' ? given : {url: choice};
  if (named) return await useGivenBroker(toConnection(named), signal);
  const found = await findLocalBroker({port: localPort, log, signal});
  return found ?? (await startPrivate({base, log, signal, serverFolders, localPort}));
}

/** @param {GivenBroker} given @returns {BrokerConnection} */
function toConnection(given) {
  if (!('url' in given)) return completeConnection(given);
  const connection = parseBrokerUrl(given.url);
  return {...connection, caFile: given.caFile ?? connection.caFile};
}

/**
 * @param {object} options
 * @param {string} options.base
 * @param {(line: string) => void} options.log
 * @param {AbortSignal} options.signal
 * @param {string[]} [options.serverFolders]
 * @param {number} [options.localPort] where none was found before
 */
async function startPrivate({base, log, signal, serverFolders, localPort}) {
  const server = await findServer(serverFolders);
  if (server === null) throw noBroker(localPort);
  return await startPrivateBroker({server, base, log, signal});
}

/** @param {number} [localPort] */
function noBroker(localPort) {
  const tried = localPort === undefined ? '' : `no broker for guest answers on localhost:${localPort}, and `;
  const message = `There is no RabbitMQ: ${tried}rabbitmq-server is not installed on this host. Install it with: ${installCommand()}`;
  return new UnavailableError(message, {code: 'PB_BROKER_UNAVAILABLE'});
}
