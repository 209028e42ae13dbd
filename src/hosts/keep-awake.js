/**
 * The process that keeps cores of its host awake while a battle measures there. On a sleeping core a round trip is mostly the time that it takes to
 * wake up.
 *
 * Where it may, the process asks the kernel for a wake-up latency of zero (/dev/cpu_dma_latency, Linux's PM QoS interface). All idle cores then poll for
 * work, and a wake-up is a write to memory. The kernel withdraws the request when the process ends, however it ends.
 *
 * Elsewhere a thread on each core computes in a loop, and gives way to anything else of its session: its policy is SCHED_IDLE (sched(7)), to which Linux
 * looks within a session only (autogroup). So the process belongs to the session of the roles. A loop of another session sometimes keeps its core until the
 * next tick, for up to 4 ms. A core that computes is interrupted for each wake-up. What both cost is in
 * docs/evidence/measurements.md (Sleeping cores).
 *
 * The threads also measure how far apart the cores are: two threads pass a cache line to and fro. The hypervisor of a virtual machine may move its cores between
 * processors that share a cache and those that do not.
 *
 * The process reads `{"cores": […], "polling": true, "loops": true}` on stdin: null for all cores, and whether they may poll, and be used by loops. Then
 * it reads `on`, `off` and `distance N`, and the heartbeats of a role. It writes `{"event": "ready", "pid": …, "state": "polling" or "awake"}` or
 * `{"event": "failed", "reason": …}`, and for each `distance N` `{"event": "distance", "question": N, "ns": …}`. The process ends with its input, or after
 * 5 s without a line.
 */
