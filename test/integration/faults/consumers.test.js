import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

/** @import {Conclusion} from '../../../src/faults/found.js' */

/** How each transport acknowledges, row by row. */
const table = /** @type {const} */ ([
  ['--transport redis --redis-appendfsync off --redis-via list,stream', ['by delivery', 'when done']],
  ['--transport jetstream --jetstream-storage file', ['when done']],
  ['--transport mqtt --mqtt-persistence interval', ['by delivery']],
  ['--transport kafka --kafka-flush system', ['when done']],
  ['--transport amqp1 --delivery-mode 2 --amqp1-settled on,off', ['by delivery', 'when done']],
  ['--transport stomp --delivery-mode 2 --stomp-receipts off,on', ['by delivery', 'when done']],
  ['--transport rabbitmq-stream', ['when done']],
]);

describe('faults that kill a consumer', {timeout: 900_000}, () => {
  for (const [words, expected] of table)
    it(
      `lose what it held and had acknowledged, and nothing else: ${words}`,
      inAWorkplace(async (workplace) => {
        const asked = ['faults', ...words.split(' '), '--fault', 'kill-consumer', '--tries', '2'];
        const {code, stdout, stderr} = await workplace.start(
          'battle',
          [...asked, '--restart-after', '200ms', '--json'],
          {},
          {patienceMs: 500_000},
        ).ended;
        assert.equal(code, 0, stderr);
        /** @type {{rows: Conclusion[]}} */
        const {rows} = JSON.parse(stdout);
        const found = rows.map(({faults: [{account, outageEnd, found: tries}]}) => {
          assert.ok(account && account.sent > 200);
          assert.equal(outageEnd, 'ended');
          assert.equal(account.sent, account.received + account.lost);
          const again = tries.reduce((sum, {arrival}) => sum + Number(arrival?.duplicated ?? 0), 0);
          return {lost: account.lost, acknowledged: account.acknowledged, again};
        });
        for (const [index, {lost, acknowledged, again}] of found.entries()) {
          const seen = JSON.stringify(found[index]);
          if (expected[index] === 'by delivery') {
            assert.ok(lost > 0, seen);
            // What the broker had not heard of comes again.
            assert.equal(acknowledged, 0, seen);
          } else {
            assert.equal(lost, 0, seen);
            assert.ok(Number(acknowledged) > 200 && again > 0, seen);
          }
        }
        assert.equal(found.length, expected.length);
        assert.deepEqual(await workplace.leftovers(), []);
      }),
    );
});
