import {setImmediate as nextTurn, setTimeout as sleep} from 'node:timers/promises';

/**
 * Generates load for one core: `node load-process.js steady`, or `bursts`: 0.2 to 2 s of load, then 1 to 5 s of rest. The process ends when its
 * standard input ends, so that it does not survive the bench.
 */

const isSteady = process.argv[2] === 'steady';
const sliceMs = 20;
let isOver = false;
process.stdin.on('end', () => {
  isOver = true;
});
process.stdin.on('error', () => {
  isOver = true;
});
process.stdin.resume();

while (!isOver) {
  await load(isSteady ? 1000 : between(200, 2000));
  if (!isSteady) await rest(between(1000, 5000));
}

/** Yields between slices, so that the end of standard input is noticed. @param {number} ms */
async function load(ms) {
  const end = performance.now() + ms;
  while (!isOver && performance.now() < end) {
    const endOfSlice = performance.now() + sliceMs;
    while (performance.now() < endOfSlice);
    await nextTurn();
  }
}

/** @param {number} ms */
async function rest(ms) {
  const end = performance.now() + ms;
  while (!isOver && performance.now() < end) await sleep(sliceMs);
}

/** @param {number} least @param {number} most */
function between(least, most) {
  return least + Math.random() * (most - least);
}
