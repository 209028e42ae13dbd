/**
 * The process that keeps a private broker: it starts it, and whatever becomes of the process that asked for it, stops
 * it and removes its folder. It stands in a process group of its own, so that Ctrl-C in a terminal does not reach it.
 *
 * Its parameter is the folder for temporary files. It reads JSON lines on stdin: first its instructions (a password among them, which is why they are not on its
 * command line), later perhaps {"command": "stop"}. The end of input means that its parent is gone.
 * It writes JSON lines on stdout: {event: 'folder'}, then 'started' or 'failed', then perhaps 'died'.
 */
import {createInterface} from 'node:readline';
import {makeFolder, removeFolder, sweepFolders} from './folder.js';
import {startNode} from './node.js';

/**
 * @typedef {object} KeeperInstructions
 * @property {Omit<import('./node.js').NodePlan, 'folder'>} plan
 */

const GRACE_MS = 5000;

/** Aborted with a grace in milliseconds: how long the node may take to end by itself. */
const stopping = new AbortController();

/** @type {import('./node.js').RunningNode | null} */
let node = null;

const instructions = await listen();
if (instructions !== null) await keep(process.argv[2], instructions);
process.exit(0);

/** @returns {Promise<KeeperInstructions | null>} null when the parent was gone before it gave any */
async function listen() {
  // A parent that is gone reads no more; that it is gone is seen on stdin.
  process.stdout.on('error', () => {});
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => stop(GRACE_MS));
  const lines = createInterface({input: process.stdin});
  return await new Promise((resolve) => {
    lines.once('line', (first) => {
      lines.on('line', () => stop(GRACE_MS));
      resolve(JSON.parse(first));
    });
    lines.once('close', () => {
      stop(0);
      resolve(null);
    });
  });
}

/** @param {number} graceMs */
function stop(graceMs) {
  stopping.abort(graceMs);
  // Also in the middle of a graceful stop: nobody waits for it any more.
  if (graceMs === 0) node?.kill();
}

/** @param {string} base @param {KeeperInstructions} instructions */
async function keep(base, {plan}) {
  await sweepFolders(base);
  if (stopping.signal.aborted) return;
  const folder = await makeFolder(base);
  report({event: 'folder', folder});
  try {
    node = await startNode({...plan, folder}, stopping.signal);
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

async function stopRequested() {
  const {signal} = stopping;
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, {once: true}));
}

/** @param {object} event */
function report(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
