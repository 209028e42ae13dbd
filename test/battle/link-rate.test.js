import assert from 'node:assert/strict';
import {test} from 'node:test';
import {measureLinkRate} from '../../src/battle/link-rate.js';

/** @import {Cell} from '../../src/battle/types.js' */

const [one, two, three] = /** @type {any[]} */ ([{name: 'one'}, {name: 'two'}, {name: 'three'}]);
const transferred = {linkBytesPerSecond: 12e6, messagesPerSecond: 180};
const some = {eventLoopShare: 0.2, mainThreadMs: 150, userMs: 120, systemMs: 40, wallMs: 1000};
const idle = {client: some, server: {...some, eventLoopShare: 0.3}};

/**
 * @param {Record<string, unknown>} trial
 * @param {any[]} [servers]
 */
async function measure(trial, servers = [two]) {
  /** @type {string[]} */
  const steps = [];
  const hosts = /** @type {any} */ ({clients: [one, three], servers, all: [one, two, three]});
  const rate = await measureLinkRate(hosts, {
    values: /** @type {any} */ ({noDelay: [true], keepMemory: [true]}),
    signal: new AbortController().signal,
    makePair: ({hosts: {clients}}) => ({
      measure: async (/** @type {Cell} */ {transport, payloadBytes}) => {
        steps.push(`${transport} from ${clients.map(({name}) => name)}: ${payloadBytes}`);
        return /** @type {any} */ ({outcome: 'completed', usage: idle, ...transferred, ...trial});
      },
      close: async () => void steps.push('closed'),
    }),
  });
  return {rate, steps};
}

test('the link carries what raw TCP brings across, from the first client to the first server', async () => {
  assert.deepEqual(await measure({}), {rate: 12e6, steps: ['tcp from one: 65536', 'closed']});
});

/** @type {[string, Record<string, unknown>][]} */
const unknown = [
  ['a transfer that failed', {outcome: 'failed'}],
  [
    'a process that was the limit itself',
    {usage: {...idle, client: {...some, eventLoopShare: 0.97, mainThreadMs: 960}}},
  ],
  ['a system without counters', {linkBytesPerSecond: null}],
  ['bytes that took another way', {linkBytesPerSecond: 1000}],
];
for (const [what, trial] of unknown) {
  test(`with ${what}, it is not known what the link carries`, async () => {
    const {rate, steps} = await measure(trial);
    assert.deepEqual([rate, steps.at(-1)], [null, 'closed']);
  });
}

test('a process that waited for a core was not the limit, although its event loop counts as busy', async () => {
  const {rate} = await measure({usage: {...idle, client: {...some, eventLoopShare: 0.99}}});
  assert.equal(rate, 12e6);
});

test('a receiver that also takes in what waited for it does not hide the link', async () => {
  const {rate} = await measure({messagesPerSecond: 200});
  assert.equal(rate, 12e6);
});

test('within one host there is no link, and nothing is started', async () => {
  assert.deepEqual(await measure({}, [one]), {rate: null, steps: []});
});
