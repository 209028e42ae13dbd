import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Watchdog} from '../../src/measure/watchdog.js';

const never = new AbortController().signal;

test('work that makes progress may take any time', async () => {
  let count = 0;
  const work = (async () => {
    for (; count < 20; count += 1) await new Promise((resolve) => setTimeout(resolve, 20));
  })();
  assert.deepEqual(await new Watchdog(100).guard(work, () => count, never), {finished: true, waitedMs: 0});
});

test('work without progress is detected after the timeout, and not before', async () => {
  const {finished, waitedMs} = await new Watchdog(80).guard(new Promise(() => {}), () => 0, never);
  assert.equal(finished, false);
  assert.ok(waitedMs >= 80, String(waitedMs));
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
