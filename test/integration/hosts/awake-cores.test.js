import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdirSync, readFileSync} from 'node:fs';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {AwakeCores} from '../../../src/hosts/host-cores.js';
import {LocalHost} from '../../../src/hosts/local.js';
import {free} from '../../../src/hosts/placement.js';
import {allowedCores} from '../../../src/measure/cores.js';
import {readProcessTimes} from '../../../src/measure/system.js';
import {leaveOutAwakeLoop, readUsage, usageSince} from '../../../src/measure/usage.js';
import {canPoll, othersAsk, sleeps} from '../support/polling.js';

/** @import {AwakeRequest} from '../../../src/hosts/types.js' */

const host = new LocalHost();
const [core] = allowedCores();

/**
 * @param {Partial<AwakeRequest>} [request]
 * @param {readonly number[]} [used]
 */
async function start(request, used = [core]) {
  /** @type {string[]} */
  const lines = [];
  const awake = await AwakeCores.start(
    {all: [host], placement: {...free, used: () => [...used]}},
    {
      ...{wanted: null, instanceTypeOf: () => null, signal: new AbortController().signal},
      ...{log: (line) => void lines.push(line), polling: false},
      ...request,
    },
  );
  return {awake, lines, pid: awake.pidOn(host)};
}

/** @param {number} pid */
function cpuMsOf(pid) {
  const times = readProcessTimes(pid);
  assert.ok(times, `process ${pid}`);
  return times.userMs + times.systemMs;
}

/** @param {number} pid @returns the threads that may run on one core only, as the kernel describes them */
function loopsOf(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
    const cores = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '';
    return /^\d+$/.test(cores) && thread !== String(pid) ? {thread, cores} : [];
  });
}

/** @param {number} pid */
function isThere(pid) {
  return readProcessTimes(pid) !== null;
}

/** Gives the loops the weight of other processes: beside other tests, two loops of the lowest weight hardly ever run at the same time. @param {number} pid */
function weighAsOthers(pid) {
  for (const {thread} of loopsOf(pid)) execFileSync('chrt', ['-o', '-p', '0', thread]);
}

/** @param {boolean} polling @returns {Promise<number>} ns; three questions without an answer begin anew */
async function distanceBesideTests(polling) {
  const end = performance.now() + 100_000;
  while (performance.now() < end) {
    const {awake, pid} = await start({polling}, allowedCores().slice(0, 2));
    try {
      if (!polling) weighAsOthers(Number(pid));
      awake.on();
      for (let question = 0; question < 3; question += 1) {
        const ns = await awake.distance();
        if (ns !== null) return ns;
      }
    } finally {
      await awake.end();
      assert.equal(await awake.distance(), null, 'after the end');
    }
  }
  throw new Error('There was no answer in 100 s.');
}

/** @param {() => boolean} holds */
async function until(holds) {
  const end = performance.now() + 100_000;
  while (performance.now() < end && !holds()) await sleep(50);
  assert.ok(holds());
}

/**
 * What a reading of the host's usage has without the loop and with it, over one span.
 * @param {{on: () => void, off: () => void}} awake
 * @param {number} pid of the loop
 */
async function compareReadings(awake, pid) {
  leaveOutAwakeLoop(pid);
  const leftOut = readUsage();
  leaveOutAwakeLoop(null);
  const counted = readUsage();
  const slept = cpuMsOf(pid);
  awake.on();
  // Beside other tests, the loop gets little: about one hundredth of a core that is never idle.
  await until(() => cpuMsOf(pid) - slept > 100);
  awake.off();
  await sleep(300);
  const keptMs = cpuMsOf(pid) - slept;
  leaveOutAwakeLoop(pid);
  const {host: without} = usageSince(leftOut);
  leaveOutAwakeLoop(null);
  const {host: withIt} = usageSince(counted);
  return {without, withIt, keptMs};
}

/** Whether the readings differ by what the loop used. @param {Awaited<ReturnType<typeof compareReadings>>} readings */
function agree({without, withIt, keptMs}) {
  assert.ok(without && withIt);
  // Other programs may run beside this test, in the moments between two readings too.
  const slackMs = 30 + Math.abs(without.capacityMs - withIt.capacityMs);
  return /** @type {const} */ (['busyMs', 'processesMs']).every(
    (key) => Math.abs((withIt[key] ?? 0) - (without[key] ?? 0) - keptMs) <= slackMs,
  );
}

