import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

/** @import {Conclusion} from '../../../src/faults/found.js' */

describe('faults with Kafka', {timeout: 900_000}, () => {
  it(
    'show that a power cut loses what is not flushed, and a crash nothing',
    inAWorkplace(async (workplace) => {
      const words = ['faults', '--transport', 'kafka', '--tries', '1', '--restart-after', '200ms', '--json'];
      const {code, stdout, stderr} = await workplace.start('battle', words, {}, {patienceMs: 600_000}).ended;
      assert.equal(code, 0, stderr);
      /** @type {{faults: {notTried: unknown[]}, rows: Conclusion[]}} */
      const {rows, faults} = JSON.parse(stdout);
      assert.deepEqual(faults.notTried, []);
      const found = rows.map(({row, class: name, faults: own}) => [
        /** @type {any} */ (row.variant).kafkaFlush,
        name,
        ...own.map(({fault, outcome}) => `${fault} ${outcome}`),
      ]);
      assert.deepEqual(found, [
        ['system', 'in the page cache', 'kill-broker kept', 'power-loss lost'],
        ['always', 'on disk before the acknowledgement', 'kill-broker kept', 'power-loss kept'],
      ]);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );
});
