import {randomBytes} from 'node:crypto';
import {safeText} from '../../safe-text.js';
import {pathFolders} from '../programs.js';
import {connectFirst, untilAnswered} from './connection.js';
import {startNatsServer} from './server.js';

/**
 * @import {NatsConnection} from './url.js'
 * @import {BrokerDriver, Greeting} from '../kind.js'
 * @import {NatsPlan} from './server.js'
 */

/** @type {BrokerDriver<NatsConnection>} */
export const driver = {
  greet,
  beginsMessage,
  processName: /^nats-server/,
  programFolders: async () => [...pathFolders(), '/usr/local/bin', '/opt/homebrew/bin'],
  planHosts: ([hostname]) => [planServer(hostname)],
  startOnHost: (plan, host, signal) => startNatsServer(plan, host, {greet, signal}),
};

/**
 * @param {NatsConnection} connection
 * @param {{timeoutMs: number, signal: AbortSignal}} bounds for all of it
 * @returns {Promise<Greeting>}
 */
async function greet(connection, {timeoutMs, signal}) {
  const since = performance.now();
  const {nats, server} = await connectFirst(connection, {timeoutMs, signal});
  const answering = {...connection, ...server, others: []};
  try {
    await untilAnswered(nats, {server: answering, timeoutMs, since, signal});
    const version = nats.info ? safeText(nats.info.version) : null;
    return {product: 'NATS', versions: {nats: version}, connection: answering};
  } finally {
    await nats.close();
  }
}

/** @param {string} hostname @returns {NatsPlan} */
function planServer(hostname) {
  return {hostname, username: 'perf-battle', password: randomBytes(18).toString('base64url')};
}

/** PUB and HPUB of a client, MSG and HMSG of the server, after lines that have no payload. */
const message = /^(?:(?:PING|PONG|\+OK)\r\n)*H?(?:PUB|MSG) /;
const enoughBytes = 64;

/**
 * Whether a message begins in these bytes.
 * See https://docs.nats.io/reference/reference-protocols/nats-protocol.
 * @param {Buffer} bytes from the start of a line
 */
export function beginsMessage(bytes) {
  return message.test(bytes.toString('latin1', 0, enoughBytes));
}
