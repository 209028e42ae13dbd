import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

/**
 * @import {Conclusion} from '../../../src/faults/found.js'
 * @import {Workplace} from '../support/workplace.js'
 */

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
        // On a busy host, messages come in bursts, and a killed consumer may have held none.
        for (let runs = 1; ; runs += 1) {
          const found = await run(workplace, [...asked, '--restart-after', '200ms', '--json']);
          assert.equal(found.length, expected.length);
          for (const [index, {lost, acknowledged}] of found.entries()) {
            if (expected[index] === 'by delivery') assert.equal(acknowledged, 0, JSON.stringify(found));
            else assert.ok(lost === 0 && Number(acknowledged) > 200, JSON.stringify(found));
          }
          // What the broker had not heard of comes again.
          if (found.every(({lost, again}, index) => (expected[index] === 'by delivery' ? lost : again) > 0))
            break;
          assert.ok(runs < 3, JSON.stringify(found));
        }
        assert.deepEqual(await workplace.leftovers(), []);
      }),
    );
});

/** @param {Workplace} workplace @param {readonly string[]} words */
async function run(workplace, words) {
  const {code, stdout, stderr} = await workplace.start('battle', [...words], {}, {patienceMs: 500_000}).ended;
  assert.equal(code, 0, stderr);
  /** @type {{rows: Conclusion[]}} */
  const {rows} = JSON.parse(stdout);
  return rows.map(({faults: [{account, outageEnd, found: tries}]}) => {
    assert.ok(account && account.sent > 200);
    assert.equal(outageEnd, 'ended');
    assert.equal(account.sent, account.received + account.lost);
    const again = tries.reduce((sum, {arrival}) => sum + Number(arrival?.duplicated ?? 0), 0);
    return {lost: account.lost, acknowledged: account.acknowledged, again};
  });
}
