import {open, writeFile} from 'node:fs/promises';
import {connect, isIPv4} from 'node:net';
import {totalmem} from 'node:os';
import {join} from 'node:path';
import {TimeLimitError, within} from '../../measure/bounds.js';
import {loopbackAddress, ownAddresses} from '../../measure/network.js';
import {pickPorts} from '../../net/listen.js';
import {homeOf} from '../folder.js';
import {launchChild, listenAddressOf, poll, startFailed} from '../server-process.js';
import {loopback, startNode, untilFormed} from './cluster.js';
import {speaksMqtt5} from './home.js';
import {programsBeside} from './installation.js';
import {portMapperEnvironment, protocolOfPlugin} from './settings.js';

/**
 * @import {UnavailableError} from '../../errors.js'
 * @import {Child, HostFolder, RunningHost} from '../kind.js'
 * @import {HostPlan, RunningNode} from './cluster.js'
 * @import {Programs} from './installation.js'
 * @import {NodeSettings} from './settings.js'
 * @import {RabbitmqConnection} from './url.js'
 */

/**
 * @typedef {object} HostContext
 * @property {string} folder the private broker's own folder
 * @property {string} data the folder for the data of the nodes
 * @property {string} listenAddress the address on which the nodes listen to clients
 * @property {Programs} programs
 */

/**
 * Starts the nodes of this host and their own port mapper, and waits until all nodes answer. The node that the others join
 * starts first; the others start together.
 * @param {HostPlan} planned @param {HostFolder} host
 * @param {AbortSignal} signal aborts the start; all processes have ended when the promise rejects
 * @returns {Promise<RunningHost<RabbitmqConnection>>}
 * @throws {UnavailableError} with the tail of the log of the node that could not be started
 */
export async function startHostNodes(planned, {folder, data, program, setpriv}, signal) {
  const plan = onLoopback(planned);
  const programs = await programsBeside(program, setpriv);
  refuseOldMqtt(plan.plugin, programs);
  const context = {folder, data, listenAddress: listenAddressIn(plan), programs};
  await writeFile(join(homeOf(folder), '.erlang.cookie'), plan.cookie, {mode: 0o400});
  const settings = await settingsOf(plan, context);
  const groups = [settings.filter(comesFirst), settings.filter((one) => !comesFirst(one))];
  return await startNodes(plan, {prepared: {context, settings}, groups}, signal);
}

/** @param {string | null} plugin @param {Pick<Programs, 'application'>} programs */
function refuseOldMqtt(plugin, {application}) {
  const version = /rabbit-([\d.]+)$/.exec(application ?? '')?.[1];
  if (plugin !== 'rabbitmq_mqtt' || version === undefined || speaksMqtt5(version)) return;
  throw startFailed(
    'RabbitMQ',
    `the installed RabbitMQ ${version} does not speak MQTT 5, which the transport needs and RabbitMQ speaks from 3.13 on. Use --rabbitmq-home 4.`,
  );
}

/**
 * @param {HostPlan} plan
 * @param {{prepared: {context: HostContext, settings: NodeSettings[]}, groups: NodeSettings[][]}} what groups: the nodes of a group start together, and the groups one after another
 * @param {AbortSignal} signal
 */
async function startNodes(plan, {prepared, groups}, signal) {
  const {context, settings} = prepared;
  const epmd = await startEpmd(plan, context, settings[0].ports.epmd, signal);
  /** @type {RunningNode[]} */
  const started = [];
  try {
    for (const group of groups)
      started.push(...(await startTogether(group, {...context, ...plan}, [epmd, ...started], signal)));
  } catch (error) {
    await endAll(started, epmd);
    throw error;
  }
  const nodes = started.toSorted(
    (one, other) => settings.indexOf(one.settings) - settings.indexOf(other.settings),
  );
  return hostOf({plan, prepared, epmd, nodes, signal});
}

