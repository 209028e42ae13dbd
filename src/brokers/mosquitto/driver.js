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
 * @import {PairNames} from '../kind.js'
 * @import {PlannedServer} from '../one-server.js'
 * @import {MqttConnection} from './url.js'
 * @import {MqttClient} from 'mqtt'
 */

const connectionTo = (/** @type {Partial<MqttConnection>} */ server) => ({...localServer, ...server});

export const driver = driverOfOneServer(
  {label: 'Mosquitto', program: 'mosquitto', connectionTo},
  {greet, command, removeLeft},
);

/** Mosquitto sends the retained version at once. Other brokers may have none. */
const versionWithinMs = 500;

/** @param {MqttConnection} connection @param {{timeoutMs: number, signal: AbortSignal}} bounds for the whole function */
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

/** A line in the format of mosquitto_passwd: PBKDF2 with SHA-512. @param {string} username @param {string} password */
function passwordLine(username, password) {
  const [iterations, saltBytes, hashBytes] = [101, 12, 64];
  const salt = randomBytes(saltBytes);
  const hash = pbkdf2Sync(password, salt, iterations, hashBytes, 'sha512');
  return `${username}:$7$${iterations}$${salt.toString('base64')}$${hash.toString('base64')}\n`;
}

/**
 * The persistence of a private broker, by the setting of the transport. With `changes`, the broker writes its file after
 * each turn of its loop with more than `autosave_interval` changes, which must be at least 1.
 */
const persistence = {
  off: 'persistence false',
  interval: 'persistence true',
  changes: 'persistence true\nautosave_on_changes true\nautosave_interval 1',
};

/**
 * Mosquitto's defaults with four changes. Nagle's algorithm is off, as in the clients. A queue holds any number of messages;
 * the default silently drops messages beyond 1000. Any number of messages may be in flight; the default is 20. A broker that
 * root starts stays root; by default it becomes a user who cannot read the folder.
 * @param {Pick<PlannedServer, 'address' | 'port' | 'data' | 'settings'> & {passwords: string}} server passwords: the path of the password file
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
 * Ends the sessions, with their queues, of clients that were killed or lost their connection; other clients end their own
 * sessions. Otherwise these sessions would stay until they expire.
 * @param {MqttConnection} connection
 * @param {readonly PairNames[]} pairs pairs that have ended
 * @param {{timeoutMs: number, signal?: AbortSignal}} bounds for the whole function
 */
async function removeLeft(connection, pairs, bounds) {
  const names = pairs.flatMap((pair) => {
    const {clientName} = topicsOf(pair.names);
    return clientIdsOf(pair).map((id) => clientName('taker', id));
  });
  await Promise.all(names.map((clientId) => endSession(connection, clientId, bounds)));
}

/**
 * Deletes the session of a client: a clean start discards the earlier session.
 * @param {MqttConnection} connection @param {string} clientId
 * @param {{timeoutMs?: number, signal?: AbortSignal, files?: Readonly<Record<string, string>>}} [bounds]
 */
export async function endSession(connection, clientId, bounds) {
  const {close} = await openMqtt(connection, {clientId}, bounds);
  await close();
}
