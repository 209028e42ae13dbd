/**
 * Times loops batch by batch: a loop with two clock reads, and a loop that also records their difference. It prints the cost of a sample of each
 * loop. It needs --expose-gc and a large new space.
 */
import {Recorder} from '../src/measure/recorder.js';
import {randomSource} from '../src/payload/random.js';

/** The recorder's array has room for a batch, so that nothing is moved into the histogram while a loop is timed. */
const batch = 125_000;
const batches = 16;
/** The first batches warm up the compiler. */
const warmUps = 4;

const recorder = new Recorder();
const kept = new Float64Array(1);
const objects = Array.from({length: 1024}, () => ({}));

const loops = {
  bare() {
    for (let index = 0; index < batch; index += 1) {
      const before = performance.now();
      const after = performance.now();
      kept[0] = after - before;
    }
  },
  recorded() {
    for (let index = 0; index < batch; index += 1) {
      const before = performance.now();
      const after = performance.now();
      recorder.record(after - before);
    }
  },
  allocating() {
    for (let index = 0; index < batch; index += 1) {
      const before = performance.now();
      const after = performance.now();
      objects[index % objects.length] = {time: after - before};
    }
  },
};
const names = /** @type {(keyof typeof loops)[]} */ (Object.keys(loops));
if (process.argv[2] === 'recorded-first') names.reverse();

const sums = {bare: {ns: 0, bytes: 0}, recorded: {ns: 0, bytes: 0}, allocating: {ns: 0, bytes: 0}};
for (let index = -warmUps; index < batches; index += 1) {
  for (const name of names) {
    const spent = runBatch(loops[name]);
    if (index < 0) continue;
    sums[name].ns += spent.ns / batches;
    sums[name].bytes += spent.bytes / batches;
  }
}
// A loop that allocates on purpose proves that the measurement detects allocations.
if (sums.allocating.bytes - sums.bare.bytes < 16)
  throw new Error('This version of Node.js does not show allocations in heapUsed.');
console.log(
  JSON.stringify({
    bareNs: sums.bare.ns,
    recordedNs: sums.recorded.ns,
    bareBytes: sums.bare.bytes,
    recordedBytes: sums.recorded.bytes,
    moveNs: timeMoves(),
  }),
);

/** @param {() => void} loop */
function runBatch(loop) {
  recorder.reset();
  globalThis.gc?.();
  const used = process.memoryUsage().heapUsed;
  const before = performance.now();
  loop();
  const after = performance.now();
  return {ns: ((after - before) * 1e6) / batch, bytes: (process.memoryUsage().heapUsed - used) / batch};
}

/** @returns {number} ns per sample, for round trips from 20 µs to 2 ms */
function timeMoves() {
  const random = randomSource(1, 'round trips');
  let ns = 0;
  for (let index = -warmUps; index < batches; index += 1) {
    recorder.reset();
    for (let sample = 0; sample < batch; sample += 1) recorder.record(0.02 * 100 ** random());
    const before = performance.now();
    recorder.finish();
    if (index >= 0) ns += ((performance.now() - before) * 1e6) / batch / batches;
  }
  return ns;
}
