import assert from 'node:assert/strict';
import {test} from 'node:test';
import {crossCellWarnings} from '../../src/verdict/cross-cell-warnings.js';
import {judge} from '../../src/verdict/judge.js';
import {ownWarnings} from '../../src/verdict/own-warnings.js';

const usage = {
  wallMs: 1000,
  userMs: 300,
  systemMs: 100,
  maxRssBytes: 1e8,
  eventLoopShare: 0.5,
  host: {busyMs: 900, stealMs: 0, capacityMs: 2000},
};

/**
 * A cell with nothing to say against it; each change makes one thing wrong.
 * @param {{means?: number[], trial?: Record<string, any>, cell?: Record<string, any>, ci?: [number, number]}} [changes]
 * @returns {any}
 */
function cell({means = [1, 1.02, 0.99, 1.01, 1], trial = {}, cell: fields = {}, ci = [0.98, 1.03]} = {}) {
  const meanMs = means.reduce((total, value) => total + value, 0) / means.length;
  return {
    id: `b-${Math.random()}`,
    transport: 'http',
    variant: {noDelay: true},
    workload: 'rtt',
    payloadBytes: 1024,
    host: {clockSource: 'tsc'},
    figures: {
      rtt: {meanMs, ci95Ms: ci, samples: 5000},
      counts: {sent: 5000, received: 5000, lost: 0},
    },
    trials: means.map((mean) => ({
      meanMs: mean,
      samples: 1000 / mean,
      warm: true,
      stealShare: 0,
      brokerUnseen: false,
      usage: {client: usage, server: {...usage, host: null}, broker: null},
      ...trial,
    })),
    ...fields,
  };
}

/** @param {any[]} cells */
function codes(...cells) {
  const verdict = judge(cells).get(cells[0].id);
  assert.ok(verdict);
  assert.equal(verdict.status, verdict.warnings.length > 0 ? 'suspect' : 'valid');
  for (const {message, advice} of verdict.warnings) assert.ok(message.length > 10 && advice.length > 10);
  return verdict.warnings.map(({code}) => code);
}

const busy = {...usage, eventLoopShare: 0.99};
const crowded = {...usage, host: {busyMs: 1900, stealMs: 0, capacityMs: 2000}};
const floor = {transport: 'tcp'};

/** @type {[string, any[], string[]][]} */
const cases = [
  ['a good cell', [cell()], []],
  ['CPU steal', [cell({trial: {stealShare: 0.2}})], ['cpu-steal']],
  [
    'a foreign process',
    [cell({trial: {usage: {client: crowded, server: usage, broker: null}}})],
    ['foreign-load'],
  ],
  [
    'a broker whose CPU is not seen',
    [cell({trial: {brokerUnseen: true, usage: {client: crowded, server: usage, broker: null}}})],
    [],
  ],
  [
    'a saturated server',
    [cell({trial: {usage: {client: usage, server: busy, broker: null}}})],
    ['saturated'],
  ],
  ['trials that disagree', [cell({means: [1, 1.5, 0.7, 1.2, 0.9]})], ['trials-disagree']],
  ['trials that drift', [cell({means: [1, 1.01, 1.02, 1.03, 1.04]})], ['drift']],
  ['two trials', [cell({means: [1, 1.01]})], ['few-trials']],
  [
    'few samples',
    [cell({cell: {figures: {rtt: {meanMs: 1, ci95Ms: [0.9, 1.1], samples: 200}, counts: {lost: 0}}}})],
    ['few-samples'],
  ],
  ['a cold pair', [cell({trial: {warm: false}})], ['not-warm']],
  [
    'lost requests',
    [
      cell({
        cell: {figures: {rtt: {meanMs: 1, ci95Ms: [0.9, 1.1], samples: 5000}, counts: {sent: 10, lost: 2}}},
      }),
    ],
    ['lost'],
  ],
  ["a contradiction to Little's law", [cell({trial: {samples: 1100}})], ['littles-law']],
  ['a slow clock', [cell({cell: {host: {clockSource: 'hpet'}}})], ['slow-clock']],
  ['an unknown clock', [cell({cell: {host: {clockSource: null}}})], []],
  ['a mean below the floor', [cell({ci: [0.5, 0.6]}), cell({cell: floor, ci: [0.7, 0.8]})], ['below-floor']],
  [
    'a mean below the floor with intervals that touch',
    [cell({ci: [0.5, 0.75]}), cell({cell: floor, ci: [0.7, 0.8]})],
    [],
  ],
  [
    'a floor of another size',
    [cell({ci: [0.5, 0.6]}), cell({cell: {...floor, payloadBytes: 2048}, ci: [0.7, 0.8]})],
    [],
  ],
  [
    'a larger payload that is faster',
    [cell({cell: {payloadBytes: 4096}, ci: [0.5, 0.6]}), cell({ci: [0.7, 0.8]})],
    ['falls-with-size'],
  ],
];

for (const [name, cells, expected] of cases) {
  test(`${name} is ${expected.length > 0 ? `suspect: ${expected.join(', ')}` : 'valid'}`, () => {
    assert.deepEqual(codes(...cells), expected);
  });
}

test('every warning has its case above', () => {
  const tested = new Set(cases.flatMap(([, , expected]) => expected));
  const declared = [...ownWarnings, ...crossCellWarnings].map(({code}) => code);
  assert.deepEqual([...tested].sort(), declared.sort());
});
