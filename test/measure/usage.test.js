import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {before, it} from 'node:test';
import {setTimeout as sleep, setImmediate as turn} from 'node:timers/promises';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {observePauses} from '../../src/measure/pauses.js';
import {tickMs} from '../../src/measure/system.js';
import {pauseUsage, readInstead, readUsage, resumeUsage, usageSince} from '../../src/measure/usage.js';

const isLinux = process.platform === 'linux';
const megabyte = 1024 * 1024;

/** @param {number} ms */
function work(ms) {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** CPU of a thread. @param {string} folder */
const cpuMsOf = (folder) => Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

/** @type {() => void} */
let collectGarbage;

before(() => {
  setFlagsFromString('--expose-gc');
  collectGarbage = runInNewContext('gc');
  observePauses();
});

it('the CPU time of the main thread is a part of that of the process', () => {
  const reading = readUsage();
  work(30);
  const {wallMs, userMs, systemMs, mainThreadMs, runDelayMs, involuntarySwitches} = usageSince(reading);
  assert.ok(userMs + systemMs > 0);
  assert.ok(Number(involuntarySwitches) >= 0);
  if (!isLinux) return assert.deepEqual([mainThreadMs, runDelayMs], [null, null]);
  assert.ok(Number(mainThreadMs) > 0 && Number(runDelayMs) >= 0 && wallMs >= 30);
});

it('the times of other threads count in place of those of the main thread, and are unknown where one has ended', () => {
  if (!isLinux) return;
  const mainThread = '/proc/self';
  try {
    readInstead(() => [mainThread, mainThread]);
    const twice = readUsage();
    const begin = cpuMsOf(mainThread);
    while (cpuMsOf(mainThread) - begin < 50) work(5);
    const {mainThreadMs} = usageSince(twice);
    assert.ok(Number(mainThreadMs) >= 100, `${mainThreadMs} ms`);
    readInstead(() => [mainThread, '/proc/self/task/0']);
    const {mainThreadMs: cpuMs, runDelayMs, wakeUps, migrations, stealMs} = usageSince(readUsage());
    assert.deepEqual([cpuMs, runDelayMs, wakeUps, migrations, stealMs], Array(5).fill(null));
    readInstead(() => [mainThread, mainThread]);
    const [before, paused] = [readUsage(), readUsage()];
    pauseUsage(paused);
    readInstead(() => [mainThread]);
    resumeUsage(paused);
    // What other threads had used so far says nothing.
    assert.deepEqual([usageSince(before).mainThreadMs, usageSince(paused).mainThreadMs], [null, null]);
  } finally {
    readInstead(() => [mainThread]);
  }
});

it('the peak of the memory is that of the time between two readings', async () => {
  readUsage();
  const outer = readUsage();
  const first = readUsage();
  let block = /** @type {Buffer | null} */ (Buffer.alloc(128 * megabyte, 1));
  const large = usageSince(first).maxRssBytes;
  if (!isLinux) return assert.equal(large, null);
  assert.ok(Number(large) > 128 * megabyte && Number(block?.length) > 0);
  block = null;
  // The memory of a buffer is freed by another thread, which a busy host may keep waiting.
  const isFreed = () => process.memoryUsage.rss() < Number(large) - 110 * megabyte;
  for (let tries = 0; tries < 200 && !isFreed(); tries += 1) {
    collectGarbage();
    await sleep(10);
  }
  const second = readUsage();
  const small = usageSince(second).maxRssBytes;
  assert.ok(Number(small) > 0 && Number(small) < Number(large) - 100 * megabyte, `${small} after ${large}`);
  // A reading collects the peaks of all that follow until it is compared.
  assert.ok(Number(usageSince(outer).maxRssBytes) >= Number(large));
});

it('the pauses of garbage collections are added up', async () => {
  const reading = readUsage();
  for (let count = 0; count < 5; count += 1) collectGarbage();
  await turn();
  await turn();
  const {gcMs, wallMs} = usageSince(reading);
  assert.ok(Number(gcMs) > 0 && Number(gcMs) <= wallMs, `${gcMs} of ${wallMs}`);
});

it('the longest delay of the event loop is that between two readings', async () => {
  await sleep(1);
  const reading = readUsage();
  work(120);
  await sleep(1);
  const stalled = usageSince(reading).loopDelayMaxMs;
  assert.ok(Number(stalled) > 60, `${stalled}`);
  const reached = usageSince(readUsage()).loopDelayMaxMs;
  assert.ok(Number(reached) < Number(stalled), `${reached} after ${stalled}`);
});

it('a stall that lasts until the second reading counts', () => {
  const reading = readUsage();
  work(120);
  assert.ok(Number(usageSince(reading).loopDelayMaxMs) > 60);
});

it('two readings at once are each compared with their own time', () => {
  const outer = readUsage();
  collectGarbage();
  const inner = readUsage();
  work(60);
  const ofInner = usageSince(inner);
  const ofOuter = usageSince(outer);
  assert.ok(ofOuter.wallMs > ofInner.wallMs);
  assert.ok(Number(ofOuter.loopDelayMaxMs) >= Number(ofInner.loopDelayMaxMs));
});

it('what happens while a reading is paused is left out', async () => {
  const whole = readUsage();
  // The reading begins and ends within these two spans, however long a busy host stops this process between two lines.
  const first = span();
  const reading = readUsage();
  work(20);
  pauseUsage(reading);
  const most = first();
  work(150);
  for (let count = 0; count < 5; count += 1) collectGarbage();
  await sleep(20);
  await turn();
  const second = span();
  resumeUsage(reading);
  await sleep(20);
  const {wallMs, userMs, systemMs, leftOutMs, eventLoopShare, mainThreadMs, ...pauses} = usageSince(reading);
  const again = second();
  assert.ok(Number(leftOutMs) > 50, `${leftOutMs} ms of CPU left out`);
  assert.ok(wallMs >= 20 + 19 && wallMs <= most.wallMs + again.wallMs, `${wallMs} ms`);
  const mostCpuMs = most.cpuMs + again.cpuMs;
  assert.ok(userMs + systemMs <= mostCpuMs + 1, `${userMs + systemMs} of at most ${mostCpuMs} ms of CPU`);
  assert.ok(eventLoopShare > 0 && eventLoopShare <= 1, `${eventLoopShare}`);
  if (isLinux)
    // The kernel counts that of a thread in ticks, here in two spans.
    assert.ok(
      Number(mainThreadMs) >= 5 && Number(mainThreadMs) <= mostCpuMs + 2 * tickMs,
      `${mainThreadMs} ms`,
    );
  assert.ok(Number(pauses.gcMs) < Number(usageSince(whole).gcMs) / 2, `${pauses.gcMs} ms`);
  assert.ok(Number(pauses.loopDelayMaxMs) <= Math.max(100, again.wallMs), `${pauses.loopDelayMaxMs} ms late`);

  const third = span();
  const paused = readUsage();
  work(20);
  pauseUsage(paused);
  const untilPaused = third();
  work(150);
  assert.ok(usageSince(paused).wallMs <= untilPaused.wallMs);
});

/** @returns {() => {wallMs: number, cpuMs: number}} what has passed since, and what this process used */
function span() {
  const began = performance.now();
  const before = process.cpuUsage();
  return () => {
    const {user, system} = process.cpuUsage(before);
    return {wallMs: performance.now() - began, cpuMs: (user + system) / 1000};
  };
}