describe('cores that are kept awake', {timeout: 600_000}, () => {
  it('have a loop each that gives way to all else, in the session of the roles, while it is on', async () => {
    const {awake, lines, pid} = await start({}, allowedCores());
    try {
      assert.deepEqual([awake.state, lines], ['awake', []]);
      assert.ok(pid);
      const loops = loopsOf(pid);
      assert.deepEqual(loops.map(({cores}) => Number(cores)).toSorted(), allowedCores());
      for (const {thread} of loops)
        assert.match(execFileSync('chrt', ['-p', thread], {encoding: 'utf8'}), /SCHED_IDLE/);
      // Otherwise Linux lets a role wait for the next tick of a loop, for up to 4 ms.
      const [own, ofLoops] = ['self', pid].map((id) => readFileSync(`/proc/${id}/autogroup`, 'utf8'));
      assert.equal(ofLoops, own);
      const slept = cpuMsOf(pid);
      await sleep(300);
      assert.ok(cpuMsOf(pid) - slept < 50, 'before it is on');
      awake.on();
      await until(() => cpuMsOf(pid) - slept > 100);
      awake.off();
      await sleep(200);
      const rests = cpuMsOf(pid);
      await sleep(300);
      assert.ok(cpuMsOf(pid) - rests < 50, 'after it is off');
    } finally {
      await awake.end();
    }
    assert.ok(pid && !isThere(pid));
  });

  it('sleep while a person has stopped the battle by Ctrl-Z, and are awake again afterwards', async () => {
    const {awake, pid} = await start({polling: true}, allowedCores());
    const id = Number(pid);
    try {
      awake.on();
      await sleep(100);
      process.kill(id, 'SIGTSTP');
      await until(() => /^State:\s+T/m.test(readFileSync(`/proc/${id}/status`, 'utf8')));
      if (awake.state === 'polling') {
        const slept = sleeps();
        await until(() => sleeps() > slept || othersAsk(id));
      }
      process.kill(id, 'SIGCONT');
      if (awake.state !== 'polling') {
        const usedMs = cpuMsOf(id);
        await until(() => cpuMsOf(id) - usedMs > 100);
      }
      await until(() => /^State:\s+[RS]/m.test(readFileSync(`/proc/${id}/status`, 'utf8')));
    } finally {
      await awake.end();
    }
    assert.ok(!isThere(id));
  });

  it('poll for work instead where the kernel lets them, and no loop computes', async () => {
    const {awake, lines, pid} = await start({polling: true}, allowedCores());
    try {
      assert.deepEqual([awake.state, lines], [canPoll() ? 'polling' : 'awake', []]);
      if (!canPoll()) return;
      awake.on();
      await sleep(100);
      const [usedMs, slept] = [cpuMsOf(Number(pid)), sleeps()];
      await sleep(1000);
      assert.equal(sleeps(), slept, 'while it is on');
      assert.ok(cpuMsOf(Number(pid)) - usedMs < 100);
      awake.off();
      await until(() => sleeps() > slept || othersAsk(Number(pid)));
      awake.on();
      await sleep(100);
      process.kill(Number(pid), 'SIGKILL');
      const left = sleeps();
      await until(() => sleeps() > left || (!isThere(Number(pid)) && othersAsk(Number(pid))));
    } finally {
      await awake.end();
    }
  });

  it('are idle for those who measure what the host uses', async () => {
    const {awake, pid} = await start();
    assert.ok(pid);
    try {
      // Processes that end between two readings take their times with them, so one pair of readings in five decides.
      let found = await compareReadings(awake, pid);
      for (let attempt = 1; attempt < 5 && !agree(found); attempt += 1)
        found = await compareReadings(awake, pid);
      assert.ok(agree(found), JSON.stringify(found));
    } finally {
      leaveOutAwakeLoop(null);
      await awake.end();
    }
  });

  it('are asked how far apart they are: the time of a cache line to another core and back', async () => {
    assert.ok(allowedCores().length >= 2, 'the distance is that of two cores');
    for (const polling of [false, true]) {
      const ns = await distanceBesideTests(polling);
      assert.ok(ns > 1 && ns < 100_000, String(ns));
    }
  });

  it('are not asked again if three questions had no answer, as while they sleep', async () => {
    const {awake} = await start({}, allowedCores().slice(0, 2));
    try {
      for (let question = 0; question < 3; question += 1) assert.equal(await awake.distance(), null);
      const sinceMs = performance.now();
      for (let question = 0; question < 100; question += 1) assert.equal(await awake.distance(), null);
      assert.ok(performance.now() - sinceMs < 4000, 'no further question waits');
    } finally {
      await awake.end();
    }
  });

  it('poll where nothing is placed, too, if they can', async () => {
    const {awake, lines} = await start({polling: true}, []);
    try {
      assert.deepEqual([awake.state, lines], [canPoll() ? 'polling' : 'sleeping', []]);
    } finally {
      await awake.end();
    }
  });

  it('have no loops where nothing is placed, or a person wants that they sleep', async () => {
    for (const {awake, lines, pid} of [await start({}, []), await start({wanted: 'sleeping'})])
      assert.deepEqual([awake.state, lines, pid], ['sleeping', [], null]);
  });

  it('have no distance on one core, and are not asked for it', async () => {
    const {awake} = await start();
    try {
      awake.on();
      assert.equal(await awake.distance(), null);
    } finally {
      await awake.end();
    }
  });

  it('are all cores if a person wants it and nothing is placed', async () => {
    const {awake, pid} = await start({wanted: 'awake'}, []);
    try {
      assert.equal(loopsOf(Number(pid)).length, allowedCores().length);
    } finally {
      await awake.end();
    }
  });

  it('sleep on an instance that pays in credits, which is said, unless a person wants it', async () => {
    const {awake, lines} = await start({instanceTypeOf: () => 't2.micro'});
    assert.equal(awake.state, 'sleeping');
    assert.deepEqual(lines, [
      'The cores of this host may sleep while it is measured: a t2.micro pays in CPU credits for what keeps them awake.',
    ]);
    const wanted = await start({instanceTypeOf: () => 't2.micro', wanted: 'awake'});
    assert.equal(wanted.awake.state, 'awake');
    await wanted.awake.end();
  });

  it('sleep where it cannot be done, with the reason', async () => {
    const missing = Math.max(...allowedCores()) + 1;
    const {awake, lines, pid} = await start({}, [missing]);
    assert.deepEqual([awake.state, pid], ['sleeping', null]);
    assert.match(lines.join('\n'), /^The cores of this host may sleep while it is measured: .*affinity.*\.$/);
  });

  it('sleep once what keeps them awake was killed, which is said', async () => {
    const {awake, lines, pid} = await start();
    process.kill(Number(pid), 'SIGKILL');
    await until(() => awake.state === 'sleeping');
    assert.match(lines.join('\n'), /what kept them awake has ended\.$/);
    awake.on();
    await awake.end();
  });

  it('sleep when the process that wanted them awake falls silent, though its end of the line is open', async () => {
    const loop = await host.startSupervisor(
      new URL('../../../src/hosts/keep-awake.js', import.meta.url),
      null,
    );
    loop.stdin.write(`{"cores": [${core}], "polling": false, "loops": true}\n`);
    await once(loop.stdout, 'data');
    loop.stdin.write('on\n');
    const [, signal] = await once(loop, 'exit');
    assert.equal(signal, 'SIGKILL');
  });

  it('sleep when the process that wanted them awake is killed', async () => {
    const script = `
      import {AwakeCores} from ${JSON.stringify(new URL('../../../src/hosts/host-cores.js', import.meta.url))};
      import {LocalHost} from ${JSON.stringify(new URL('../../../src/hosts/local.js', import.meta.url))};
      const host = new LocalHost();
      const awake = await AwakeCores.start({all: [host], placement: {used: () => [${core}]}}, {
        wanted: null, instanceTypeOf: () => null, log: console.error, signal: new AbortController().signal,
      });
      awake.on();
      console.log(awake.pidOn(host));
      setInterval(() => {}, 1000);
    `;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [text] = await once(parent.stdout.setEncoding('utf8'), 'data');
    const pid = Number(text);
    assert.ok(isThere(pid));
    parent.kill('SIGKILL');
    await until(() => !isThere(pid));
  });
});
