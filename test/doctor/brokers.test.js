import assert from 'node:assert/strict';
import {test} from 'node:test';
import {asOptional} from '../../src/doctor/brokers.js';

/** @param {'ok' | 'warning' | 'error'} level */
const finding = (level) => ({check: 'Kafka', level, finding: 'no broker runs here', advice: 'Install it.'});

test('a missing broker that only named transports need is no warning; a broker that is out of order stays an error', () => {
  assert.deepEqual(asOptional(finding('warning')), {
    ...finding('ok'),
    finding: 'no broker runs here; only transports that you name need it. Install it.',
    // types.d.ts: null for level ok.
    advice: null,
  });
  for (const level of /** @type {const} */ (['ok', 'error']))
    assert.deepEqual(asOptional(finding(level)), finding(level));
});
