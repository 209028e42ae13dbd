import {randomBytes} from 'node:crypto';
import {access, readdir, realpath, writeFile} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {joinAddress} from '../../net/address.js';
import {pickPorts} from '../../net/listen.js';
import {clientIdsOf} from '../client-id.js';
import {driverOfOneServer} from '../one-server.js';
import {askKafka, findAvailable, topicsOf} from './connection.js';
import {whenCoordinated} from './guard.js';
import {localServer} from './url.js';

/**
 * @import {BrokerDriver, PairNames, RunningHost} from '../kind.js'
 * @import {PlannedServer, Run} from '../one-server.js'
 * @import {KafkaConnection} from './url.js'
 * @import {Admin} from '@platformatic/kafka'
 */

const connectionTo = (/** @type {Partial<KafkaConnection>} */ server) => ({...localServer, ...server});

const ofOneServer = driverOfOneServer(
  {label: 'Kafka', program: 'kafka-server-start.sh', connectionTo},
  {greet, removeLeft, command, environment, processName: /^java/},
);

/** @type {BrokerDriver<KafkaConnection>} */
export const driver = {
  ...ofOneServer,
  startOnHost: async (plan, host, signal) =>
    withVersion(await ofOneServer.startOnHost(plan, host, signal), await versionOf(host.program)),
};

/**
 * Adds the version, which a broker does not report.
 * @param {RunningHost<KafkaConnection>} running @param {string | null} kafka
 * @returns {RunningHost<KafkaConnection>}
 */
function withVersion(running, kafka) {
  return {
    ...running,
    nodes: running.nodes.map((node) => ({...node, versions: {kafka}})),
    again: async (signal, indexes) => withVersion(await running.again(signal, indexes), kafka),
  };
}

/** The version in the name of the jar, which is in ../libs, or in ../libexec/libs with Homebrew. @param {string} program */
async function versionOf(program) {
  const folder = dirname(dirname(await realpath(program)));
  for (const place of ['libs', 'libexec/libs']) {
    const names = await readdir(join(folder, place)).catch(() => []);
    for (const name of names) {
      const [, version] = /^kafka-clients-(\d[\w.-]*)\.jar$/.exec(name) ?? [];
      if (version !== undefined) return version;
    }
  }
  return null;
}

/** @param {KafkaConnection} connection @param {{timeoutMs: number, signal: AbortSignal}} bounds for the whole function */
async function greet(connection, bounds) {
  return {product: 'Kafka', versions: {kafka: null}, connection: await findAvailable(connection, bounds)};
}

/**
 * Deletes the topics and groups of roles that were killed or lost their connection; other roles delete their own. Another
 * program may use a prefix that the user chose: only topics with the name of a pair or a client are deleted then.
 * @param {KafkaConnection} connection
 * @param {readonly PairNames[]} pairs pairs that have ended
 * @param {{timeoutMs: number, signal?: AbortSignal}} bounds for the whole function
 */
async function removeLeft(connection, pairs, bounds) {
  const left = pairs.map(leftBy);
  await askKafka(connection, bounds, async (admin) => {
    const topics = new Set(left.flatMap((one) => one.topics));
    const found = (await admin.listTopics()).filter((name) => topics.has(name));
    const deleting = found.length === 0 ? null : admin.deleteTopics({topics: found});
    const groups = left.flatMap((one) => one.groups);
    await Promise.allSettled([deleting, removeGroups(admin, groups)]);
    await deleting;
  });
}

/** @param {Admin} admin @param {readonly string[]} names */
async function removeGroups(admin, names) {
  const groups = await whenCoordinated(() => admin.listGroups());
  const found = names.filter((name) => groups.has(name));
  // A killed server remains a member for some seconds.
  for (const groupId of found) await admin.removeMembersFromConsumerGroup({groupId}).catch(() => {});
  if (found.length > 0) await admin.deleteGroups({groups: found});
}

/** @param {PairNames} pair */
function leftBy({names, clients, isUnique}) {
  const {requests, servers, broadcast, repliesTo, store} = topicsOf(names);
  const ids = clientIdsOf({names, clients});
  return {
    topics: [broadcast, ...ids.flatMap((id) => [repliesTo(id), store(id)]), ...(isUnique ? [requests] : [])],
    groups: [...ids.map(store), ...(isUnique ? [servers] : [])],
  };
}

/** By default Apache's scripts write logs into the folder of the installation. @param {string} folder */
function environment(folder) {
  return {LOG_DIR: join(folder, 'logs')};
}

/** @param {PlannedServer} server @param {Run} run */
async function command({folder, program, data, ...server}, run) {
  const configuration = join(folder, 'kafka.properties');
  const [controllerPort] = await pickPorts(['127.0.0.1']);
  const logs = join(data, 'kafka');
  await writeFile(configuration, configurationOf({...server, logs, controllerPort}), {mode: 0o600});
  const isFormatted = await access(join(logs, 'meta.properties')).then(
    () => true,
    () => false,
  );
  if (!isFormatted) {
    // Kafka needs a folder with the id of a cluster. The script that writes it is next to the start script.
    const script = basename(program).replace('server-start', 'storage');
    const words = ['format', '-t', clusterId(randomBytes(16)), '-c', configuration];
    await run(script, [join(dirname(program), script), ...words], environment(folder));
  }
  return [configuration];
}

/** @param {Buffer} random 16 bytes @returns {string} an id without a leading dash, which a command would take for an option */
export function clusterId(random) {
  return Buffer.from([random[0] & 0x7f, ...random.subarray(1)]).toString('base64url');
}

/**
 * Kafka's defaults with four changes. Internal topics have one replica, because there is one node. A group of consumers
 * starts at once, not after 3 s. The broker looks for old segments every second (default: five minutes) and deletes their
 * files after a second (default: a minute), because a battle can fill a disk in that time. The idle controller writes
 * nothing (default: twice a second), so that an idle broker does not disturb other measurements.
 * @param {Pick<PlannedServer, 'hostname' | 'address' | 'port' | 'username' | 'password'> & {logs: string, controllerPort: number}} server
 */
export function configurationOf({hostname, address, port, username, password, logs, controllerPort}) {
  const login = 'org.apache.kafka.common.security.plain.PlainLoginModule required';
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
controller.listener.names=CONTROLLER
listeners=CLIENTS://${joinAddress(address, port)},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=CLIENTS://${joinAddress(hostname, port)}
listener.security.protocol.map=CLIENTS:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=CLIENTS
sasl.enabled.mechanisms=PLAIN
sasl.mechanism.inter.broker.protocol=PLAIN
listener.name.clients.plain.sasl.jaas.config=${login} username="${username}" password="${password}" user_${username}="${password}";
log.dirs=${logs}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
log.retention.check.interval.ms=1000
log.initial.task.delay.ms=1000
log.segment.delete.delay.ms=1000
metadata.max.idle.interval.ms=0
`;
}
