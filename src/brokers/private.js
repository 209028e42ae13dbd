import {randomBytes} from 'node:crypto';
import {UnavailableError} from '../errors.js';
import {hostAndPort} from '../transports/rabbitmq-url.js';
import {findEpmd, findSetpriv} from './installation.js';
import {launchKeeper} from './keeper-process.js';

/** @typedef {import('./index.js').Broker} Broker */
/** @typedef {import('./keeper-process.js').Keeper} Keeper */
/** @typedef {import('./keeper-process.js').Started} Started */

/**
 * Starts a RabbitMQ node for this run alone: only this host reaches it, only its own random user may use it, and
 * nothing of it is left afterwards, even if this process is killed.
 * @param {{server: string, base: string, log: (line: string) => void, signal: AbortSignal}} options
 *   server: the path of `rabbitmq-server`; base: the folder for temporary files
 * @returns {Promise<Broker>}
 * @throws {UnavailableError} with the tail of the node's log
 */
export async function startPrivateBroker({server, base, log, signal}) {
  const plan = {
    server,
    epmd: (await findEpmd()) ?? noEpmd(server),
    setpriv: await findSetpriv(),
    username: 'perf-battle',
    password: randomBytes(18).toString('base64url'),
  };
  signal.throwIfAborted();
  log('Starting a private RabbitMQ node; this takes some seconds.');
  const keeper = launchKeeper(base, {plan});
  try {
    return toBroker(await untilStarted(keeper, signal), keeper);
  } catch (error) {
    await keeper.end('at once');
    signal.throwIfAborted();
    throw error;
  }
}

/** @param {string} server @returns {never} */
function noEpmd(server) {
  throw new UnavailableError(
    `${server} is installed, but Erlang's epmd was not found beside it or on PATH. Install Erlang.`,
    {
      code: 'PB_BROKER_UNAVAILABLE',
    },
  );
}

/** @param {Keeper} keeper @param {AbortSignal} signal @returns {Promise<Started>} */
async function untilStarted(keeper, signal) {
  /** @type {() => void} */
  let onAbort = () => {};
  const aborted = new Promise((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, {once: true});
    if (signal.aborted) onAbort();
  });
  try {
    return await Promise.race([keeper.started, /** @type {Promise<never>} */ (aborted)]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** @param {Started} started @param {Keeper} keeper @returns {Broker} */
function toBroker({pid, connection, versions}, keeper) {
  let released = false;
  return {
    kind: 'private',
    connection,
    label: `RabbitMQ ${versions.rabbitmq ?? ''} at ${hostAndPort(connection)}, a private node`,
    versions,
    pid,
    maxMessageBytes: defaultMaxMessageBytes(versions.rabbitmq),
    died: keeper.died.then((reason) => (released ? new Promise(() => {}) : reason)),
    release: async () => {
      released = true;
      await keeper.end('gracefully');
    },
  };
}

/**
 * RabbitMQ's default for `max_message_size`: 16 MiB since 4.0, 128 MiB since 3.8, before that none.
 * @param {string | null} version
 */
function defaultMaxMessageBytes(version) {
  const [major, minor] = (version ?? '').split('.').map(Number);
  if (major >= 4) return 16 * 1024 * 1024;
  return major === 3 && minor >= 8 ? 128 * 1024 * 1024 : null;
}
