import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {promisify} from 'node:util';
import {addressSettings, pathOf, resultOf} from './harness.js';
import {compareSides, scaled} from './pairs.js';
import {runNode, startServer} from './processes.js';

/** @import {Bench, Part} from './part.js' */

/**
 * The bounds limit how much ratios to the floor may flatter a transport, because node:net is slower than C. On two cores of a virtual machine,
 * the barest echo took 0.055 ms in Node.js and 0.030 ms in C, at 1 KB.
 */
const sizes = [
  {label: '1 KB', payloadBytes: 1024, maxRatio: 2.5, counts: {warmUp: 6000, samples: 8000}},
  {label: '1000 KB', payloadBytes: 1_024_000, maxRatio: 1.8, counts: {warmUp: 300, samples: 800}},
];

/** @type {Part} */
export const floor = {
  name: 'floor',
  title: 'p50 of round trips: raw TCP, the floor / the same in C',
  needs: 'a C compiler (cc)',
  measure: compareFloor,
};

/** @param {Bench} bench */
async function* compareFloor(bench) {
  const {signal} = bench;
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-floor-'));
  const program = join(folder, 'ping-pong');
  try {
    await promisify(execFile)('cc', ['-O2', '-o', program, pathOf('ping-pong.c')], {signal});
    yield* compareWith(program, bench);
  } finally {
    await rm(folder, {recursive: true});
  }
}

/** @param {string} program @param {Bench} bench */
async function* compareWith(program, bench) {
  const {signal} = bench;
  const settings = {PB_OUTPUT: 'ndjson'};
  const ours = await startServer([pathOf('../src/tcp-server.js')], {settings, signal});
  const theirs = spawn(program, ['server'], {stdio: ['ignore', 'pipe', 'inherit']});
  try {
    const [port] = await once(theirs.stdout.setEncoding('utf8'), 'data', {signal});
    for (const {label, payloadBytes, maxRatio, counts} of sizes) {
      const [warmUp, samples] = [scaled(bench, counts.warmUp), scaled(bench, counts.samples)].map(String);
      const client = {
        ...settings,
        ...addressSettings(ours.address),
        ...{PB_PAYLOAD_BYTES: String(payloadBytes), PB_WARMUP: warmUp, PB_SAMPLES: samples},
      };
      yield await compareSides(bench, {
        what: `tcp, ${label}`,
        bound: {max: maxRatio},
        unit: 'ms',
        one: async () =>
          resultOf(await runNode([pathOf('../src/tcp-client.js')], {settings: client, signal})).rtt.p50Ms,
        other: () => runInC(program, [port.trim(), String(payloadBytes), warmUp, samples], signal),
      });
    }
  } finally {
    theirs.kill();
    await ours.end();
  }
}

/**
 * @param {string} program @param {readonly string[]} words port, bytes, warm-up, samples @param {AbortSignal} signal
 * @returns {Promise<number>} the median, in ms
 */
async function runInC(program, words, signal) {
  const client = spawn(program, ['client', ...words], {stdio: ['ignore', 'pipe', 'inherit'], signal});
  const [printed, [exitCode]] = await Promise.all([text(client.stdout), once(client, 'exit')]);
  if (exitCode !== 0) throw new Error(`ping-pong ended with exit code ${exitCode}. ${printed}`);
  return JSON.parse(printed).p50Ms;
}
