import {open, readFile} from 'node:fs/promises';
import {connectBroker, readVersions} from '../../transports/rabbitmq/connection.js';
import {completeConnection} from '../../transports/rabbitmq/url.js';
import {launchChild} from '../child.js';
import {poll, startFailed} from '../start.js';
import {nodeEnvironment, pathsIn, writeNodeFiles} from './settings.js';

/**
 * @import {UnavailableError} from '../../errors.js'
 * @import {BrokerConnection} from '../../transports/rabbitmq/url.js'
 * @import {Child} from '../child.js'
 * @import {NodeSettings} from './settings.js'
 */

/**
 * @typedef {object} RunningNode
 * @property {NodeSettings} settings
 * @property {number} pid of the Erlang virtual machine
 * @property {BrokerConnection} connection
 * @property {{rabbitmq: string | null, erlang: string | null}} versions
 * @property {Promise<string>} ended settles with the reason, the tail of its log included
 * @property {(graceMs: number) => Promise<void>} stop
 * @property {() => void} kill
 */

/**
 * @typedef {object} NodeMeans
 * @property {string} hostname under which the roles reach it
 * @property {{server: string, setpriv: string | null}} programs
 * @property {number} timeoutMs
 */

const TAIL_LINES = 15;

/**
 * Starts a RabbitMQ node, and waits until it answers.
 * @param {NodeSettings} settings
 * @param {NodeMeans} means
 * @param {AbortSignal} signal ends the start; nothing of it runs when the promise rejects
 * @returns {Promise<RunningNode>}
 * @throws {UnavailableError} with the tail of its log
 */
export async function startNode(settings, means, signal) {
  signal.throwIfAborted();
  await writeNodeFiles(settings);
  const output = await open(pathsIn(settings.folder).output, 'a', 0o600);
  const child = launchServer(settings, means, output.fd);
  try {
    return await describe(settings, means, child, signal);
  } catch (error) {
    await child.stop(0);
    throw error;
  } finally {
    await output.close();
  }
}

/** @param {NodeSettings} settings @param {NodeMeans} means @param {number} output */
function launchServer(settings, {programs: {server, setpriv}}, output) {
  const env = nodeEnvironment(settings);
  return launchChild(settings.title, [server], {setpriv, cwd: settings.folder, env, output});
}

/**
 * @param {NodeSettings} settings
 * @param {NodeMeans} means
 * @param {Child} child
 * @param {AbortSignal} signal
 * @returns {Promise<RunningNode>}
 */
async function describe(settings, {hostname, timeoutMs}, child, signal) {
  const {title, username, password, binding, ports, folder} = settings;
  const connection = completeConnection({hostname, port: ports.amqp, username, password});
  // Where something between the hosts translates the address, it may not lead from here to here.
  const fromHere = binding === hostname ? connection : {...connection, hostname: 'localhost'};
  const ended = child.ended.then(async (reason) => `${reason}. ${await lastLines(settings)}`);
  const late = async () =>
    `${title} did not answer within ${timeoutMs / 1000} s. ${await lastLines(settings)}`;
  const versions = await untilReady(fromHere, {ended, late, timeoutMs}, signal);
  return {
    settings,
    // What Erlang itself wrote; it is the child's own pid wherever the script replaces itself as it should.
    pid: Number(await readFile(pathsIn(folder).pid, 'utf8')) || child.pid,
    connection,
    versions,
    ended,
    stop: child.stop,
    kill: child.kill,
  };
}

/**
 * Ready means that a client can connect: RabbitMQ opens its port as the last step of its start.
 * @param {BrokerConnection} connection
 * @param {{ended: Promise<string>, late: () => Promise<string>, timeoutMs: number}} bounds
 * @param {AbortSignal} signal
 */
async function untilReady(connection, {ended, late, timeoutMs}, signal) {
  const over = new AbortController();
  ended.then((reason) => over.abort(startFailed(reason)));
  const timer = setTimeout(() => late().then((reason) => over.abort(startFailed(reason))), timeoutMs);
  const either = AbortSignal.any([signal, over.signal]);
  try {
    return await poll(either, async () => {
      const model = await connectBroker(connection, {timeoutMs: 5000, signal: either});
      model.on('error', () => {});
      const {rabbitmq, erlang} = readVersions(model);
      await model.close().catch(() => {});
      return {rabbitmq, erlang};
    });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The tail of a node's log, for a message.
 * @param {NodeSettings} settings
 */
export async function lastLines({folder, password}) {
  const text = await readFile(pathsIn(folder).output, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return `The last lines of its log:\n${lines.slice(-TAIL_LINES).join('\n').replaceAll(password, '***')}`;
}
