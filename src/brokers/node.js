import {open, readFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import {connectBroker, readVersions} from '../transports/rabbitmq-connection.js';
import {completeConnection} from '../transports/rabbitmq-url.js';
import {launchChild} from './child.js';
import {launchEpmd, untilListening} from './epmd.js';
import {nodeEnvironment, pathsIn, writeNodeFiles} from './settings.js';
import {poll, startFailed} from './start.js';

/**
 * @typedef {object} NodePlan
 * @property {string} server the path of `rabbitmq-server`
 * @property {string} epmd the path of Erlang's port mapper daemon
 * @property {string | null} setpriv the path of `setpriv`, which ties a process's life to its parent's (Linux)
 * @property {string} folder the private broker's own folder
 * @property {string} hostname under which it is reached: an address of this host, or one that leads to it
 * @property {string} binding the address that it listens on
 * @property {string} username
 * @property {string} password
 */

/**
 * @typedef {object} RunningNode
 * @property {number} pid of the Erlang virtual machine
 * @property {import('../transports/rabbitmq-url.js').BrokerConnection} connection
 * @property {{rabbitmq: string | null, erlang: string | null}} versions
 * @property {Promise<string>} ended settles with the reason, the tail of its log included
 * @property {(graceMs: number) => Promise<void>} stop
 * @property {() => void} kill
 */

const ATTEMPTS = 3;
const START_TIMEOUT_MS = 60_000;
const TAIL_LINES = 15;
const CLASH = /eaddrinuse|address already in use|already_used|port .* in use/i;

/**
 * Starts a RabbitMQ node with a port mapper of its own, and waits until it answers. Ports are free when they are
 * picked; when another program takes one before the node does, it is tried again with others.
 * @param {NodePlan} plan
 * @param {AbortSignal} signal ends the start; nothing of it runs when the promise rejects
 * @returns {Promise<RunningNode>}
 * @throws {import('../errors.js').UnavailableError} with the tail of its log
 */
export async function startNode(plan, signal) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(plan, await pickPorts(), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (attempt === ATTEMPTS || !CLASH.test(String(error))) throw error;
    }
  }
}

/** @param {NodePlan} plan @param {import('./settings.js').NodePorts} ports @param {AbortSignal} signal */
async function startOnce(plan, ports, signal) {
  await writeNodeFiles(plan.folder, plan);
  const output = await open(pathsIn(plan.folder).output, 'a', 0o600);
  /** @type {import('./child.js').Child[]} */
  const children = [];
  try {
    const epmd = launchEpmd(plan, ports, output.fd);
    children.push(epmd);
    await untilListening(epmd, ports.epmd, signal);
    const node = launchServer(plan, ports, output.fd);
    children.unshift(node);
    return await describe(plan, ports, children, signal);
  } catch (error) {
    await Promise.all(children.map((child) => child.stop(0)));
    throw error;
  } finally {
    await output.close();
  }
}

/** Three different ones: all are held until the last is picked. */
async function pickPorts() {
  const servers = [createServer(), createServer(), createServer()];
  const [amqp, distribution, epmd] = await Promise.all(
    servers.map(
      (server) =>
        /** @type {Promise<number>} */ (
          new Promise((resolve, reject) => {
            server.once('error', reject);
            server.listen(0, '127.0.0.1', () => {
              resolve(/** @type {import('node:net').AddressInfo} */ (server.address()).port);
            });
          })
        ),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return {amqp, distribution, epmd};
}

/** @param {NodePlan} plan @param {import('./settings.js').NodePorts} ports @param {number} output */
function launchServer({server, setpriv, folder, binding}, ports, output) {
  return launchChild('rabbitmq-server', [server], {
    setpriv,
    cwd: folder,
    env: nodeEnvironment(folder, ports, binding),
    output,
  });
}

/**
 * @param {NodePlan} plan @param {import('./settings.js').NodePorts} ports
 * @param {import('./child.js').Child[]} children the node, then its port mapper
 * @param {AbortSignal} signal
 * @returns {Promise<RunningNode>}
 */
async function describe(plan, ports, children, signal) {
  const {username, password, hostname, binding} = plan;
  const connection = completeConnection({hostname, port: ports.amqp, username, password});
  // Where something between the hosts translates the address, it may not lead from here to here.
  const fromHere = binding === hostname ? connection : {...connection, hostname: 'localhost'};
  const ended = Promise.race(children.map((child) => child.ended)).then(
    async (reason) => `${reason}. The last lines of its log:\n${await tailOf(plan)}`,
  );
  const versions = await untilReady(fromHere, ended, signal);
  return {
    // What Erlang itself wrote; it is the child's own pid wherever the script replaces itself as it should.
    pid: Number(await readFile(pathsIn(plan.folder).pid, 'utf8')) || children[0].pid,
    connection,
    versions,
    ended,
    stop: async (graceMs) => {
      for (const child of children) await child.stop(graceMs);
    },
    kill: () => {
      for (const child of children) child.kill();
    },
  };
}

/**
 * Ready means that a client can connect: RabbitMQ opens its port as the last step of its start.
 * @param {import('../transports/rabbitmq-url.js').BrokerConnection} connection
 * @param {Promise<string>} ended @param {AbortSignal} signal
 */
async function untilReady(connection, ended, signal) {
  const over = new AbortController();
  ended.then((reason) => over.abort(startFailed(reason)));
  const late = `it did not answer within ${START_TIMEOUT_MS / 1000} s`;
  const timer = setTimeout(() => over.abort(startFailed(late)), START_TIMEOUT_MS);
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

/** @param {NodePlan} plan */
async function tailOf({folder, password}) {
  const text = await readFile(pathsIn(folder).output, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-TAIL_LINES).join('\n').replaceAll(password, '***');
}
