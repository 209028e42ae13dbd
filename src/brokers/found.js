import {listenerPid} from '../hosts/processes.js';
import {readProcessTimes} from '../measure/process-times.js';
import {connectBroker, readVersions} from '../transports/rabbitmq/connection.js';
import {completeConnection, hostAndPort, maskConnection} from '../transports/rabbitmq/url.js';

/**
 * @import {UnavailableError} from '../errors.js'
 * @import {BrokerConnection} from '../transports/rabbitmq/url.js'
 * @import {Broker} from './index.js'
 */

const FIND_TIMEOUT_MS = 2000;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

/**
 * Connects once to a broker that the person named, so that a wrong address or password shows before the first round.
 * @param {BrokerConnection} connection
 * @param {AbortSignal} signal
 * @returns {Promise<Broker>}
 * @throws {UnavailableError}
 */
export async function useGivenBroker(connection, signal) {
  return await describeRunning('given', connection, {signal, timeoutMs: 10_000});
}

/**
 * A broker with its default user on this host, if one answers.
 * @param {{port: number, log: (line: string) => void, signal: AbortSignal}} options
 * @returns {Promise<Broker | null>}
 */
export async function findLocalBroker({port, log, signal}) {
  const connection = completeConnection({hostname: 'localhost', port});
  try {
    return await describeRunning('found', connection, {signal, timeoutMs: FIND_TIMEOUT_MS});
  } catch (error) {
    signal.throwIfAborted();
    if (!isRefused(error))
      log(`${hostAndPort(connection)} is not used: ${/** @type {Error} */ (error).message}`);
    return null;
  }
}

/**
 * @param {'given' | 'found'} kind
 * @param {BrokerConnection} connection
 * @param {{signal: AbortSignal, timeoutMs: number}} options
 * @returns {Promise<Broker>}
 */
async function describeRunning(kind, connection, options) {
  const model = await connectBroker(connection, options);
  model.on('error', () => {});
  const {product, rabbitmq, erlang} = readVersions(model);
  await model.close().catch(() => {});
  const pid = LOOPBACK.test(connection.hostname) ? await listenerPid(connection.port, /^beam/) : null;
  return {
    kind,
    connection,
    connections: [connection],
    label: `${product ?? 'broker'} ${rabbitmq ?? ''} at ${maskConnection(connection)}`.replace('  ', ' '),
    versions: {rabbitmq, erlang},
    pid,
    readTimes: async () => readProcessTimes(pid),
    // Its configuration is its owner's: the limit is not known without asking its management.
    maxMessageBytes: null,
    died: new Promise(() => {}),
    release: async () => {},
  };
}

/** Nothing listens there: the usual case, not worth a line. @param {unknown} error */
function isRefused(error) {
  const cause = /** @type {{cause?: unknown}} */ (error).cause;
  const errors = cause instanceof AggregateError ? cause.errors : [cause];
  return errors.every((each) => /** @type {NodeJS.ErrnoException} */ (each)?.code === 'ECONNREFUSED');
}
