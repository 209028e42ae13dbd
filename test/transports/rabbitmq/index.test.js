import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {transportFacts} from '../../../src/transports/index.js';

const usual = {deliveryMode: 2, acknowledgement: 'auto', confirms: false, queueType: 'classic'};

describe('the note on mode 2 of RabbitMQ', () => {
  for (const {title, change, isShown} of [
    {title: 'stands below figures that do not wait for the disk', change: {}, isShown: true},
    {title: 'does not below those of mode 1', change: {deliveryMode: 1}, isShown: false},
    {title: 'does not with manual acknowledgement', change: {acknowledgement: 'manual'}, isShown: false},
    {title: 'does not with confirms, which include the wait', change: {confirms: true}, isShown: false},
    {title: 'does not with transactions', change: {transactions: true}, isShown: false},
    {title: 'does not with quorum queues', change: {queueType: 'quorum'}, isShown: false},
  ])
    it(title, () => {
      const variant = /** @type {any} */ ({...usual, ...change});
      const {notes} = transportFacts([{transport: 'rabbitmq', variant}]);
      assert.equal(notes.length, isShown ? 1 : 0);
      // What the figures say of its cost is in the figures.
      assert.doesNotMatch(notes.join(), /nothing|costs/);
    });
});
