import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

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
});
