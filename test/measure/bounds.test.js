import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Watchdog} from '../../src/measure/bounds.js';

/** @import {TestContext} from 'node:test' */

const never = new AbortController().signal;

/**
 * A clock and an interval timer that the test moves by hand.
 * @param {TestContext} context
 */
function injectTime({mock}) {
  let nowMs = 0;
  mock.method(performance, 'now', () => nowMs);
  mock.timers.enable({apis: ['setInterval']});
  return {
    /** @param {number} ms */
    pass(ms) {
      for (const end = nowMs + ms; nowMs < end; mock.timers.tick(1)) nowMs += 1;
    },
  };
}

test('work that makes progress may take any time', async (context) => {
  const clock = injectTime(context);
  let count = 0;
  let finish = () => {};
  const work = /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      finish = resolve;
    })
  );
  const guarded = new Watchdog(100).guard(work, () => count, never);
  for (; count < 20; count += 1) clock.pass(80);
  finish();
  assert.deepEqual(await guarded, {finished: true, waitedMs: 0});
});

test('work without progress is detected after the timeout, at most an eighth later', async (context) => {
  const clock = injectTime(context);
  const guarded = new Watchdog(80).guard(new Promise(() => {}), () => 0, never);
  clock.pass(79);
  assert.equal(await Promise.race([guarded, 'nothing yet']), 'nothing yet');
  clock.pass(11);
  const {finished, waitedMs} = await guarded;
  assert.equal(finished, false);
  assert.ok(waitedMs >= 80 && waitedMs <= 90, String(waitedMs));
});

test('an error of the work and the reason of an abort are passed on', async () => {
  await assert.rejects(
    new Watchdog(1000).guard(Promise.reject(new Error('lost')), () => 0, never),
    /lost/,
  );
  const life = new AbortController();
  const guarded = new Watchdog(1000).guard(new Promise(() => {}), () => 0, life.signal);
  life.abort(new Error('stopped'));
  await assert.rejects(guarded, /stopped/);
});
