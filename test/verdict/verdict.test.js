import assert from 'node:assert/strict';
import {test} from 'node:test';
import {judge} from '../../src/verdict/judge.js';
import {warnings as declaredWarnings} from '../../src/verdict/warnings.js';

const usage = {
  wallMs: 1000,
  userMs: 300,
  systemMs: 100,
  maxRssBytes: 1e8,
  eventLoopShare: 0.5,
};
const load = {host: 'alpha', busyMs: 900, stealMs: 0, capacityMs: 2000, oursMs: 800};

/**
 * A cell with nothing to say against it; each change makes one thing wrong.
 * @param {{means?: number[], trial?: Record<string, any>, cell?: Record<string, any>, ci?: [number, number],
 *   figures?: Record<string, any>, counts?: Record<string, number>}} [changes]
 * @returns {any}
 */
function cell({
  means = [1, 1.02, 0.99, 1.01, 1],
  trial = {},
  cell: fields = {},
  ci = [0.98, 1.03],
  figures = {},
  counts = {},
} = {}) {
  const meanMs = means.reduce((total, value) => total + value, 0) / means.length;
  return {
    id: `b-${Math.random()}`,
    transport: 'http',
    variant: {noDelay: true},
    workload: 'rtt',
    comparedBy: 'latency',
    isFloor: false,
    maxInFlight: 1,
    busyRoles: [],
    payloadBytes: 1024,
    host: {clockSource: 'tsc'},
    figures: {
      rtt: {meanMs, ci95Ms: ci, samples: 5000},
      latencies: {},
      throughput: {messagesPerSecond: 1000 / meanMs, ci95MessagesPerSecond: [1000 / ci[1], 1000 / ci[0]]},
      openLoop: null,
      counts: {sent: 5000, received: 5000, lost: 0, corrupted: 0, duplicated: 0, ...counts},
      ...figures,
    },
    trials: means.map((mean, round) => ({
      round,
      meanMs: mean,
      figureMs: mean,
      samples: 1000 / mean,
      warm: true,
      stealShare: 0,
      hostLoads: [load],
      usage: {client: usage, server: usage, broker: null},
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
const crowded = {...load, host: 'beta', busyMs: 1900};
const floor = {transport: 'tcp', isFloor: true};
const fast = [0.8, 0.81, 0.79, 0.8, 0.81];
const slowing = [1, 1.05, 0.95, 1.06, 0.97];
const openLoop = {offeredPerSecond: 500, achievedPerSecond: 500, keepsUp: true};

/** @type {[string, any[], string[]][]} */
const cases = [
  ['a good cell', [cell()], []],
  ['CPU steal', [cell({trial: {hostLoads: [load, {...load, host: 'beta', stealMs: 400}]}})], ['cpu-steal']],
  ['a foreign process', [cell({trial: {hostLoads: [load, crowded]}})], ['foreign-load']],
  ['a broker whose CPU is not seen', [cell({trial: {hostLoads: [load, {...crowded, oursMs: null}]}})], []],
  ['hosts that do not tell', [cell({trial: {hostLoads: []}})], []],
  [
    'a saturated server',
    [cell({trial: {usage: {client: usage, server: busy, broker: null}}})],
    ['saturated'],
  ],
  ['trials that disagree', [cell({means: [1, 1.5, 0.7, 1.2, 0.9]})], ['trials-disagree']],
  ['trials that drift', [cell({means: [1, 1.01, 1.02, 1.03, 1.04]})], ['drift']],
  ['two trials', [cell({means: [1, 1.01]})], ['few-trials']],
  ['few samples', [cell({counts: {sent: 200, received: 200}})], ['few-samples']],
  ['a cold pair', [cell({trial: {warm: false}})], ['not-warm']],
  ['lost requests', [cell({counts: {lost: 2}})], ['lost']],
  ['messages that are wrong', [cell({counts: {corrupted: 1}})], ['corrupted']],
  ['messages that came twice', [cell({counts: {duplicated: 1}})], ['duplicated']],
  [
    'a saturated client of a workload that saturates on purpose',
    [cell({cell: {busyRoles: ['client']}, trial: {usage: {client: busy, server: usage, broker: null}}})],
    [],
  ],
  [
    'a saturated server where only the client saturates on purpose',
    [cell({cell: {busyRoles: ['client']}, trial: {usage: {client: usage, server: busy, broker: null}}})],
    ['saturated'],
  ],
  [
    'a generator that fell behind',
    [cell({figures: {openLoop, latencies: {sendLag: {p99Ms: 3, maxMs: 9}}}})],
    ['generator-behind'],
  ],
  [
    'a send lag within its bound',
    [cell({figures: {openLoop, latencies: {sendLag: {p99Ms: 0.2, maxMs: 9}}}})],
    [],
  ],
  [
    'a rate that is not achieved',
    [
      cell({
        figures: {openLoop: {...openLoop, achievedPerSecond: 300, keepsUp: false}},
      }),
    ],
    ['not-keeping-up'],
  ],
  ['as many outstanding as the window lets', [cell({cell: {maxInFlight: 16}, trial: {samples: 16_000}})], []],
  ["a contradiction to Little's law", [cell({trial: {samples: 1100}})], ['littles-law']],
  ['a slow clock', [cell({cell: {host: {clockSource: 'hpet'}}})], ['slow-clock']],
  ['an unknown clock', [cell({cell: {host: {clockSource: null}}})], []],
  ['a mean below the floor', [cell({means: fast}), cell({cell: floor})], ['below-floor']],
  ['a mean that is below the floor by chance', [cell({means: [0.95, 1.04, 0.93]}), cell({cell: floor})], []],
  [
    'a mean below the floor in rounds that differ',
    [cell({means: slowing.map((mean) => 0.9 * mean)}), cell({means: slowing, cell: floor})],
    ['below-floor'],
  ],
  ['a floor of another size', [cell({means: fast}), cell({cell: {...floor, payloadBytes: 2048}})], []],
  [
    'a larger payload that is faster',
    [cell({means: fast, cell: {payloadBytes: 4096}}), cell()],
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
  const declared = declaredWarnings.map(({code}) => code);
  assert.deepEqual([...tested].sort(), declared.sort());
});

test('a warning names the host that it is about', () => {
  const {warnings = []} =
    judge([cell({trial: {hostLoads: [load, {...crowded, stealMs: 300}]}})])
      .values()
      .next().value ?? {};
  assert.deepEqual(
    warnings.map(({message}) => message),
    [
      'The hypervisor took up to 15.0 % of the CPU of beta from a trial (CPU steal).',
      'Other processes used 55.0 % of the CPU of beta while it was measured.',
    ],
  );
});
