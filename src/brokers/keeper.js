/**
 * The process that keeps a private broker: it starts it, and whatever becomes of the process that asked for it, stops
 * it and removes its folder. It stands in a process group of its own, so that Ctrl-C in a terminal does not reach it.
 *
 * It reads JSON lines on stdin: first its instructions (a password among them, which is why they are not on its command line), later
 * perhaps {"command": "times"}, {"command": "beat"} and {"command": "stop"}. The end of input means that its parent is gone; so does a silence
 * of 5 s, where the instructions say that there are beats.
 * It writes JSON lines on stdout: {event: 'folder'}, then 'started' or 'failed', then perhaps 'times' and 'died'.
 */
import {networkInterfaces, tmpdir} from 'node:os';
import {createInterface} from 'node:readline';
import {bindingFor} from '../hosts/host.js';
import {readProcessTimes} from '../measure/process-times.js';
import {makeFolder, removeFolder, sweepFolders} from './folder.js';
import {findPrograms} from './installation.js';
import {startNode} from './node.js';

/**
 * @typedef {object} KeeperInstructions
 * @property {Omit<import('./node.js').NodePlan, 'folder' | 'server' | 'epmd' | 'setpriv' | 'binding'>} plan
 * @property {string[]} [serverFolders] where to look for `rabbitmq-server`; default where packages put it
 * @property {string} [base] the folder for temporary files; default the system's
 * @property {boolean} [beats] whether there are any
 */

const GRACE_MS = 5000;
const SILENCE_MS = 5000;

let heardAt = performance.now();

/** Aborted with a grace in milliseconds: how long the node may take to end by itself. */
const stopping = new AbortController();

/** @type {import('./node.js').RunningNode | null} */
let node = null;

const instructions = await listen();
if (instructions !== null) await keep(instructions);
process.exit(0);

/** @returns {Promise<KeeperInstructions | null>} null when the parent was gone before it gave any */
async function listen() {
  // A parent that is gone reads no more; that it is gone is seen on stdin.
  process.stdout.on('error', () => {});
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => stop(GRACE_MS));
  const lines = createInterface({input: process.stdin});
  return await new Promise((resolve) => {
    lines.once('line', (first) => {
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
  if (command === 'times') report({event: 'times', times: readProcessTimes(node?.pid ?? null)});
}

function endWhenSilent() {
  if (performance.now() - heardAt >= SILENCE_MS) stop(0);
}

/** @param {number} graceMs */
function stop(graceMs) {
  stopping.abort(graceMs);
  // Also in the middle of a graceful stop: nobody waits for it any more.
  if (graceMs === 0) node?.kill();
}

/** @param {KeeperInstructions} instructions */
async function keep({plan, serverFolders, base = tmpdir()}) {
  await sweepFolders(base);
  if (stopping.signal.aborted) return;
  const folder = await makeFolder(base);
  report({event: 'folder', folder});
  try {
    const programs = await findPrograms(serverFolders);
    const binding = bindingOf(plan.hostname);
    node = await startNode({...plan, ...programs, binding, folder}, stopping.signal);
    const {pid, connection, versions} = node;
    report({event: 'started', pid, connection, versions});
    const reason = await Promise.race([node.ended, stopRequested()]);
    if (!stopping.signal.aborted) report({event: 'died', reason});
    await node.stop(stopping.signal.aborted ? stopping.signal.reason : 0);
  } catch (error) {
    if (!stopping.signal.aborted) report({event: 'failed', message: /** @type {Error} */ (error).message});
  } finally {
    await removeFolder(folder);
  }
}

/** @param {string} hostname under which the node is to be reached */
function bindingOf(hostname) {
  const own = Object.values(networkInterfaces()).flatMap((list) => list?.map(({address}) => address) ?? []);
  return bindingFor(hostname, own);
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
