import {open} from 'node:fs/promises';
import {totalmem} from 'node:os';
import {join} from 'node:path';
import {homeOf} from '../folder.js';
import {pickPorts} from '../ports.js';
import {startFailed} from '../start.js';
import {launchEpmd, untilListening} from './epmd.js';
import {startNode} from './node.js';

/**
 * @import {UnavailableError} from '../../errors.js'
 * @import {Child} from '../child.js'
 * @import {HostPlan} from './cluster.js'
 * @import {Programs} from './installation.js'
 * @import {RunningNode} from './node.js'
 * @import {NodeSettings} from './settings.js'
 */

/**
 * @typedef {object} HostNodes the nodes of a broker that run on this host
 * @property {RunningNode[]} nodes
 * @property {Promise<string>} ended settles with the reason when one of them, or their port mapper, ends
 * @property {(graceMs: number) => Promise<void>} stop
 * @property {() => void} kill
 *
 * @typedef {object} HostMeans
 * @property {string} folder the private broker's own folder
 * @property {string} binding the address on which the nodes listen to clients
 * @property {Programs} programs
 */

const startTimeoutMs = 60_000;
/** Nodes that start together share the cores of their host. */
const timeoutMsPerOther = 20_000;

/**
 * Starts the nodes of this host with a port mapper of their own, and waits until all answer. The one that the others join comes first; they
 * come together.
 * @param {HostPlan} plan
 * @param {HostMeans} means
 * @param {AbortSignal} signal ends the start; nothing of them runs when the promise rejects
 * @returns {Promise<HostNodes>}
 * @throws {UnavailableError} with the tail of the log of the node that could not be started
 */
export async function startHostNodes(plan, means, signal) {
  const settings = await settingsOf(plan, means);
  const epmd = await startEpmd(plan, means, settings[0].ports.epmd, signal);
  /** @type {RunningNode[]} */
  const nodes = [];
  try {
    for (const group of [settings.filter(comesFirst), settings.filter((one) => !comesFirst(one))])
      nodes.push(...(await startTogether(group, {...means, ...plan}, [epmd, ...nodes], signal)));
  } catch (error) {
    await stopAll(nodes, epmd, 0);
    throw error;
  }
  return {
    nodes,
    ended: Promise.race([epmd, ...nodes].map(({ended}) => ended)),
    stop: (graceMs) => stopAll(nodes, epmd, graceMs),
    kill: () => {
      for (const child of [...nodes, epmd]) child.kill();
    },
  };
}

/**
 * @param {HostPlan} plan
 * @param {HostMeans} means
 * @returns {Promise<NodeSettings[]>}
 */
async function settingsOf(plan, {folder, binding}) {
  const {address, username, password, memoryBytes} = plan;
  const [free, ...others] = await pickPorts([address, ...plan.nodes.flatMap(() => [binding, address])]);
  return plan.nodes.map((name, index) => ({
    name,
    title: plan.size === 1 ? 'rabbitmq-server' : name,
    joins: name === plan.first ? null : plan.first,
    folder: join(folder, `node-${index + 1}`),
    home: homeOf(folder),
    address,
    binding,
    ports: {
      epmd: plan.portMapperPort ?? free,
      amqp: others[2 * index],
      distribution: others[2 * index + 1],
    },
    username,
    password,
    memory: {
      totalBytes: memoryBytes ?? totalmem(),
      isPretended: memoryBytes !== undefined,
      nodes: plan.nodes.length,
    },
  }));
}

/**
 * @param {HostPlan} plan
 * @param {HostMeans} means
 * @param {number} port
 * @param {AbortSignal} signal
 */
async function startEpmd({address}, {folder, programs}, port, signal) {
  const output = await open(join(folder, 'epmd.log'), 'a', 0o600);
  const epmd = launchEpmd(programs, {home: homeOf(folder), address, port}, output.fd);
  try {
    await untilListening(epmd, port, signal);
    return epmd;
  } catch (error) {
    await epmd.stop(0);
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
 * The failure of one ends all of them, and so does the end of what runs already.
 * @param {readonly NodeSettings[]} group
 * @param {{hostname: string, programs: Programs}} means
 * @param {readonly {ended: Promise<string>}[]} running
 * @param {AbortSignal} signal
 * @returns {Promise<RunningNode[]>}
 */
async function startTogether(group, {hostname, programs}, running, signal) {
  const giveUp = new AbortController();
  const watch = (/** @type {{ended: Promise<string>}} */ {ended}) =>
    void ended.then((reason) => giveUp.abort(startFailed(reason)));
  running.forEach(watch);
  const timeoutMs = startTimeoutMs + (group.length - 1) * timeoutMsPerOther;
  const either = AbortSignal.any([signal, giveUp.signal]);
  /** @type {RunningNode[]} */
  const started = [];
  const starts = group.map(async (settings) => {
    const node = await startNode(settings, {hostname, programs, timeoutMs}, either);
    watch(node);
    started.push(node);
  });
  await Promise.all(starts.map((start) => start.catch((error) => giveUp.abort(error))));
  if (!giveUp.signal.aborted) return started;
  await Promise.all(started.map((node) => node.stop(0)));
  throw giveUp.signal.reason;
}

/** @param {readonly RunningNode[]} nodes @param {Child} epmd @param {number} graceMs */
async function stopAll(nodes, epmd, graceMs) {
  await Promise.all(nodes.map((node) => node.stop(graceMs)));
  await epmd.stop(graceMs);
}
