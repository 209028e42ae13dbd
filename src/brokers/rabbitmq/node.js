import {readFile} from 'node:fs/promises';
import {startServer} from '../server-process.js';
import {greet} from './ask.js';
import {nodeEnvironment, pathsIn, writeNodeFiles} from './settings.js';
import {completeConnection} from './url.js';

/**
 * @import {UnavailableError} from '../../errors.js'
 * @import {RabbitmqConnection} from './url.js'
 * @import {RunningNode as AnyNode} from '../kind.js'
 * @import {NodeSettings} from './settings.js'
 */

/**
 * @typedef {AnyNode<RabbitmqConnection> & {
 *   settings: NodeSettings, ended: Promise<string>, end: () => Promise<void>,
 * }} RunningNode pid: of the Erlang virtual machine; ended: resolves with the reason and the tail of its log
 */

/**
 * Starts a RabbitMQ node, and waits until it answers: RabbitMQ opens its port as the last step of its start.
 * @param {NodeSettings} settings
 * @param {{hostname: string, programs: {server: string, setpriv: string | null}, timeoutMs: number}} start hostname: under which the roles
 *   reach it
 * @param {AbortSignal} signal ends the start; nothing of it runs when the promise rejects
 * @returns {Promise<RunningNode>}
 * @throws {UnavailableError} with the tail of its log
 */
export async function startNode(settings, {hostname, programs, timeoutMs}, signal) {
  signal.throwIfAborted();
  const {title, username, password, listenAddress, ports, folder} = settings;
  await writeNodeFiles(settings);
  const connection = completeConnection({
    ...{hostname, port: ports.amqp, username, password},
    ...(ports.plugin && {otherPorts: {[ports.plugin.protocol]: ports.plugin.port}}),
  });
  // If the address is translated on the way, it may not be reachable from this host itself.
  const fromHere = listenAddress === hostname ? connection : {...connection, hostname: 'localhost'};
  const {log, pid: pidFile} = pathsIn(folder);
  const server = await startServer(
    {
      label: 'RabbitMQ',
      title,
      command: [programs.server],
      setpriv: programs.setpriv,
      folder,
      environment: nodeEnvironment(settings),
      log,
      secret: password,
    },
    {ask: (either) => greet(fromHere, {timeoutMs: 5000, signal: either}), timeoutMs},
    signal,
  );
  const {answer, ended, end} = server;
  // Erlang wrote it. It is the child's own pid wherever the script replaces itself by Erlang.
  const pid = Number(await readFile(pidFile, 'utf8')) || server.pid;
  return {settings, pid, connection, versions: answer.versions, ended, end};
}
