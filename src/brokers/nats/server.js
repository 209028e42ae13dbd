import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {homeOf} from '../folder.js';
import {listenAddressOf, pickPorts} from '../listening.js';
import {pathFolders} from '../programs.js';
import {startServer} from '../server-process.js';
import {localServer} from './url.js';

/**
 * @import {UnavailableError} from '../../errors.js'
 * @import {NatsConnection} from './url.js'
 * @import {BrokerDriver, HostFolder, HostPlan, RunningHost} from '../kind.js'
 */

/** @typedef {HostPlan & {username: string, password: string}} NatsPlan */

const startTimeoutMs = 20_000;

/**
 * Starts a private NATS server, and waits until it answers.
 * @param {NatsPlan} plan
 * @param {HostFolder} host
 * @param {{greet: BrokerDriver<NatsConnection>['greet'], signal: AbortSignal}} deps
 * @returns {Promise<RunningHost<NatsConnection>>}
 * @throws {UnavailableError} with the tail of its log
 */
export async function startNatsServer({hostname, username, password}, {folder, program, setpriv}, deps) {
  const address = listenAddressOf(hostname);
  const [port] = await pickPorts([address]);
  const configuration = join(folder, 'nats-server.conf');
  await writeFile(configuration, configurationOf({address, port, username, password}), {mode: 0o600});
  const connection = {...localServer, hostname, port, username, password};
  // If the address is translated on the way, it may not be reachable from this host itself.
  const fromHere = address === hostname ? connection : {...connection, hostname: 'localhost'};
  const {pid, answer, ended, end} = await startServer(
    {
      label: 'NATS',
      title: 'nats-server',
      command: [program, '--config', configuration],
      setpriv,
      folder,
      environment: {PATH: pathFolders().join(':'), LANG: 'C.UTF-8', HOME: homeOf(folder)},
      log: join(folder, 'output.log'),
      secret: password,
    },
    {ask: (signal) => deps.greet(fromHere, {timeoutMs: 5000, signal}), timeoutMs: startTimeoutMs},
    deps.signal,
  );
  const node = {pid, connection, versions: answer.versions};
  return {nodes: [node], ended, end, verify: async () => {}};
}

/**
 * NATS's defaults, except for the size of messages: its default of 1 MiB is below the largest payloads. What may wait for one subscriber must
 * not be less than one message.
 * @param {{address: string, port: number, username: string, password: string}} server
 */
export function configurationOf({address, port, username, password}) {
  return `host: "${address}"
port: ${port}
authorization { user: "${username}", password: "${password}" }
max_payload: 64MB
max_pending: 64MB
`;
}
