import assert from 'node:assert/strict';
import {test} from 'node:test';
import {asOptional} from '../../src/doctor/brokers.js';

/** @param {'ok' | 'warning' | 'error'} level */
const finding = (level) => ({check: 'Kafka', level, finding: 'no broker runs here', advice: 'Install it.'});

test('a missing broker that only named transports need is no warning; a broker that is out of order stays an error', () => {
  const kind = {name: 'kafka', label: 'Kafka', program: 'kafka-server-start.sh'};
  assert.deepEqual(asOptional(kind, finding('warning')), {
    ...finding('ok'),
    finding:
      'no broker runs here; only transports that you name need it. Install it with: npx perf-battle install kafka',
    // types.d.ts: null for level ok.
    advice: null,
  });
  for (const level of /** @type {const} */ (['ok', 'error']))
    assert.deepEqual(asOptional(kind, finding(level)), finding(level));
});
