import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {assertOutage, runFaults} from '../support/run-faults.js';

/**
 * @import {Workplace} from '../support/workplace.js'
 */

/** @param {Workplace} workplace @param {string} words */
function faultsIn(workplace, words) {
  return runFaults(workplace, `${words} --workload stream`);
}

const transports = ['tcp', 'http', 'grpc', 'websocket', 'zeromq', 'udp', 'shared-memory'];

describe('faults with one-way messages', {timeout: 900_000}, () => {
  it(
    'account for each message to a server that is killed, over each kind of connection, and go on with it',
    inAWorkplace(async (workplace) => {
      const rows = await faultsIn(
        workplace,
        `faults --transport ${transports.join()} --http-server node --fault kill-server --tries 1 --restart-after 200ms`,
      );
      assert.deepEqual(new Set(rows.map(({row}) => row.transport)), new Set(transports));
      for (const {row, error, faults: own, class: found} of rows) {
        const {transport} = row;
        assert.deepEqual([error, found, row.isOneWay], [null, null, true], transport);
        const [{account, outageMs, outageEnd, found: tries}] = own;
        assert.ok(account, transport);
        const {sent, received, lost, confirmed, open, acknowledged} = account;
        assert.ok(received > 100, `${transport}: ${received} arrived of ${sent}`);
        assert.deepEqual(
          [sent - received, confirmed, open, acknowledged],
          [lost, 0, sent, null],
          `${transport}: the account of a message without an outcome`,
        );
        assert.deepEqual(tries[0].arrival?.corrupted, 0, transport);
        assert.equal(outageEnd, 'ended', transport);
        assertOutage(outageMs, 200, transport);
      }
    }),
  );

  it(
    'keep every message that a paused server reads later, also as a fault of a battle',
    inAWorkplace(async (workplace) => {
      const rows = await faultsIn(
        workplace,
        '--transport tcp,websocket --fault pause-server@1s --restart-after 300ms',
      );
      for (const {row, sentence, faults: own} of rows) {
        assert.equal(sentence, 'each message arrived', row.transport);
        const [{account, outageMs, found: tries}] = own;
        assert.ok(account && account.sent > 100 && account.lost === 0);
        assert.deepEqual(tries[0].arrival, {duplicated: 0, reordered: 0, corrupted: 0}, row.transport);
        assertOutage(outageMs, 300, row.transport);
      }
    }),
  );

  it(
    'lose what was on its way when its connection or its network was cut, and connect again',
    inAWorkplace(async (workplace) => {
      const rows = await faultsIn(
        workplace,
        'faults --transport websocket --fault cut-connection,cut-network --tries 1 --restart-after 1s',
      );
      const [{error, faults: own}] = rows;
      assert.equal(error, null);
      for (const {fault, account, outageEnd} of own)
        assert.ok(account && account.received > 100 && outageEnd === 'ended', fault);
    }),
  );

  it(
    'end with a broker that is killed, and show what another server takes over',
    inAWorkplace(async (workplace) => {
      const rows = await faultsIn(
        workplace,
        'faults --transport nats,rabbitmq --delivery-mode 1 --servers 2 --fault kill-server,kill-broker --tries 1',
      );
      for (const {row, error, faults: own} of rows) {
        assert.equal(error, null, row.transport);
        const [killed, restarted] = own;
        assert.ok(killed.account && killed.account.received > 100);
        assert.equal(restarted.outageEnd, 'ended', row.transport);
        assertOutage(restarted.outageMs, Number(restarted.restartMs), row.transport);
      }
    }),
  );

  it(
    'wait in a queue for a server that stays down during the load, and are read at its end',
    inAWorkplace(async (workplace) => {
      const [{error, sentence, faults: own}] = await faultsIn(
        workplace,
        'faults --transport rabbitmq --delivery-mode 1 --rabbitmq-confirms on --fault kill-server --respawn off',
      );
      assert.equal(error, null);
      // What the server had read and not acknowledged yet when it was killed, the broker gives again.
      assert.match(
        sentence,
        /^each message arrived(; kill-server: \d+ messages? arrived again)?; the outage of kill-server has no end$/,
      );
      const [{account, outageEnd}] = own;
      assert.ok(account && account.sent > 100 && account.lost === 0 && outageEnd === 'open');
    }),
  );
});