/**
 * @param {{plan: HostPlan, prepared: {context: HostContext, settings: NodeSettings[]}, epmd: Child, nodes: RunningNode[], signal: AbortSignal}} running nodes:
 *   all nodes of this host, in the order of the plan
 * @returns {RunningHost<RabbitmqConnection>}
 */
function hostOf(running) {
  const {plan, prepared, epmd, nodes, signal} = running;
  const restart = async (/** @type {AbortSignal} */ later, /** @type {readonly number[]} */ indexes) => {
    const {context, settings} = prepared;
    const others = nodes.filter((_, index) => !indexes.includes(index));
    const group = indexes.map((index) => settings[index]);
    const fresh = await startTogether(group, {...context, ...plan}, [epmd, ...others], later);
    const all = nodes.map((node) => fresh.find((one) => one.settings === node.settings) ?? node);
    return hostOf({...running, nodes: all, signal: later});
  };
  // All nodes start together: a node waits for the others at a restart (https://www.rabbitmq.com/docs/clustering#restarting).
  const restartAll = async (/** @type {AbortSignal} */ later) =>
    await startNodes(plan, {prepared, groups: [prepared.settings]}, later);
  return {
    nodes,
    ended: Promise.race([epmd, ...nodes].map(({ended}) => ended)),
    end: () => endAll(nodes, epmd),
    verify: () => untilFormed(nodes, plan.size, prepared.context.programs, signal),
    again: (later, indexes) => (indexes ? restart(later, indexes) : restartAll(later)),
  };
}

/** ::1 in a notation with a dot: rabbitmqctl appends a domain to a host name without dots. */
const dottedLoopback = '::0.0.0.1';

/** Inserts the loopback address, which only the host itself knows. @param {HostPlan} plan */
function onLoopback(plan) {
  const own = loopbackAddress();
  if (plan.address !== loopback || own === loopback) return plan;
  const rename = (/** @type {string} */ name) => name.replace(`@${loopback}`, `@${dottedLoopback}`);
  return {...plan, address: own, first: rename(plan.first), nodes: plan.nodes.map(rename)};
}

/**
 * @param {HostPlan} plan
 * @returns {string} the address on which the nodes listen to clients
 * @throws {UnavailableError} when the cluster has several hosts, and the plan's address is no IPv4 address of this host
 */
function listenAddressIn({hostname, address}) {
  const own = ownAddresses();
  const isOnSeveral = address !== loopback && address !== loopbackAddress();
  if (!isOnSeveral || (own.includes(address) && isIPv4(address))) return listenAddressOf(hostname);
  throw startFailed(
    'RabbitMQ',
    `the nodes of a cluster on several hosts connect to each other by IPv4 addresses of their hosts. ${address} is not an address of this host, which has ${own.join(', ')}. Name another with --broker-address.`,
  );
}

/** @param {HostPlan} plan @param {HostContext} context @returns {Promise<NodeSettings[]>} */
async function settingsOf(plan, {folder, data, listenAddress, programs: {application, codeFolders, erlang}}) {
  const {hostname, address, username, password, memoryBytes, plugin} = plan;
  const protocol = protocolOfPlugin(plugin);
  const ofNode = [listenAddress, address, ...(protocol ? [listenAddress] : [])];
  const [free, ...others] = await pickPorts([address, ...plan.nodes.flatMap(() => ofNode)]);
  return plan.nodes.map((name, index) => ({
    name,
    title: plan.size === 1 ? 'rabbitmq-server' : name,
    joins: name === plan.first ? null : plan.first,
    folder: join(folder, `node-${index + 1}`),
    data: join(data, `node-${index + 1}`),
    application,
    codeFolders,
    erlang,
    home: homeOf(folder),
    address,
    listenAddress,
    ports: {
      epmd: plan.portMapperPort ?? free,
      amqp: others[ofNode.length * index],
      distribution: others[ofNode.length * index + 1],
      plugin: protocol && {protocol, port: others[ofNode.length * index + 2]},
    },
    hostname,
    plugin,
    username,
    password,
    memory: {
      totalBytes: memoryBytes ?? totalmem(),
      isPretended: memoryBytes !== undefined,
      nodes: plan.nodes.length,
    },
  }));
}

