/**
 * The process that keeps the nodes of a private broker on one host: it starts them, and whatever becomes of the process that asked for them,
 * stops them and removes their folder. It stands in a process group of its own, so that Ctrl-C in a terminal does not reach it.
 *
 * It reads JSON lines on stdin: first its instructions (a password among them, which is why they are not on its command line), later
 * perhaps {"command": "verify"}, {"command": "times"}, {"command": "beat"} and {"command": "stop"}. The end of input means that its parent is
 * gone; so does a silence of 5 s, where the instructions say that there are beats.
 * It writes JSON lines on stdout: {event: 'folder'}, then 'started', then perhaps 'formed', 'times' and 'died', or 'failed'.
 */
import {isIPv4} from 'node:net';
import {networkInterfaces, tmpdir} from 'node:os';
import {createInterface} from 'node:readline';
import {listenAddressFor} from '../hosts/host.js';
import {readProcessTimes} from '../measure/process-times.js';
import {makeFolder, removeFolder, sweepFolders} from './folder.js';
import {loopback} from './rabbitmq/cluster.js';
import {untilFormed} from './rabbitmq/formation.js';
import {startHostNodes} from './rabbitmq/host-nodes.js';
import {findPrograms} from './rabbitmq/installation.js';
import {startFailed} from './start.js';
import {sumTimes} from './sum-times.js';

/**
 * @import {UnavailableError} from '../errors.js'
 * @import {HostPlan} from './rabbitmq/cluster.js'
 * @import {HostNodes} from './rabbitmq/host-nodes.js'
 * @import {RunningNode} from './rabbitmq/node.js'
 */

/**
 * @typedef {object} SupervisorInstructions
 * @property {HostPlan} plan
 * @property {string[] | undefined} [serverFolders] where to look for `rabbitmq-server`; default where packages put it
 * @property {string | undefined} [base] the folder for temporary files; default the system's
 * @property {boolean} [beats] whether there are any
 */

const GRACE_MS = 5000;
const SILENCE_MS = 5000;

let heardAt = 0;

/** Aborted with a grace in milliseconds: how long the nodes may take to end by themselves. */
const stopping = new AbortController();

/** @type {HostNodes | null} */
let running = null;

/** Asked for when the nodes of all hosts have started. */
let verify = async () => {};

const instructions = await listen();
if (instructions !== null) await keep(instructions);
process.exit(0);

/** @returns {Promise<SupervisorInstructions | null>} null when the parent was gone before it gave any */
async function listen() {
  // A parent that is gone reads no more; that it is gone is seen on stdin.
  process.stdout.on('error', () => {});
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => stop(GRACE_MS));
  const lines = createInterface({input: process.stdin});
  return await new Promise((resolve) => {
    lines.once('line', (first) => {
      heardAt = performance.now();
      lines.on('line', obey);
      const said = JSON.parse(first);
      if (said.beats) setInterval(endWhenSilent, 1000);
      resolve(said);
    });
    lines.once('close', () => {
      stop(0);
      resolve(null);
    });
  });
}

/** @param {string} line */
function obey(line) {
  heardAt = performance.now();
  const {command} = JSON.parse(line);
  if (command === 'stop') stop(GRACE_MS);
  if (command === 'times') report({event: 'times', times: readTimes()});
  if (command === 'verify') verify().then(() => report({event: 'formed'}), reportFailure);
}

function endWhenSilent() {
  if (performance.now() - heardAt >= SILENCE_MS) stop(0);
}

/** @param {number} graceMs */
function stop(graceMs) {
  stopping.abort(graceMs);
  // Also in the middle of a graceful stop: nobody waits for it any more.
  if (graceMs === 0) running?.kill();
}

/** @param {SupervisorInstructions} instructions */
async function keep({plan, serverFolders, base = tmpdir()}) {
  await sweepFolders(base);
  if (stopping.signal.aborted) return;
  const folder = await makeFolder(base, plan.cookie);
  report({event: 'folder', folder});
  try {
    const programs = await findPrograms(serverFolders);
    const binding = bindingOf(plan);
    const started = await startHostNodes(plan, {folder, binding, programs}, stopping.signal);
    running = started;
    verify = () => untilFormed(started.nodes, plan.size, programs, stopping.signal);
    report({event: 'started', nodes: started.nodes.map(describe)});
    const reason = await Promise.race([started.ended, stopRequested()]);
    if (!stopping.signal.aborted) report({event: 'died', reason});
    await started.stop(stopping.signal.aborted ? stopping.signal.reason : 0);
  } catch (error) {
    reportFailure(/** @type {Error} */ (error));
  } finally {
    await removeFolder(folder);
  }
}

/**
 * @param {HostPlan} plan
 * @returns {string} the address that its nodes listen on
 * @throws {UnavailableError} when it is not one of this host's, and other hosts' nodes need it
 */
function bindingOf({hostname, address}) {
  const own = Object.values(networkInterfaces()).flatMap((list) => list?.map((one) => one.address) ?? []);
  const isOnSeveral = address !== loopback;
  if (!isOnSeveral || (own.includes(address) && isIPv4(address))) return listenAddressFor(hostname, own);
  throw startFailed(
    `the nodes of a cluster on several hosts find each other by IPv4 addresses of the hosts' own; ${address} is none of this one's (${own.join(', ')}). Name others with --broker-address.`,
  );
}

/** @param {RunningNode} node */
function describe({settings: {name}, pid, connection, versions}) {
  return {name, pid, connection, versions};
}

/** Of all nodes together. */
function readTimes() {
  return sumTimes((running?.nodes ?? []).map(({pid}) => readProcessTimes(pid)));
}

/** @param {Error} error */
function reportFailure({message}) {
  if (!stopping.signal.aborted) report({event: 'failed', message});
}

async function stopRequested() {
  const {signal} = stopping;
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, {once: true}));
}

/** @param {object} event */
function report(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
