import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Alarm} from '../../../src/transports/udp/socket.js';

test('an alarm keeps its timer when the time moves later, and sets it anew when it moves earlier', (context) => {
  context.mock.timers.enable({apis: ['setTimeout']});
  const rung = {count: 0};
  const alarm = new Alarm(
    () => 100,
    () => {
      rung.count += 1;
    },
  );
  alarm.at(Number.POSITIVE_INFINITY);
  alarm.at(110);
  alarm.at(120);
  alarm.at(105);
  context.mock.timers.tick(4);
  assert.equal(rung.count, 0);
  context.mock.timers.tick(1);
  assert.equal(rung.count, 1);
  context.mock.timers.tick(100);
  assert.equal(rung.count, 1, 'one timer was set at a time');
  alarm.at(110);
  alarm.clear();
  context.mock.timers.tick(100);
  assert.equal(rung.count, 1);
});
