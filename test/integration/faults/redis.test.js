import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {assertOutage} from '../support/run-faults.js';

/** @import {Conclusion} from '../../../src/faults/found.js' */

describe('faults with Redis', {timeout: 600_000}, () => {
  it(
    'show that nothing is kept without AOF, and everything with appendfsync always',
    inAWorkplace(async (workplace) => {
      const words = ['faults', '--transport', 'redis', '--redis-appendfsync', 'off,always', '--tries', '1'];
      const {code, stdout, stderr} = await workplace.start(
        'battle',
        [...words, '--restart-after', '200ms', '--json'],
        {},
        {patienceMs: 600_000},
      ).ended;
      assert.equal(code, 0, stderr);
      /** @type {{faults: {notTried: unknown[]}, rows: Conclusion[]}} */
      const {rows, faults} = JSON.parse(stdout);
      assert.deepEqual(faults.notTried, []);
      const found = rows.map(({row, class: name, faults: own}) => [
        /** @type {any} */ (row.variant).redisAppendfsync,
        name,
        ...own.map(({fault, outcome}) => `${fault} ${outcome}`),
      ]);
      assert.deepEqual(found, [
        ['off', 'in memory', 'kill-broker lost', 'power-loss lost'],
        ['always', 'on disk before the acknowledgement', 'kill-broker kept', 'power-loss kept'],
      ]);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'show that it takes nothing without memory or disk, says why, and goes on afterwards',
    inAWorkplace(async (workplace) => {
      const words = ['--transport', 'redis', '--redis-appendfsync', 'everysec', '--redis-via', 'stream'];
      const {code, stdout, stderr} = await workplace.start(
        'battle',
        ['faults', ...words, '--fault', 'memory-alarm,fill-disk', '--tries', '1', '--json'],
        {},
        {patienceMs: 600_000},
      ).ended;
      assert.equal(code, 0, stderr);
      assert.match(
        stderr,
        /takes no messages: it uses \d+ bytes of memory, and maxmemory is 1 \(noeviction\)$/m,
      );
      assert.match(stderr, /takes no messages: MISCONF .*No space left on device$/m);
      /** @type {{rows: Conclusion[]}} */
      const {rows} = JSON.parse(stdout);
      for (const {fault, outcome, outageMs, outageEnd, account, alarm} of rows[0].faults) {
        assert.match(alarm ?? '', /maxmemory|No space left/, fault);
        assert.deepEqual([outcome, outageEnd], ['kept', 'ended'], fault);
        assertOutage(outageMs, 1000, fault);
        assert.ok(account && account.confirmed > 100 && account.confirmedLost === 0, fault);
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );
});
