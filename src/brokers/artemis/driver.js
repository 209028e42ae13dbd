import {access, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {joinAddress} from '../../net/address.js';
import {clientIdsOf} from '../client-id.js';
import {driverOfOneServer} from '../one-server.js';
import {startFailed, startTimeoutMs} from '../server-process.js';
import {greet, onManagement, queuesOf} from './management.js';
import {localServer} from './url.js';

/**
 * @import {BrokerDriver, PairNames, RunningHost} from '../kind.js'
 * @import {PlannedServer, Run, ServerPlan} from '../one-server.js'
 * @import {ArtemisConnection} from './url.js'
 */

const connectionTo = (/** @type {Partial<ArtemisConnection>} */ server) => ({...localServer, ...server});

const ofOneServer = driverOfOneServer(
  {label: 'Artemis', program: 'artemis', connectionTo},
  {greet, removeLeft, command, environment, processName: /^java/},
);

/** @type {BrokerDriver<ArtemisConnection>} */
export const driver = {
  ...ofOneServer,
  startOnHost: async (plan, host, signal) =>
    await withItsJournal(await ofOneServer.startOnHost(plan, host, signal), plan, signal),
};

/**
 * Checks the type of the journal. Without libaio, Artemis falls back to NIO, and reports this only in its log.
 * @param {RunningHost<ArtemisConnection>} running @param {ServerPlan} plan @param {AbortSignal} signal
 */
async function withItsJournal(running, {settings: {journal = 'nio'}}, signal) {
  const [{connection}] = running.nodes;
  try {
    const type = await onManagement(connection, {timeoutMs: startTimeoutMs, signal}, (management) =>
      management.journalType(),
    );
    if (type.toLowerCase() === journal) return running;
    throw startFailed(
      'Artemis',
      `its journal is ${type}, and not ${journal.toUpperCase()}. That needs Linux with libaio: npx perf-battle install artemis installs it.`,
    );
  } catch (error) {
    await running.end();
    throw error;
  }
}

/**
 * Deletes the queues and addresses of roles that were killed or lost their connection; other roles delete their own. Another
 * program may use a prefix that the user chose: then the queue of requests stays while it has a consumer.
 * @param {ArtemisConnection} connection
 * @param {readonly PairNames[]} pairs pairs that have ended
 * @param {{timeoutMs: number, signal?: AbortSignal}} bounds for the whole function
 */
async function removeLeft(connection, pairs, bounds) {
  /** @type {Set<string>} */
  const addresses = new Set();
  await onManagement(connection, bounds, async (management) => {
    for (const {names, clients, isUnique} of pairs) {
      const {requests, broadcast, repliesTo, store} = queuesOf(names);
      const own = clientIdsOf({names, clients}).flatMap((id) => [repliesTo(id), store(id)]);
      await Promise.allSettled([
        ...own.map((name) => management.deleteQueue(name)),
        management.deleteQueue(requests, {ifUnused: !isUnique}),
      ]);
      for (const name of [...own, requests, broadcast]) addresses.add(name);
    }
    await management.deleteAddresses((name) => addresses.has(name));
  });
}

/** The folder of the instance, relative to the working directory. */
const instance = 'instance';

/** The Java options from the start script of an instance, except for those of the web console. */
const javaOptions = [
  ...['-XX:AutoBoxCacheMax=20000', '-XX:+UseG1GC', '-XX:+UseStringDeduplication', '-Xms512M', '-Xmx2G'],
  ...['-Dlog4j2.disableJmx=true', '--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED'],
  `-Dartemis.instance=${instance}`,
  `-Dlog4j2.configurationFile=${instance}/etc/log4j2.properties`,
  `-Djava.security.auth.login.config=${instance}/etc/login.config`,
];

function environment() {
  return {JAVA_ARGS: javaOptions.join(' ')};
}

/** @param {PlannedServer} server @param {Run} run */
async function command({folder, program, data, username, password, address, port, settings}, run) {
  const etc = join(folder, instance, 'etc');
  const configuration = join(etc, 'broker.xml');
  const isMade = await access(configuration).then(
    () => true,
    () => false,
  );
  if (!isMade) {
    const {journal = 'nio'} = settings;
    const how = wordsToCreate({data: join(data, 'artemis'), username, journal});
    await run('artemis create', [program, 'create', ...how, join(folder, instance)]);
    await writeFile(join(etc, 'artemis-users.properties'), `${username} = ${password}\n`, {mode: 0o600});
    const made = await readFile(configuration, 'utf8');
    await writeFile(configuration, configurationFrom(made, {address, port}));
  }
  return ['run'];
}

/** The options of `artemis create`, by the setting of the transport. Its default is asynchronous I/O if libaio is installed. */
const waysOfJournals = {nio: '--nio', asyncio: '--aio'};

/**
 * The arguments of `artemis create`, which writes an instance and measures the write rate of the disk. They contain no
 * password, because other users can read a command line; the caller replaces the default password before the start.
 * @param {{data: string, username: string, journal: string}} how
 */
function wordsToCreate({data, username, journal}) {
  const way = waysOfJournals[/** @type {keyof typeof waysOfJournals} */ (journal)];
  const only = ['--no-web', '--no-hornetq-acceptor', '--no-mqtt-acceptor', '--no-stomp-acceptor'];
  return ['--silent', '--user', username, '--require-login', ...only, way, '--data', data];
}

/**
 * The configuration of `artemis create` with three changes. The broker accepts only AMQP at one address, with the parameters
 * of Apache's acceptor. A disk is full when 50 MB are free, not when 90 % are used. The broker never drops a message because
 * of its delivery count (default: after ten deliveries).
 * @param {string} made @param {Pick<PlannedServer, 'address' | 'port'>} server
 */
export function configurationFrom(made, {address, port}) {
  const parameters = /<acceptor name="amqp">tcp:\/\/[^?]*\?([^<]*)<\/acceptor>/.exec(made)?.[1];
  if (parameters === undefined)
    throw startFailed('Artemis', 'artemis create has written no acceptor of AMQP into its broker.xml.');
  const acceptor = `<acceptor name="amqp">tcp://${joinAddress(address, port)}?${parameters}</acceptor>`;
  return made
    .replace(/<acceptors>.*<\/acceptors>/s, () => `<acceptors>${acceptor}</acceptors>`)
    .replace(/<max-disk-usage>.*<\/max-disk-usage>/, '<min-disk-free>50M</min-disk-free>')
    .replace(/(<address-setting match="#">)/, '$1<max-delivery-attempts>-1</max-delivery-attempts>');
}
