import assert from 'node:assert/strict';
import {test} from 'node:test';
import {EventLog} from '../../src/api/runs.js';

/** @param {EventLog<number>} log */
async function all(log) {
  const events = [];
  for await (const event of log.read()) events.push(event);
  return events;
}

test('each reader gets all events in their order, whenever it begins', async () => {
  /** @type {EventLog<number>} */
  const log = new EventLog();
  const early = all(log);
  log.push(1);
  await Promise.resolve();
  log.push(2);
  const late = all(log);
  log.push(3);
  log.end();
  assert.deepEqual(await Promise.all([early, late, all(log)]), [
    [1, 2, 3],
    [1, 2, 3],
    [1, 2, 3],
  ]);
});

test('a reader that stops early leaves the others alone', async () => {
  /** @type {EventLog<number>} */
  const log = new EventLog();
  const whole = all(log);
  log.push(1);
  for await (const event of log.read()) {
    assert.equal(event, 1);
    break;
  }
  log.push(2);
  log.end();
  assert.deepEqual(await whole, [1, 2]);
});
