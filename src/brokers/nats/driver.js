import {execFile} from 'node:child_process';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {UnavailableError} from '../../errors.js';
import {safeText} from '../../safe-text.js';
import {clientIdsOf} from '../client-id.js';
import {driverOfOneServer} from '../one-server.js';
import {connectFirst, streamsOf, untilAnswered} from './connection.js';
import {localServer} from './url.js';

/**
 * @import {PairNames} from '../kind.js'
 * @import {PlannedServer} from '../one-server.js'
 * @import {NatsConnection} from './url.js'
 */

const connectionTo = (/** @type {Partial<NatsConnection>} */ server) => ({...localServer, ...server});

export const driver = driverOfOneServer(
  {label: 'NATS', program: 'nats-server', connectionTo},
  {greet, command, removeLeft, beginsMessage},
);

/** @param {NatsConnection} connection @param {{timeoutMs: number, signal: AbortSignal}} bounds for the whole function */
async function greet(connection, {timeoutMs, signal}) {
  const since = performance.now();
  const {nats: client, server} = await connectFirst(connection, {timeoutMs, signal});
  const answering = {...connection, ...server, others: []};
  try {
    await untilAnswered(client, {server: answering, timeoutMs, since, signal});
    const version = client.info ? safeText(client.info.version) : null;
    return {product: 'NATS', versions: {nats: version}, connection: answering};
  } finally {
    await client.close();
  }
}

/**
 * Deletes the streams of roles that were killed or lost their connection; other roles delete their own streams. Another
 * program may use a subject that the user chose: only streams with the name of a pair or a client are deleted then.
 * @param {NatsConnection} connection
 * @param {readonly PairNames[]} pairs pairs that have ended
 * @param {{timeoutMs: number, signal?: AbortSignal}} bounds for the whole function
 */
async function removeLeft(connection, pairs, {timeoutMs, signal}) {
  const {nats: client} = await connectFirst(connection, {timeoutMs, signal});
  try {
    // JetStream's API is plain requests (https://docs.nats.io/reference/reference-protocols/nats_api_reference).
    const deletions = pairs
      .flatMap(streamsLeft)
      .map((name) => client.request(`$JS.API.STREAM.DELETE.${name}`, undefined, {timeout: timeoutMs}));
    await Promise.allSettled(deletions);
  } finally {
    await client.close();
  }
}

/** @param {PairNames} pair @returns {string[]} the names of the streams that the pair may have left */
function streamsLeft({names, clients, isUnique}) {
  const {requestStream, broadcastStream, storeStream} = streamsOf(names);
  const {requestStream: inMemory} = streamsOf({...names, jetstreamStorage: 'memory'});
  const stores = clientIdsOf({names, clients}).map(storeStream);
  return [...(isUnique ? [requestStream, inMemory] : []), broadcastStream, ...stores];
}

/** @param {PlannedServer} server */
async function command({folder, program, ...server}) {
  if (server.settings.sync === 'always') await refuseWithoutSync(program);
  const configuration = join(folder, 'nats-server.conf');
  await writeFile(configuration, configurationOf(server), {mode: 0o600});
  return ['--config', configuration];
}

/** The first version that supports `sync_interval`. */
const syncsSince = {major: 2, minor: 10};

/** @param {string} program @throws {UnavailableError} */
async function refuseWithoutSync(program) {
  const {stdout} = await promisify(execFile)(program, ['--version']);
  const [, version, major, minor] = /v((\d+)\.(\d+)\S*)/.exec(stdout) ?? ['', stdout.trim(), '0', '0'];
  if (Number(major) > syncsSince.major) return;
  if (Number(major) === syncsSince.major && Number(minor) >= syncsSince.minor) return;
  throw new UnavailableError(
    `NATS ${version} (${program}) cannot write each message to the disk before it acknowledges it; NATS ${syncsSince.major}.${syncsSince.minor} and later can. Put a later nats-server first on PATH, or use --jetstream-sync interval.`,
    {code: 'PB_BROKER_UNAVAILABLE'},
  );
}

/** The default of two seconds disconnects a client that starts on a busy host. */
const authorizeWithinS = 60;

/**
 * NATS's defaults, except for the time to authenticate and the size of messages: the default of 1 MiB is below the largest
 * payloads. `max_pending`, the buffer for a subscriber, must not be less than one message. JetStream does nothing until a
 * client makes a stream.
 * @param {Pick<PlannedServer, 'address' | 'port' | 'username' | 'password' | 'data' | 'settings'>} server
 */
export function configurationOf({address, port, username, password, data, settings}) {
  const sync = settings.sync === undefined ? '' : `, sync_interval: ${settings.sync}`;
  return `host: "${address}"
port: ${port}
authorization { user: "${username}", password: "${password}", timeout: ${authorizeWithinS} }
max_payload: 64MB
max_pending: 64MB
jetstream { store_dir: "${join(data, 'jetstream')}"${sync} }
`;
}

/** PUB and HPUB of a client, MSG and HMSG of the server, after lines without a payload. */
const message = /^(?:(?:PING|PONG|\+OK)\r\n)*H?(?:PUB|MSG) /;
const enoughBytes = 64;

/**
 * Whether a message begins in these bytes (https://docs.nats.io/reference/reference-protocols/nats-protocol).
 * @param {Buffer} bytes from the start of a line
 */
export function beginsMessage(bytes) {
  return message.test(bytes.toString('latin1', 0, enoughBytes));
}
