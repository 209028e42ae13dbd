import assert from 'node:assert/strict';
import {after, before, describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {leftoversOnHostsWithin} from '../support/leftovers-on-hosts.js';
import {makeNetwork} from '../support/network.js';
import {assertOutage} from '../support/run-faults.js';

/** @import {Network} from '../support/network.js' */

const short = ['--restart-after', '200ms', '--json'];
/** A process that hears nothing ends by then. */
const goneWithinMs = 15_000;

describe('faults on other hosts, over ssh', {timeout: 900_000}, () => {
  /** @type {Network} */
  let network;
  before(async () => {
    network = await makeNetwork(['alpha']);
  });
  after(() => network?.close());
  const environment = () => ({PB_SSH_CONFIG: network.sshConfig});

  it(
    'kills and pauses a server there, which serves again at the same port',
    inAWorkplace(async (workplace) => {
      const harm = ['--fault', 'kill-server,pause-server', '--tries', '2'];
      const words = ['faults', '--transport', 'tcp,http', '--http-server', 'node', '--server-on', 'alpha'];
      const {code, stdout, stderr} = await workplace.battle(
        [...words, ...harm, '--resend', ...short],
        environment(),
      );
      assert.equal(code, 0, stderr);
      const {rows, faults} = JSON.parse(stdout);
      assert.equal(rows.length, 2);
      assert.deepEqual(faults.hosts, {server: 'alpha', broker: 'alpha'});
      for (const {row, faults: own} of rows)
        for (const {fault, outcome, outageMs, outageEnd} of own) {
          const what = `${row.transport}, ${fault}`;
          assert.deepEqual([what, outcome, outageEnd], [what, 'kept', 'ended']);
          // The signals of a pause may take different times to get there.
          assert.ok(outageMs >= (fault === 'kill-server' ? 200 : 1), `${what}: ${outageMs} ms`);
        }
      assert.deepEqual(await leftoversOnHostsWithin(network, goneWithinMs), []);
    }),
  );

  it(
    'counts the one-way messages that arrive there',
    inAWorkplace(async (workplace) => {
      const words = ['faults', '--transport', 'tcp', '--workload', 'stream', '--server-on', 'alpha'];
      const {code, stdout, stderr} = await workplace.battle(
        [...words, '--fault', 'pause-server', '--tries', '1', ...short],
        environment(),
      );
      assert.equal(code, 0, stderr);
      const [{sentence, faults: own}] = JSON.parse(stdout).rows;
      const [{account, outageMs}] = own;
      assert.deepEqual([sentence, account.lost], ['each message arrived', 0]);
      assert.ok(account.received > 100 && outageMs < 5000, `${outageMs} ms`);
      assertOutage(outageMs, 200);
      assert.deepEqual(await leftoversOnHostsWithin(network, goneWithinMs), []);
    }),
  );

  it(
    'kills a private broker there, and cuts the power of a disk that it makes there',
    inAWorkplace(async (workplace) => {
      const settings = ['--delivery-mode', '1,2', '--rabbitmq-confirms', 'on', '--broker-on', 'alpha'];
      const words = ['faults', '--transport', 'rabbitmq', ...settings, '--tries', '1', ...short];
      const {code, stdout, stderr} = await workplace.start('battle', words, environment(), {
        patienceMs: 600_000,
      }).ended;
      assert.equal(code, 0, stderr);
      const {rows, faults} = JSON.parse(stdout);
      assert.deepEqual(faults.notTried, []);
      const outcomes = rows.map((/** @type {any} */ {row, faults: own, evidence, class: name}) => {
        assert.ok(evidence.rttMs > 0 && evidence.messages > 20, JSON.stringify(evidence));
        return [
          row.variant.deliveryMode,
          name,
          ...own.map((/** @type {any} */ one) => `${one.fault} ${one.outcome}`),
        ];
      });
      assert.deepEqual(outcomes, [
        [1, 'in memory', 'kill-broker lost', 'power-loss lost'],
        [2, 'on disk before the acknowledgement', 'kill-broker kept', 'power-loss kept'],
      ]);
      assert.deepEqual(await leftoversOnHostsWithin(network, goneWithinMs), []);
    }),
  );
});
