/**
 * The process that supervises the nodes of a private broker on one host: it starts them, and whatever becomes of the process that asked for them,
 * stops them and removes their folder. It stands in a process group of its own, so that Ctrl-C in a terminal does not reach it.
 *
 * It reads JSON lines on stdin: first its instructions (a password among them, which is why they are not on its command line), later
 * perhaps {"command": "verify"}, {"command": "times"}, {"command": "beat"} and {"command": "stop"}. The end of input means that its parent is
 * gone; so does a silence of 5 s, where the instructions say that there are beats.
 * It writes JSON lines on stdout: {event: 'folder'}, then 'started', then perhaps 'formed', 'times' and 'died', or 'failed'.
 */
import {tmpdir} from 'node:os';
import {createInterface} from 'node:readline';
import {readProcessTimes} from '../measure/process-times.js';
import {makeFolder, removeFolder, sweepFolders} from './folder.js';
import {brokerKindNamed} from './index.js';
import {findProgram, findSetpriv, notInstalled} from './programs.js';
import {sumTimes} from './sum-times.js';

/**
 * @import {HostPlan, RunningHost} from './kind.js'
 */

/**
 * @typedef {object} SupervisorInstructions
 * @property {string} kind of the broker
 * @property {HostPlan} plan
 * @property {string[] | undefined} [programFolders] where to look for the kind's program; default where packages put it
 * @property {string | undefined} [base] the folder for temporary files; default the system's
 * @property {boolean} [beats] whether there are any
 */

const GRACE_MS = 5000;
const SILENCE_MS = 5000;

let heardAt = 0;

/** Aborted with a grace in milliseconds: how long the nodes may take to end by themselves. */
const stopping = new AbortController();

/** @type {RunningHost | null} */
let running = null;

/** Asked for when the nodes of all hosts have started. */
let verify = async () => {};

const instructions = await listen();
if (instructions !== null) await supervise(instructions);
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
async function supervise({kind: name, plan, programFolders, base = tmpdir()}) {
  await sweepFolders(base);
  if (stopping.signal.aborted) return;
  const folder = await makeFolder(base);
  report({event: 'folder', folder});
  try {
    const kind = brokerKindNamed(name);
    const program = await findProgram(kind, programFolders);
    if (program === null) throw notInstalled(kind);
    const {startOnHost} = await kind.load();
    const setpriv = await findSetpriv();
    const started = await startOnHost(plan, {folder, program, setpriv}, stopping.signal);
    running = started;
    verify = started.verify;
    report({
      event: 'started',
      nodes: started.nodes.map(({pid, connection, versions}) => ({pid, connection, versions})),
    });
    const reason = await Promise.race([started.ended, stopRequested()]);
    if (!stopping.signal.aborted) report({event: 'died', reason});
    await started.stop(stopping.signal.aborted ? stopping.signal.reason : 0);
  } catch (error) {
    reportFailure(/** @type {Error} */ (error));
  } finally {
    await removeFolder(folder);
  }
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
