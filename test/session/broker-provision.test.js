import assert from 'node:assert/strict';
import {test} from 'node:test';
import {BrokerProvisions} from '../../src/session/broker-provision.js';

/** @import {BrokerNeed} from '../../src/transports/transport.js' */

/** @type {any} */
const running = {label: 'a broker', died: new Promise(() => {}), release: async () => {}};

test('cells with equal needs share a broker, and others have one of their own', async () => {
  /** @type {BrokerNeed[]} */
  const provisioned = [];
  const brokers = new BrokerProvisions({
    provision: async (need) => {
      provisioned.push(need);
      return {...running};
    },
    onBroker: async () => {},
    onEvent: () => {},
    signal: new AbortController().signal,
  });
  const plain = {kind: 'relay', settings: {}};
  const keeping = {kind: 'relay', settings: {persistence: 'on'}};
  const first = await brokers.current(plain);
  const [second, third, fourth] = [
    await brokers.current({...keeping}),
    await brokers.current({...plain}),
    await brokers.current({...keeping, settings: {persistence: 'on'}}),
  ];
  await brokers.release();
  assert.deepEqual(provisioned, [plain, keeping]);
  assert.deepEqual([second === first, third === first, fourth === second], [false, true, true]);
});
