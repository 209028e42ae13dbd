import {randomBytes} from 'node:crypto';
import {readProcessTimes} from '../measure/process-times.js';
import {untilAborted} from '../measure/until-aborted.js';
import {hostAndPort} from '../transports/rabbitmq-url.js';
import {launchKeeper} from './keeper-process.js';

/** @typedef {import('./index.js').Broker} Broker */
/** @typedef {import('./keeper-process.js').Keeper} Keeper */
/** @typedef {import('./keeper-process.js').Started} Started */

/**
 * Starts a RabbitMQ node for this run alone: only who must reaches it, only its own random user may use it, and nothing of it is left
 * afterwards, even if this process is killed or the network is cut.
 * @param {{place: import('../hosts/host.js').KeeperPlace, hostname: string, serverFolders?: string[], base?: string,
 *   log: (line: string) => void, signal: AbortSignal}} options
 *   place: where it runs; hostname: under which the roles reach it; base: the folder for temporary files
 * @returns {Promise<Broker>}
 * @throws {import('../errors.js').UnavailableError} with the tail of the node's log
 */
export async function startPrivateBroker({place, hostname, serverFolders, base, log, signal}) {
  const plan = {hostname, username: 'perf-battle', password: randomBytes(18).toString('base64url')};
  signal.throwIfAborted();
  const where = place.isRemote ? ` on ${place.name}` : '';
  log(`Starting a private RabbitMQ node${where}; this takes some seconds.`);
  const keeper = launchKeeper(await place.spawn(), {plan, serverFolders, base, beats: place.isRemote}, place);
  try {
    return toBroker(await untilAborted(keeper.started, signal), keeper, place);
  } catch (error) {
    await keeper.end('at once');
    signal.throwIfAborted();
    throw error;
  }
}

/**
 * @param {Started} started
 * @param {Keeper} keeper
 * @param {import('../hosts/host.js').KeeperPlace} place
 * @returns {Broker}
 */
function toBroker({pid, connection, versions}, keeper, place) {
  let released = false;
  return {
    kind: 'private',
    connection,
    label: `RabbitMQ ${versions.rabbitmq ?? ''} at ${hostAndPort(connection)}, a private node`,
    versions,
    pid: place.isRemote ? null : pid,
    readTimes: place.isRemote ? () => keeper.readTimes() : async () => readProcessTimes(pid),
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
