import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

/** @import {Conclusion} from '../../../src/faults/found.js' */

describe('faults with a RabbitMQ stream', {timeout: 600_000}, () => {
  it(
    'lose what was in the page cache by a power cut, and not the stream, whose files had been synced with a message',
    inAWorkplace(async (workplace) => {
      const words = ['--transport', 'rabbitmq-stream', '--fault', 'power-loss', '--tries', '2', '--json'];
      const {code, stdout, stderr} = await workplace.start(
        'battle',
        ['faults', ...words],
        {},
        {patienceMs: 600_000},
      ).ended;
      assert.equal(code, 0, stderr);
      /** @type {Conclusion[]} */
      const [{class: name, faults}] = JSON.parse(stdout).rows;
      const [{outcome, unavailable, lost, of, found}] = faults;
      assert.deepEqual([name, outcome, unavailable], ['in the page cache', 'lost', 0]);
      assert.ok(Number(of) > 100 && lost === of, `${lost} of ${of}`);
      for (const {arrival} of found) assert.deepEqual(arrival, {duplicated: 0, reordered: 0, corrupted: 0});
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );
});
