import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';
import {endInSteps} from '../src/hosts/child-process.js';
import {keptGarbage, keptMemory} from '../src/hosts/host.js';
import {untilAborted, within} from '../src/measure/bounds.js';

/** Working directory of the scripts, without a .env file of the user. */
const folder = fileURLToPath(new URL('.', import.meta.url));

/** A run takes some seconds. After this time, it has probably lost its server. */
const runTimeoutMs = 120_000;
const readyTimeoutMs = 30_000;
/** A server that is still running after this time is killed. */
const endTimeoutMs = 5000;

/**
 * Runs a Node.js process to its end.
 * @param {readonly string[]} commandLine the arguments of `node`
 * @param {object} options
 * @param {Record<string, string>} [options.settings] PB_ names; the process gets no other PB_ variables
 * @param {AbortSignal} options.signal ends the process
 * @param {number} [options.timeoutMs]
 * @param {boolean} [options.asRole] whether to start the process as a battle starts its roles; otherwise as by hand
 * @returns {Promise<string>} its output
 * @throws {Error} when its exit code is not 0, or the signal's reason
 */
export async function runNode(commandLine, {settings = {}, signal, timeoutMs = runTimeoutMs, asRole = true}) {
  return await within(timeoutMs, signal, async (bounded) => {
    bounded.throwIfAborted();
    const child = start(commandLine, {settings, asRole});
    bounded.addEventListener('abort', () => child.kill(), {once: true});
    const [printed, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    bounded.throwIfAborted();
    if (exitCode === 0) return printed;
    throw new Error(`node ${commandLine.join(' ')} ended with exit code ${exitCode}. ${printed}`);
  });
}

/**
 * Starts a pair's server on a free port of this host, and waits until it is ready.
 * @param {readonly string[]} commandLine of Node.js
 * @param {object} options
 * @param {Record<string, string>} options.settings PB_ names
 * @param {AbortSignal} options.signal
 * @param {boolean} [options.asRole] whether to start the process as a battle starts its roles; otherwise as by hand
 * @returns {Promise<{address: string | null, next: (wanted: (event: Record<string, any>) => boolean) => Promise<Record<string, any>>,
 *   end: () => Promise<void>}>} address: null for a server that uses a broker; next: waits for the next wanted event
 * @throws {Error} when the server ends before it is ready, or the signal's reason
 */
export async function startServer(commandLine, {settings, signal, asRole = true}) {
  signal.throwIfAborted();
  const name = commandLine.join(' ');
  const own = {PB_OUTPUT: 'ndjson', PB_LISTEN_ADDRESS: '127.0.0.1', PB_SERVER_PORT: '0'};
  const child = start(commandLine, {settings: {...settings, ...own}, asRole});
  const exited = once(child, 'exit');
  const end = async () => {
    await endInSteps(exited, [() => child.kill(), () => child.kill('SIGKILL')], endTimeoutMs);
  };
  const lines = createInterface({input: child.stdout})[Symbol.asyncIterator]();
  const next = async (/** @type {(event: Record<string, any>) => boolean} */ wanted) => {
    for (;;) {
      const {value, done} = await lines.next();
      if (done) throw new Error(`${name} ended too early.`);
      const event = JSON.parse(value);
      if (wanted(event)) return event;
    }
  };
  try {
    const ready = waitUntilReady(next, name);
    const address = await within(readyTimeoutMs, signal, (soon) => untilAborted(ready, soon));
    return {address, next, end};
  } catch (error) {
    await end();
    throw error;
  }
}

/** @param {readonly string[]} commandLine @param {{settings: Record<string, string>, asRole: boolean}} options */
function start(commandLine, {settings, asRole}) {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('PB_'));
  const env = {...Object.fromEntries(others), ...(asRole && keptMemory), ...settings};
  return spawn(process.execPath, [...(asRole ? keptGarbage : []), ...commandLine], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/**
 * @param {(wanted: (event: Record<string, any>) => boolean) => Promise<Record<string, any>>} next @param {string} script
 * @returns {Promise<string | null>}
 */
async function waitUntilReady(next, script) {
  const {event, address, message} = await next(() => true);
  if (event === 'ready') return address;
  throw new Error(`${script} is not ready: ${message ?? event}`);
}