/** @param {HostPlan} plan @param {HostContext} context @param {number} port @param {AbortSignal} signal */
async function startEpmd({address}, {folder, programs}, port, signal) {
  const output = await open(join(folder, 'epmd.log'), 'a', 0o600);
  const epmd = launchEpmd(programs, {home: homeOf(folder), address, port}, output.fd);
  try {
    await untilListening(epmd, port, signal);
    return epmd;
  } catch (error) {
    await epmd.end();
    throw error;
  } finally {
    await output.close();
  }
}

/** @param {NodeSettings} settings */
function comesFirst({joins}) {
  return joins === null;
}

/**
 * Starts the nodes of a group. If a start fails, or a running node or the port mapper ends, all of them are stopped.
 * @param {readonly NodeSettings[]} group @param {{hostname: string, programs: Programs}} start
 * @param {readonly {ended: Promise<string>}[]} running @param {AbortSignal} signal
 */
async function startTogether(group, {hostname, programs}, running, signal) {
  return await within(Infinity, signal, async (either, giveUp) => {
    const watch = (/** @type {{ended: Promise<string>}} */ {ended}) =>
      void ended.then((reason) => giveUp(startFailed('RabbitMQ', reason)));
    running.forEach(watch);
    /** @type {RunningNode[]} */
    const started = [];
    const starts = group.map(async (settings) => {
      const node = await startNode(settings, {hostname, programs}, either);
      watch(node);
      started.push(node);
    });
    await Promise.all(starts.map((start) => start.catch(giveUp)));
    if (!either.aborted) return started;
    await Promise.all(started.map((node) => node.end()));
    throw either.reason;
  });
}

/** @param {readonly RunningNode[]} nodes @param {Child} epmd */
async function endAll(nodes, epmd) {
  await Promise.all([...nodes, epmd].map((child) => child.end()));
}

/** A length of one byte, and the request `n`: https://www.erlang.org/doc/apps/erts/erl_dist_protocol.html */
const NAMES_REQUEST = Buffer.from([0, 1, 0x6e]);
/** The start of epmd takes some milliseconds, and seconds on a busy host. */
const answerMs = 20_000;

/**
 * Starts Erlang's port mapper daemon in the foreground, for the nodes of one broker on this host.
 * @param {{epmd: string, setpriv: string | null}} programs
 * @param {{home: string, address: string, port: number}} mapper address: the address in addition to loopback, where epmd always listens
 * @param {number} output the file descriptor for the output
 */
function launchEpmd({epmd, setpriv}, mapper, output) {
  const command = [epmd, '-port', String(mapper.port), '-address', mapper.address];
  const env = portMapperEnvironment(mapper);
  return launchChild('epmd', command, {setpriv, cwd: mapper.home, env, output});
}

/**
 * Waits until epmd answers.
 * @param {Child} epmd @param {number} port @param {AbortSignal} signal
 * @throws {UnavailableError} when epmd ends, or does not answer within 20 s
 */
async function untilListening(epmd, port, signal) {
  try {
    await within(answerMs, signal, (soon, giveUp) => {
      // epmd logs nothing by default. If it ends at once, the usual cause is a port in use.
      epmd.ended.then((reason) =>
        giveUp(startFailed('RabbitMQ', `${reason}: port ${port} seems to be in use already`)),
      );
      return poll(soon, () => askForNames(port));
    });
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    throw startFailed('RabbitMQ', `epmd did not answer on port ${port} within ${answerMs / 1000} s`);
  }
}

/** Sends a request, because epmd logs a connection without a request as an error. @param {number} port */
async function askForNames(port) {
  await new Promise((resolve, reject) => {
    const socket = connect(port, loopbackAddress(), () => socket.write(NAMES_REQUEST));
    socket.once('error', reject);
    socket.once('close', reject);
    socket.once('data', () => {
      resolve(null);
      socket.destroy();
    });
  });
}
