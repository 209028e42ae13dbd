import {performance} from 'node:perf_hooks';
import {afterEach, beforeEach} from 'node:test';

/**
 * In place of the clock of all tests of a file: one that stands still but for what a test adds to `nowMs`. A test that needs the real one
 * sets `isInjected` to false.
 */
export function injectClock() {
  const clock = {nowMs: 0, isInjected: true};
  const realNow = performance.now.bind(performance);
  beforeEach(() => {
    clock.nowMs = 0;
    clock.isInjected = true;
    // Not mock.method: it keeps a record of each of the millions of calls.
    performance.now = () => (clock.isInjected ? clock.nowMs : realNow());
  });
  afterEach(() => {
    performance.now = realNow;
  });
  return clock;
}
