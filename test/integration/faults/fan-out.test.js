import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {runFaults} from '../support/run-faults.js';

/**
 * @import {Conclusion} from '../../../src/faults/found.js'
 * @import {Workplace} from '../support/workplace.js'
 */

/** @param {Workplace} workplace @param {string} words */
function faultsIn(workplace, words) {
  return runFaults(workplace, `${words} --workload fan-out --subscribers 3`);
}

/** @param {Conclusion & {error: unknown}} row */
function accountIn({row, error, faults: [{account, found: tries, outageEnd}]}) {
  const {transport} = row;
  assert.deepEqual([error, row.subscribers, outageEnd], [null, 3, 'ended'], transport);
  assert.ok(account, transport);
  const {sent, received, lost, open} = account;
  assert.deepEqual([sent - received, open], [lost, sent], transport);
  assert.ok(received > 100, `${transport}: ${received} of ${sent} reached all`);
  assert.equal(tries[0].arrival?.corrupted, 0, transport);
  return {sent, lost};
}

describe('faults with messages to subscribers', {timeout: 900_000}, () => {
  it(
    'account for what the subscribers of a killed server miss, over each kind of connection',
    inAWorkplace(async (workplace) => {
      const transports = ['tcp', 'unix', 'http', 'http2', 'grpc', 'websocket', 'sse', 'socketio', 'zeromq'];
      const rows = await faultsIn(
        workplace,
        `faults --transport ${transports.join()} --http-server node --unix-protocol raw --fault kill-server --tries 1 --restart-after 200ms`,
      );
      assert.deepEqual(new Set(rows.map(({row}) => row.transport)), new Set(transports));
      for (const row of rows) accountIn(row);
    }),
  );

  it(
    'lose what a killed broker had, and what is published before they are subscribed again',
    inAWorkplace(async (workplace) => {
      const rows = await faultsIn(
        workplace,
        'faults --transport nats,redis,rabbitmq --fault kill-broker --tries 1',
      );
      for (const row of rows) accountIn(row);
    }),
  );

  it(
    'get what they missed from a broker that keeps messages',
    inAWorkplace(async (workplace) => {
      const rows = await faultsIn(
        workplace,
        'faults --transport kafka,jetstream,rabbitmq-stream --jetstream-storage file --fault cut-connection --tries 1',
      );
      for (const row of rows) {
        const {sent, lost} = accountIn(row);
        // Of the publisher, a window of messages is on their way when its connection is cut.
        assert.ok(lost <= 64, `${row.row.transport}: ${lost} of ${sent}`);
      }
    }),
  );

  it(
    'lose nothing of a paused server, also as a fault of a battle',
    inAWorkplace(async (workplace) => {
      const rows = await faultsIn(
        workplace,
        '--transport tcp,websocket --fault pause-server@1s --restart-after 300ms',
      );
      for (const row of rows) {
        assert.equal(accountIn(row).lost, 0, row.row.transport);
        assert.equal(row.sentence, 'each message reached every subscriber');
      }
    }),
  );
});
