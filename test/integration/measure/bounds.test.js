import assert from 'node:assert/strict';
import {getEventListeners} from 'node:events';
import {test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {TimeLimitError, untilAborted, within} from '../../../src/measure/bounds.js';

setFlagsFromString('--expose-gc');
/** @type {() => void} */
const collectGarbage = runInNewContext('gc');

/** An event that never comes. @returns {Promise<never>} */
const never = () => new Promise(() => {});

/** Collects garbage again and again, in the turns of the event loop in which a wait is on. */
async function collecting() {
  for (let count = 0; count < 5; count += 1) {
    collectGarbage();
    await sleep(10);
  }
}

test('a bound that only listeners hold fires after garbage was collected', async () => {
  const {signal} = new AbortController();
  /** @type {unknown} */
  let reason = null;
  const bounded = within(150, signal, (soon) => untilAborted(never(), soon)).catch((error) => {
    reason = error;
  });
  // On a busy host, the time is over before the last of these collections.
  collectGarbage();
  assert.equal(reason, null);
  await collecting();
  const deadline = performance.now() + 5000;
  while (reason === null && performance.now() < deadline) await sleep(10);
  assert.ok(/** @type {unknown} */ (reason) instanceof TimeLimitError, 'the bound did not fire');
  await bounded;
});

test('a signal that is given aborts the work, after garbage was collected, too', async () => {
  const life = new AbortController();
  const bounded = within(60_000, life.signal, (soon) => untilAborted(never(), soon));
  await collecting();
  life.abort(new Error('asked to end'));
  await assert.rejects(bounded, /asked to end/);
  await assert.rejects(
    within(60_000, life.signal, (soon) => untilAborted(never(), soon)),
    /asked to end/,
  );
});

test('work that gives up ends with its own reason, and none leaves a listener or a timer', async () => {
  const {signal} = new AbortController();
  const work = within(Number.POSITIVE_INFINITY, signal, (soon, giveUp) => {
    setImmediate(giveUp, new Error('given up'));
    return untilAborted(never(), soon);
  });
  await assert.rejects(work, /given up/);
  assert.equal(await within(60_000, signal, async () => 'done'), 'done');
  assert.equal(await within(60_000, null, async () => 'done'), 'done');
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
  assert.ok(!process.getActiveResourcesInfo().includes('Timeout'));
});
