import {UnavailableError} from '../errors.js';
import {listenerPid} from '../hosts/processes.js';
import {isLoopback} from '../measure/network.js';
import {readProcessTimes} from '../measure/system.js';
import {joinAddress} from '../net/address.js';

/**
 * @import {Broker, BrokerConnection, BrokerKind} from './kind.js'
 */

/** The last one: this host has no such address. */
const notThere = ['ECONNREFUSED', 'ENETUNREACH', 'EADDRNOTAVAIL'];
const FIND_TIMEOUT_MS = 2000;

/**
 * Connects once to a broker that the user named, so that a wrong address or password is reported before the first round.
 * @template {BrokerConnection} Connection
 * @param {BrokerKind<Connection>} kind
 * @param {Connection} connection
 * @param {AbortSignal} signal
 * @returns {Promise<Broker<Connection>>}
 * @throws {UnavailableError}
 */
export async function useGivenBroker(kind, connection, signal) {
  return await describeRunning(kind, 'given', connection, {signal, timeoutMs: 10_000});
}

/**
 * Looks for a broker on this host that accepts its default user.
 * @template {BrokerConnection} Connection
 * @param {BrokerKind<Connection>} kind
 * @param {Connection} connection
 * @param {{log: (line: string) => void, signal: AbortSignal}} options
 * @returns {Promise<Broker<Connection> | null>}
 * @throws {UnavailableError} PB_NOT_INSTALLED: a package of npm is missing, without which a private one could not be used either
 */
export async function findLocalBroker(kind, connection, {log, signal}) {
  try {
    return await describeRunning(kind, 'found', connection, {signal, timeoutMs: FIND_TIMEOUT_MS});
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnavailableError && error.code === 'PB_NOT_INSTALLED') throw error;
    const where = joinAddress(connection.hostname, connection.port);
    if (!isRefused(error)) log(`${where} is not used: ${/** @type {Error} */ (error).message}`);
    return null;
  }
}

/**
 * @template {BrokerConnection} Connection
 * @param {BrokerKind<Connection>} kind
 * @param {'given' | 'found'} source
 * @param {Connection} named
 * @param {{signal: AbortSignal, timeoutMs: number}} options
 * @returns {Promise<Broker<Connection>>}
 */
async function describeRunning(kind, source, named, options) {
  const {greet, processName} = await kind.load();
  const {product, versions, connection = named} = await greet(named, options);
  const findPid = async () =>
    isLoopback(connection.hostname) ? await listenerPid(connection.port, processName) : null;
  let pid = await findPid();
  const readTimes = async () => {
    const times = readProcessTimes(pid);
    if (times || pid === null) return times;
    // It was restarted, and has another pid now.
    pid = (await findPid()) ?? pid;
    return readProcessTimes(pid);
  };
  const words = [product ?? 'broker', versions[kind.versions[0]], 'at', kind.mask(connection)];
  return {
    kind: kind.name,
    source,
    hosts: null,
    connection,
    connections: [connection],
    label: words.filter(Boolean).join(' '),
    versions,
    pid,
    readTimes,
    instance: (await readTimes())?.instance ?? null,
    died: new Promise(() => {}),
    release: async () => {},
  };
}

/** Whether nothing listens there. That is normal and needs no line. @param {unknown} error */
function isRefused(error) {
  const cause = /** @type {{cause?: unknown}} */ (error).cause;
  const errors = cause instanceof AggregateError ? cause.errors : [cause];
  return errors.every((each) => notThere.includes(/** @type {NodeJS.ErrnoException} */ (each)?.code ?? ''));
}
