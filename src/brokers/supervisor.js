/**
 * The process that supervises the nodes of a private broker on one host. It starts and stops the nodes and removes their
 * folder, even if its parent was killed. It has its own process group, so that Ctrl-C in a terminal does not reach it.
 *
 * The supervisor reads instructions and commands from stdin, and writes events to stdout (kind.d.ts). It stops when stdin
 * ends: the parent has closed it or was killed. If the instructions announce heartbeats, 5 s of silence also stop it. The
 * optional argument is the URL of the module of a broker kind that is not part of perf-battle.
 */
import {tmpdir} from 'node:os';
import {createInterface} from 'node:readline';
import {endProcess, endUnheard} from '../ending/end-process.js';
import {HeartbeatTimeout} from '../ending/heartbeat.js';
import {readProcessTimes, sumTimes} from '../measure/system.js';
import {ControlledNodes} from './controlled.js';
import {makeFolder, removeFolder, sweepFolders, usableBase} from './folder.js';
import {brokerKindOf} from './index.js';
import {findProgram, findSetpriv, notInstalled} from './programs.js';

/**
 * @import {Disk} from './disk.js'
 * @import {BrokerAction, SupervisorCommand, SupervisorEvent, SupervisorInstructions} from './kind.js'
 */

/** Null if the instructions announce no heartbeats. @type {HeartbeatTimeout | null} */
let heartbeat = null;
/** Whether standard input has ended. */
let isAbandoned = false;

/** Aborted to kill the nodes. An orderly end would take a second, and nobody needs their data. */
const stopping = new AbortController();

/** @type {ControlledNodes | null} */
let running = null;

/** Verifies the cluster when the nodes of all hosts have started. */
let verify = async () => {};

const instructions = await listen();
if (instructions !== null) await supervise(instructions);
if (isAbandoned) endUnheard();
await endProcess();

/** @returns {Promise<SupervisorInstructions | null>} null when the parent ended before it sent instructions */
async function listen() {
  // A parent that has ended does not read. The end of stdin reports its end.
  process.stdout.on('error', () => {});
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => stopping.abort());
  const lines = createInterface({input: process.stdin});
  return await new Promise((resolve) => {
    lines.once('line', (first) => {
      lines.on('line', obey);
      /** @type {SupervisorInstructions} */
      const received = JSON.parse(first);
      if (received.hasHeartbeat) heartbeat = new HeartbeatTimeout(() => stopping.abort());
      resolve(received);
    });
    lines.once('close', () => {
      isAbandoned = true;
      stopping.abort();
      resolve(null);
    });
  });
}

/** @param {string} line */
function obey(line) {
  heartbeat?.heard();
  /** @type {SupervisorCommand} */
  const asked = JSON.parse(line);
  const {command} = asked;
  if (command === 'times') report({event: 'times', times: readTimes()});
  if (command === 'verify') verify().then(() => report({event: 'formed'}), reportFailure);
  if (command === 'perform') perform(asked.id, asked.action);
}

/** @param {number} id @param {BrokerAction} action */
async function perform(id, action) {
  try {
    if (running === null) throw new Error('The broker has not started.');
    report({event: 'performed', id, done: await running.perform(action)});
  } catch (error) {
    const {message, code} = /** @type {NodeJS.ErrnoException} */ (error);
    report({event: 'performed', id, error: message, code});
  }
}

/** @param {SupervisorInstructions} instructions */
async function supervise({
  kind: name,
  plan,
  programFolders: folders,
  settings,
  base: given = tmpdir(),
  diskBytes,
}) {
  const base = usableBase(given);
  await sweepFolders(base);
  if (stopping.signal.aborted) return;
  const folder = await makeFolder(base).catch(reportFailure);
  if (folder === undefined) return;
  report({event: 'folder', folder});
  /** @type {Disk | null} */
  let disk = null;
  try {
    const kind = await brokerKindOf(name, process.argv[2]);
    const program = await findProgram(kind, {folders, settings});
    if (program === null) throw notInstalled(kind);
    const driver = await kind.load();
    const setpriv = await findSetpriv();
    if (diskBytes !== undefined) disk = await (await import('./disk.js')).Disk.make(folder, diskBytes);
    const data = disk?.place ?? folder;
    const host = {folder, data, program, setpriv};
    const {signal} = stopping;
    const started = await driver.startOnHost(plan, host, signal);
    running = new ControlledNodes(started, disk, {driver, host, signal});
    verify = started.verify;
    report({
      event: 'started',
      nodes: started.nodes.map(({pid, connection, versions}) => ({pid, connection, versions})),
    });
    const reason = await Promise.race([running.died, stopRequested()]);
    if (reason !== null && !stopping.signal.aborted) report({event: 'died', reason});
    await running.end();
  } catch (error) {
    reportFailure(/** @type {Error} */ (error));
  } finally {
    // The kernel unmounts the disk only at the end of this process, and the folder is removed earlier.
    await disk?.close().catch(() => {});
    await removeFolder(folder);
  }
}

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
  return null;
}

/** @param {SupervisorEvent} event */
function report(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
