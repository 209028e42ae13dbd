import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {UnavailableError} from '../errors.js';
import {removeFolder} from './folder.js';

const KEEPER = fileURLToPath(new URL('./keeper.js', import.meta.url));
const END_TIMEOUT_MS = 15_000;

/** @typedef {Pick<import('./node.js').RunningNode, 'pid' | 'connection' | 'versions'>} Started */

/**
 * @typedef {object} Keeper
 * @property {Promise<Started>} started rejects when the node cannot be started
 * @property {Promise<string>} died settles when the node or its keeper ends without having been asked to
 * @property {(manner: 'gracefully' | 'at once') => Promise<void>} end everything is gone when it settles
 */

/**
 * Starts the process that keeps a private broker.
 * @param {string} base the folder for temporary files
 * @param {import('./keeper.js').KeeperInstructions} instructions
 * @returns {Keeper}
 */
export function launchKeeper(base, instructions) {
  const child = spawn(process.execPath, [KEEPER, base], {
    detached: true,
    // Not the folder we are in, which may be unmounted meanwhile; and no variable that changes how Node.js runs.
    cwd: '/',
    env: {PATH: process.env.PATH ?? ''},
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  child.stdin.write(`${JSON.stringify(instructions)}\n`);
  const {started, died, gone} = follow(child);
  /** @type {Promise<void> | undefined} */
  let ending;
  return {
    started,
    died,
    end: (manner) => {
      ending ??= end(child, gone, manner);
      return ending;
    },
  };
}

/**
 * Turns what the keeper reports, and how it ends, into promises.
 * @param {import('node:child_process').ChildProcessWithoutNullStreams} child
 */
function follow(child) {
  /** @type {Deferred<Started>} */
  const started = withResolvers();
  /** @type {Deferred<string>} */
  const died = withResolvers();
  /** @type {string | null} */
  let folder = null;
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-2000);
  });
  createInterface({input: child.stdout}).on('line', (line) => {
    const event = JSON.parse(line);
    if (event.event === 'folder') folder = event.folder;
    if (event.event === 'started') started.resolve(event);
    if (event.event === 'failed') started.reject(unavailable(event.message));
    if (event.event === 'died') died.resolve(event.reason);
  });
  child.once('error', (error) =>
    started.reject(
      unavailable(`The keeper of a private RabbitMQ node could not be started: ${error.message}`),
    ),
  );
  const gone = new Promise((resolve) => child.once('close', (code, signal) => resolve({code, signal}))).then(
    async ({code, signal}) => {
      const reason = `its keeper (pid ${child.pid}) ${signal ? `was ended by ${signal}` : `ended with exit code ${code}`}`;
      try {
        // One that ended by itself has cleared away; one that was killed could not.
        if (code !== 0 && folder !== null) await removeFolder(folder);
      } finally {
        started.reject(unavailable(`The private RabbitMQ node is gone: ${reason}. ${errors}`.trim()));
        died.resolve(reason);
      }
    },
  );
  // Whoever waits for them is told; that nobody may be waiting is not an error.
  started.promise.catch(() => {});
  gone.catch(() => {});
  return {started: started.promise, died: died.promise, gone};
}

/**
 * @param {import('node:child_process').ChildProcessWithoutNullStreams} child
 * @param {Promise<void>} gone
 * @param {'gracefully' | 'at once'} manner
 */
async function end(child, gone, manner) {
  // The end of input would make it hurry.
  if (manner === 'gracefully') child.stdin.write('{"command": "stop"}\n');
  else child.stdin.end();
  const limit = new AbortController();
  const late = sleep(END_TIMEOUT_MS, 'late', {signal: limit.signal}).catch(() => {});
  if ((await Promise.race([gone, late])) === 'late') killGroup(child.pid);
  limit.abort();
  await gone;
}

/** The keeper, the node and its port mapper are one process group. @param {number | undefined} pid */
function killGroup(pid) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // They ended just now.
  }
}

/** @param {string} message */
function unavailable(message) {
  return new UnavailableError(message, {code: 'PB_BROKER_UNAVAILABLE'});
}

/**
 * @template T
 * @typedef {{promise: Promise<T>, resolve: (value: T) => void, reject: (reason: unknown) => void}} Deferred
 */

/** As Promise.withResolvers, which Node.js 20 lacks. @template T @returns {Deferred<T>} */
function withResolvers() {
  /** @type {Partial<Deferred<T>>} */
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, {resolve, reject}));
  return /** @type {Deferred<T>} */ (parts);
}
