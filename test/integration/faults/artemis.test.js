import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

/** @import {Conclusion} from '../../../src/faults/found.js' */

describe('faults with AMQP 1.0 over Artemis', {timeout: 900_000}, () => {
  it(
    'show that a crash and a power cut lose no durable message that was accepted, and all others',
    inAWorkplace(async (workplace) => {
      const words = ['faults', '--transport', 'amqp1', '--amqp1-broker', 'artemis', '--amqp1-settled', 'off'];
      const how = ['--delivery-mode', '1,2', '--tries', '1', '--restart-after', '200ms', '--json'];
      const {code, stdout, stderr} = await workplace.start(
        'battle',
        [...words, ...how],
        {},
        {patienceMs: 550_000},
      ).ended;
      assert.equal(code, 0, stderr);
      /** @type {{faults: {notTried: unknown[]}, rows: Conclusion[]}} */
      const {rows, faults} = JSON.parse(stdout);
      assert.deepEqual(faults.notTried, []);
      const found = rows.map(({row, class: name, faults: own}) => [
        /** @type {any} */ (row.variant).deliveryMode,
        name,
        ...own.map(({fault, outcome}) => `${fault} ${outcome}`),
      ]);
      assert.deepEqual(found, [
        [1, 'in memory', 'kill-broker lost', 'power-loss lost'],
        [2, 'on disk before the acknowledgement', 'kill-broker kept', 'power-loss kept'],
      ]);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );
});
