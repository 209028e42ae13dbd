import {randomBytes} from 'node:crypto';
import {safeText} from '../../safe-text.js';
import {connectFirst, untilAnswered} from '../../transports/nats/connection.js';
import {pathFolders} from '../programs.js';
import {startNatsServer} from './server.js';
import {beginsMessage} from './wire.js';

/**
 * @import {NatsConnection} from '../../transports/nats/url.js'
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