import {execFile} from 'node:child_process';
import {readlinkSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {promisify} from 'node:util';
import {isMainThread, parentPort, Worker, workerData} from 'node:worker_threads';
import {endUnheard} from '../ending/end-process.js';
import {HeartbeatTimeout} from '../ending/heartbeat.js';
import {allowedCores, cpuLimitOf} from '../measure/cores.js';
import {pollingOf} from '../measure/polling.js';

const execute = promisify(execFile);

/** Takes whether the threads give way, then a core and a thread, again and again. */
const placeScript = `set -e
givesWay=$1
shift
while [ $# -gt 0 ]; do
  [ "$givesWay" = false ] || chrt -i -p 0 "$2"
  taskset -c -p "$1" "$2" > /dev/null
  shift 2
done`;

if (isMainThread) supervise();
else loop(workerData);

/** The places in the memory that the threads share. The ball has a cache line for itself. */
const slots = {isOn: 0, question: 16, ball: 32};

function supervise() {
  const shared = new Int32Array(new SharedArrayBuffer(4 * 64));
  const heartbeat = new HeartbeatTimeout(endUnheard);
  process.stdout.on('error', endUnheard);
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGHUP', 'SIGTERM'])) process.on(signal, () => {});
  const keeper = {shared, keep: (/** @type {boolean} */ _isOn) => {}};
  let isOn = false;
  // Ctrl-Z stops the battle, too. Stopped, this process would still ask for polling.
  process.on('SIGTSTP', () => {
    keeper.keep(false);
    process.kill(process.pid, 'SIGSTOP');
  });
  process.on('SIGCONT', () => keeper.keep(isOn));
  const lines = createInterface({input: process.stdin});
  lines.on('close', endUnheard);
  lines.on('line', (line) => {
    heartbeat.heard();
    const [, question] = /^distance (\d+)$/.exec(line) ?? [];
    if (line === 'on' || line === 'off') {
      isOn = line === 'on';
      return keeper.keep(isOn);
    }
    if (question !== undefined) {
      Atomics.store(shared, slots.question, Number(question));
      Atomics.notify(shared, slots.question);
      return;
    }
    const message = JSON.parse(line);
    // A heartbeat has a type.
    if ('type' in message) return;
    begin(message, keeper).then(
      (state) => report({event: 'ready', pid: process.pid, state}),
      (error) => report({event: 'failed', reason: String(error.message).trim().split('\n').at(-1) ?? ''}),
    );
  });
}

/**
 * @param {{cores: readonly number[] | null, polling: boolean, loops: boolean}} wanted cores: null: all that this process may use
 * @param {{shared: Int32Array<SharedArrayBuffer>, keep: (isOn: boolean) => void}} keeper gets what keeps the cores awake
 * @returns {Promise<'polling' | 'awake'>}
 */
async function begin({cores: listed, polling, loops}, keeper) {
  const {shared} = keeper;
  const cores = listed ?? allowedCores();
  const setPolling = polling ? await pollingOf(cores) : null;
  if (setPolling) {
    keeper.keep = setPolling;
    await startThreads(cores.length === 2 ? cores : [], {shared, computes: false});
    return 'polling';
  }
  if (!loops) throw new Error('they cannot poll');
  const limit = cpuLimitOf();
  if (limit !== null) throw new Error(`what keeps them awake would use up the CPU limit of ${limit} cores`);
  keeper.keep = (isOn) => {
    Atomics.store(shared, slots.isOn, isOn ? 1 : 0);
    Atomics.notify(shared, slots.isOn);
  };
  await startThreads(cores, {shared, computes: true});
  return 'awake';
}

/** @param {readonly number[]} cores @param {Omit<Thread, 'index'>} common */
async function startThreads(cores, common) {
  const threads = await Promise.all(cores.map((_, index) => start(index)));
  const places = threads.flatMap(({id}, index) => [String(cores[index]), id]);
  await execute('sh', ['-c', placeScript, 'sh', String(common.computes), ...places]);
  for (const {thread} of threads) thread.postMessage('begin');
  threads[0]?.thread.on('message', (answer) => report({event: 'distance', ...answer}));

  /** @param {number} index @returns {Promise<{thread: Worker, id: string}>} id: by which the system knows it */
  function start(index) {
    const thread = new Worker(new URL(import.meta.url), {workerData: {...common, index}});
    return new Promise((resolve, reject) => {
      thread.once('message', (id) => resolve({thread, id}));
      thread.once('error', reject);
    });
  }
}

/** @param {object} event */
function report(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

/** A chain of divisions leaves most of a physical core to its other hardware thread, where the processor cannot be told to pause. */
const pause = /** @type {{pause?: () => void}} */ (/** @type {unknown} */ (Atomics)).pause ?? divide;

/**
 * @typedef {object} Thread
 * @property {Int32Array<SharedArrayBuffer>} shared
 * @property {boolean} computes whether it keeps its core awake; otherwise it waits for questions
 * @property {number} index
 */

/** @param {Thread} thread */
function loop({shared, computes, index}) {
  parentPort?.postMessage(readlinkSync('/proc/thread-self').split('/').at(-1));
  parentPort?.once('message', () => {
    let answered = 0;
    for (;;) {
      if (computes) {
        Atomics.wait(shared, slots.isOn, 0);
        for (let turn = 0; turn < 100; turn += 1) pause();
      } else Atomics.wait(shared, slots.question, answered);
      const question = Atomics.load(shared, slots.question);
      if (question === answered) continue;
      answered = question;
      if (index === 0) parentPort?.postMessage({question, ns: serve(shared, question)});
      else if (index === 1) returnBalls(shared, question);
    }
  });
}

/** A thread gives way to anything else at any time. So the fastest of several rallies counts. */
const rallies = 20;
const strokes = 100;
/** If another program uses a core, a rally may not end. */
const giveUpMs = 20;
const spinsPerLook = 10_000;

/**
 * The first thread serves, and the second thread returns the ball.
 * @param {Int32Array<SharedArrayBuffer>} shared @param {number} question
 * @returns {number | null} ns for the way to the other core and back; null: unknown
 */
function serve(shared, question) {
  const endMs = performance.now() + giveUpMs;
  let best = Number.POSITIVE_INFINITY;
  for (let rally = 0; rally < rallies && best > 0; rally += 1) best = Math.min(best, rallyNs(shared, endMs));
  Atomics.store(shared, slots.ball, -question);
  return best > 0 ? Math.round(best) : null;
}

/** @param {Int32Array<SharedArrayBuffer>} shared @param {number} endMs @returns {number} ns for each stroke; 0: the rally did not end in time */
function rallyNs(shared, endMs) {
  const fromMs = performance.now();
  for (let stroke = 0; stroke < strokes; stroke += 1) {
    Atomics.store(shared, slots.ball, 1);
    for (let spins = 1; Atomics.load(shared, slots.ball) === 1; spins += 1)
      if (spins % spinsPerLook === 0 && performance.now() > endMs) return 0;
  }
  return ((performance.now() - fromMs) * 1e6) / strokes;
}

/** Returns the ball until the game ends. @param {Int32Array<SharedArrayBuffer>} shared @param {number} question */
function returnBalls(shared, question) {
  const endMs = performance.now() + 2 * giveUpMs;
  for (let spins = 1; ; spins += 1) {
    const ball = Atomics.load(shared, slots.ball);
    if (ball === 1) Atomics.store(shared, slots.ball, 0);
    else if (ball === -question || (spins % spinsPerLook === 0 && performance.now() > endMs)) return;
  }
}

let quotient = 1;

function divide() {
  quotient = quotient > 2 ? 1 : quotient / 0.999_999;
}
