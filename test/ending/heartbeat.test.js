import assert from 'node:assert/strict';
import {test} from 'node:test';
import {HeartbeatTimeout} from '../../src/ending/heartbeat.js';

/** @import {TestContext} from 'node:test' */

/** Counts how often the other end is taken for silent. @param {TestContext} context */
function start({mock}) {
  let nowMs = 1000;
  mock.timers.enable({apis: ['setInterval']});
  mock.method(performance, 'now', () => nowMs);
  let silences = 0;
  const heartbeat = new HeartbeatTimeout(() => {
    silences += 1;
  });
  return {
    heartbeat,
    silences: () => silences,
    /** @param {number} ms */
    pass(ms) {
      nowMs += ms;
      mock.timers.tick(ms);
    },
    /** Time in which this process does not run; a timer that is due then fires once afterwards. @param {number} ms */
    stop(ms) {
      nowMs += ms;
      mock.timers.tick(1000);
    },
  };
}

test('five seconds without a message are a silence', (context) => {
  const {heartbeat, silences, pass} = start(context);
  for (let seconds = 0; seconds < 8; seconds += 1) {
    pass(1000);
    heartbeat.heard();
  }
  for (let seconds = 0; seconds < 4; seconds += 1) pass(1000);
  assert.equal(silences(), 0);
  pass(1000);
  assert.equal(silences(), 1);
  heartbeat.end();
});

test('the time in which this process itself was stopped is none', (context) => {
  const {heartbeat, silences, pass, stop} = start(context);
  pass(1500);
  heartbeat.heard();
  pass(600);
  // The next heartbeat is read only after the timer.
  stop(4500);
  assert.equal(silences(), 0);
  for (let seconds = 0; seconds < 4; seconds += 1) pass(1000);
  assert.equal(silences(), 0);
  pass(1000);
  assert.equal(silences(), 1, 'but it counts from then on');
  heartbeat.end();
});
