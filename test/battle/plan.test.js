import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {orderOfRound, planCells} from '../../src/battle/plan.js';
import {UsageError} from '../../src/errors.js';
import {allOptions, optionsOfBattle} from '../../src/options/all.js';
import {resolveOptions} from '../../src/options/resolve.js';

/** @param {Record<string, string[]>} [flags] */
const plan = (flags = {}) =>
  planCells(resolveOptions(allOptions, {scope: 'battle', mine: optionsOfBattle, flags}));

test('the whole battle is the floor, HTTP, WebSocket and RabbitMQ in both modes at four sizes', () => {
  const cells = plan();
  assert.equal(cells.length, 20);
  const ofOneSize = cells.filter(({payloadBytes}) => payloadBytes === 1024);
  assert.deepEqual(
    ofOneSize.map(({transport, variant}) => `${transport} ${variant.deliveryMode ?? ''}`.trim()),
    ['tcp', 'http', 'websocket', 'rabbitmq 1', 'rabbitmq 2'],
  );
  assert.deepEqual(
    cells.map(({number}) => number),
    Array.from({length: 20}, (_, index) => index + 1),
  );
});

test('the floor runs also when other transports are asked for', () => {
  const transports = plan({transport: ['rabbitmq'], payload: ['1kb']}).map(({transport}) => transport);
  assert.deepEqual(transports, ['tcp', 'rabbitmq', 'rabbitmq']);
});

test('each setting with several values makes variants, and a row names what is not the default', () => {
  const cells = plan({
    transport: ['rabbitmq'],
    payload: ['1kb'],
    'delivery-mode': ['2'],
    'rabbitmq-confirms': ['off,on'],
    'rabbitmq-ack': ['manual'],
  });
  const rabbit = cells.filter(({transport}) => transport === 'rabbitmq').map(({labels}) => labels);
  assert.deepEqual(
    rabbit.map(({settings}) => settings),
    [['manual ack'], ['confirms']],
  );
  assert.deepEqual([rabbit[0].qualifier, rabbit[0].persistent], ['mode 2', 'Yes']);
});

test('publisher confirms bring manual acknowledgement unless another is asked for', () => {
  const variantsOf = (/** @type {Record<string, string[]>} */ flags) =>
    plan({transport: ['rabbitmq'], payload: ['1kb'], 'delivery-mode': ['1'], ...flags}).at(-1)?.variant;
  assert.equal(variantsOf({'rabbitmq-confirms': ['on']})?.acknowledgement, 'manual');
  assert.equal(variantsOf({'rabbitmq-confirms': ['on'], 'rabbitmq-ack': ['auto']})?.acknowledgement, 'auto');
  assert.equal(variantsOf({})?.acknowledgement, 'auto');
});

test('mode 1 on a quorum queue is refused when asked for and left out when it comes from the default', () => {
  const quorum = {transport: ['rabbitmq'], payload: ['1kb'], 'rabbitmq-queue-type': ['quorum']};
  assert.throws(() => plan({...quorum, 'delivery-mode': ['1']}), UsageError);
  assert.throws(() => plan({...quorum, 'delivery-mode': ['1,2']}), /quorum queue/);
  const modes = plan(quorum).flatMap(({variant}) => variant.deliveryMode ?? []);
  assert.deepEqual(modes, [2]);
});

test('the same seed gives the same order, each round another, and a round holds every cell once', () => {
  const cells = plan();
  const numbers = (/** @type {number} */ round, /** @type {number} */ seed) =>
    orderOfRound(cells, round, seed).map(({number}) => number);
  fc.assert(
    fc.property(fc.nat(), fc.integer({min: 1, max: 50}), (seed, round) => {
      const order = numbers(round, seed);
      assert.deepEqual(order, numbers(round, seed));
      assert.deepEqual(
        order.toSorted((one, other) => one - other),
        cells.map(({number}) => number),
      );
    }),
    {numRuns: 50},
  );
  assert.notDeepEqual(numbers(1, 1), numbers(2, 1));
  assert.notDeepEqual(numbers(1, 1), numbers(1, 2));
});
