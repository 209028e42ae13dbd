/**
 * The process that keeps cores of its host awake while a battle measures there. On a sleeping core a round trip is mostly the time that it takes to
 * wake up.
 *
 * A thread on each core computes in a loop, and gives way at once to anything else: its policy is SCHED_IDLE (sched(7)). Linux weighs sessions before it looks at
 * policies (autogroup), so the process has a session of its own, with the lowest weight. With the usual weight, one round trip in a hundred took 3 ms.
 *
 * It reads a list of cores on stdin, or null for all, then `on` and `off`, and writes `{"event": "ready", "pid": …}` or `{"event": "failed", "reason": …}`. It ends with
 * its input, or after 10 s without a word.
 */
import {execFile} from 'node:child_process';
import {readlinkSync, writeFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {isMainThread, parentPort, Worker, workerData} from 'node:worker_threads';
import {endUnheard} from '../ending/end-process.js';
import {HeartbeatTimeout} from '../ending/heartbeat.js';
import {allowedCores, cpuLimitOf} from '../measure/cores.js';

const execute = promisify(execFile);

/** After the first 5 s without a word, a check follows each second. */
const maxSilentChecks = 5;

/** Takes a core and a thread, again and again. */
const placeScript = `set -e
while [ $# -gt 0 ]; do
  chrt -i -p 0 "$2"
  taskset -c -p "$1" "$2" > /dev/null
  shift 2
done`;

if (isMainThread) supervise();
else loop(workerData);

function supervise() {
  const isOn = new Int32Array(new SharedArrayBuffer(4));
  // On a busy host, a process of the lowest weight may hear late.
  let silentChecks = 0;
  const heartbeat = new HeartbeatTimeout(() => {
    silentChecks += 1;
    if (silentChecks >= maxSilentChecks) endUnheard();
  });
  process.stdout.on('error', endUnheard);
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGHUP'])) process.on(signal, () => {});
  const lines = createInterface({input: process.stdin});
  lines.on('close', endUnheard);
  lines.once('line', (first) => {
    lines.on('line', (word) => {
      heartbeat.heard();
      silentChecks = 0;
      if (word === 'beat') return;
      Atomics.store(isOn, 0, word === 'on' ? 1 : 0);
      Atomics.notify(isOn, 0);
    });
    begin(JSON.parse(first), isOn).then(
      () => report({event: 'ready', pid: process.pid}),
      ({message}) => report({event: 'failed', reason: String(message).trim().split('\n').at(-1) ?? ''}),
    );
  });
}

/** @param {readonly number[] | null} wanted null: all that this process may use @param {Int32Array<SharedArrayBuffer>} isOn */
async function begin(wanted, isOn) {
  const cores = wanted ?? allowedCores();
  const limit = cpuLimitOf();
  if (limit !== null) throw new Error(`what keeps them awake would use up the CPU limit of ${limit} cores`);
  const threads = await Promise.all(cores.map(startLoop));
  const places = threads.flatMap(({id}, index) => [String(cores[index]), id]);
  await execute('sh', ['-c', placeScript, 'sh', ...places]);
  await weighLeast();
  for (const {thread} of threads) thread.postMessage('begin');

  /** @returns {Promise<{thread: Worker, id: string}>} id: by which the system knows it */
  function startLoop() {
    const thread = new Worker(new URL(import.meta.url), {workerData: isOn});
    return new Promise((resolve, reject) => {
      thread.once('message', (id) => resolve({thread, id}));
      thread.once('error', reject);
    });
  }
}

/** An unprivileged process may do this ten times a second, on the whole host (sched(7)). */
async function weighLeast() {
  for (let tries = 0; ; tries += 1) {
    try {
      return writeFileSync('/proc/self/autogroup', '19');
    } catch (error) {
      const {code} = /** @type {NodeJS.ErrnoException} */ (error);
      // A kernel without groups of sessions.
      if (code === 'ENOENT') return;
      if (code !== 'EAGAIN' || tries >= 20) throw error;
      await sleep(100);
    }
  }
}

/** @param {object} event */
function report(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

/** A chain of divisions leaves most of a physical core to its other hardware thread, where the processor cannot be told to pause. */
const pause = /** @type {{pause?: () => void}} */ (/** @type {unknown} */ (Atomics)).pause ?? divide;

/** @param {Int32Array<SharedArrayBuffer>} isOn */
function loop(isOn) {
  parentPort?.postMessage(readlinkSync('/proc/thread-self').split('/').at(-1));
  parentPort?.once('message', () => {
    for (;;) {
      Atomics.wait(isOn, 0, 0);
      for (let count = 0; count < 1000; count += 1) pause();
    }
  });
}

let quotient = 1;

function divide() {
  quotient = quotient > 2 ? 1 : quotient / 0.999_999;
}
