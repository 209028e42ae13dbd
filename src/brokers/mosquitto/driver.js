import {pbkdf2Sync, randomBytes, randomUUID} from 'node:crypto';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {bounded} from '../../net/bounded.js';
import {safeText} from '../../safe-text.js';
import {clientIdsOf} from '../client-id.js';
import {driverOfOneServer} from '../one-server.js';
import {openMqtt} from './connection.js';
import {topicsOf} from './topics.js';
import {localServer} from './url.js';

/**
 * @import {Greeting, PairNames} from '../kind.js'
 * @import {PlannedServer} from '../one-server.js'
 * @import {MqttConnection} from './url.js'
 * @import {MqttClient} from 'mqtt'
 */

const connectionTo = (/** @type {Partial<MqttConnection>} */ server) => ({...localServer, ...server});

export const driver = driverOfOneServer(
  {label: 'Mosquitto', program: 'mosquitto', connectionTo},
  {greet, command, removeLeft},
);

/** A broker sends what is retained at once. Others than Mosquitto need not have it. */
const versionWithinMs = 500;

/**
 * @param {MqttConnection} connection
 * @param {{timeoutMs: number, signal: AbortSignal}} bounds for all of it
 * @returns {Promise<Greeting>}
 */
async function greet(connection, bounds) {
  const {client, closed, close} = await openMqtt(connection, {clientId: randomUUID()}, bounds);
  try {
    const version = await bounded(Promise.race([versionFrom(client), closed]), versionWithinMs).catch(
      () => null,
    );
    return {product: 'Mosquitto', versions: {mosquitto: version ?? null}};
  } finally {
    await close();
  }
}

/** @param {MqttClient} client */
async function versionFrom(client) {
  /** @type {Promise<string>} */
  const said = new Promise((resolve) => {
    client.on('message', (_, payload) =>
      resolve(safeText(String(payload)).replace(/^mosquitto version /, '')),
    );
  });
  await client.subscribeAsync('$SYS/broker/version');
  return await said;
}

/** @param {PlannedServer} server */
async function command({folder, username, password, ...server}) {
  const passwords = join(folder, 'passwords');
  await writeFile(passwords, passwordLine(username, password), {mode: 0o600});
  const configuration = join(folder, 'mosquitto.conf');
  await writeFile(configuration, configurationOf({...server, passwords}), {mode: 0o600});
  return ['-c', configuration];
}

/** What mosquitto_passwd writes: PBKDF2 with SHA-512. @param {string} username @param {string} password */
function passwordLine(username, password) {
  const [iterations, saltBytes, hashBytes] = [101, 12, 64];
  const salt = randomBytes(saltBytes);
  const hash = pbkdf2Sync(password, salt, iterations, hashBytes, 'sha512');
  return `${username}:$7$${iterations}$${salt.toString('base64')}$${hash.toString('base64')}\n`;
}

/**
 * What a private broker keeps in its file, and when it writes that, by the setting of its transport. By changes, it writes after a turn of its loop with
 * more than `autosave_interval` changes, which may not be 0.
 */
const persistence = {
  off: 'persistence false',
  interval: 'persistence true',
  changes: 'persistence true\nautosave_on_changes true\nautosave_interval 1',
};

/**
 * Mosquitto's defaults, except for: Nagle's algorithm is off, as at the clients; a queue holds any number of messages, where the default drops those
 * beyond 1000 without a word; any number of them is on its way, where the default is 20. As root, it would become another user, who cannot read
 * the folder.
 * @param {Pick<PlannedServer, 'address' | 'port' | 'data' | 'settings'> & {passwords: string}} server passwords: the path of their file
 */
export function configurationOf({address, port, data, settings, passwords}) {
  const kept = persistence[/** @type {keyof typeof persistence} */ (settings.persistence ?? 'off')];
  return `listener ${port} ${address}
allow_anonymous false
password_file ${passwords}
${process.getuid?.() === 0 ? 'user root\n' : ''}set_tcp_nodelay true
max_queued_messages 0
max_inflight_messages 0
${kept}
persistence_location ${data}/
log_dest stdout
log_type error
log_type warning
connection_messages false
`;
}

/**
 * Ends the sessions that clients of pairs have left with their queues: a client ends its own, unless it was killed or lost its connection. Then they
 * expire.
 * @param {MqttConnection} connection
 * @param {readonly PairNames[]} pairs that have ended
 * @param {{timeoutMs: number, signal?: AbortSignal}} bounds for all of it
 */
async function removeLeft(connection, pairs, bounds) {
  const names = pairs.flatMap((pair) => {
    const {clientName} = topicsOf(pair.names);
    return clientIdsOf(pair).map((id) => clientName('taker', id));
  });
  await Promise.all(names.map((clientId) => endSession(connection, clientId, bounds)));
}

/**
 * A clean start deletes what the broker keeps of a client.
 * @param {MqttConnection} connection
 * @param {string} clientId
 * @param {{timeoutMs?: number, signal?: AbortSignal, files?: Readonly<Record<string, string>>}} [bounds]
 */
export async function endSession(connection, clientId, bounds) {
  const {close} = await openMqtt(connection, {clientId}, bounds);
  await close();
}
