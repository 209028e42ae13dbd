import assert from 'node:assert/strict';
import {test} from 'node:test';
import {warnings as declaredWarnings, judge} from '../../src/verdict/warnings.js';

const usage = {
  wallMs: 1000,
  userMs: 300,
  systemMs: 100,
  mainThreadMs: 380,
  maxRssBytes: 1e8,
  eventLoopShare: 0.5,
  gcMs: 10,
  loopDelayMaxMs: 3,
};
const steady = new Array(10).fill(1);

/**
 * A cell with nothing to say against it; each change makes one thing wrong.
 * @param {{means?: number[], trial?: Record<string, any>, cell?: Record<string, any>, ci?: [number, number] | null,
 *   figures?: Record<string, any>, counts?: Record<string, number>}} [changes] ci: of the mean
 * @returns {any}
 */
function cell({
  means = [1, 1.02, 0.99, 1.01, 1],
  trial = {},
  cell: fields = {},
  ci = [0.97, 1.04],
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
    aggregate: 'mean',
    maxInFlight: 1,
    keepsWindowFull: true,
    busyRoles: [],
    payloadBytes: 1024,
    host: {clockSource: 'tsc', clockReadNanos: 40},
    figures: {
      rtt: {meanMs, ci95Ms: ci ? ci.map((end) => end * meanMs) : null, samples: 5000},
      latencies: {},
      throughput: {messagesPerSecond: 1000 / meanMs, ci95MessagesPerSecond: null},
      openLoop: null,
      counts: {sent: 5000, received: 5000, lost: 0, corrupted: 0, duplicated: 0, ...counts},
      ...figures,
    },
    trials: means.map((mean, index) => ({
      round: index + 1,
      meanMs: mean,
      figureMs: mean,
      samples: 970 / mean,
      windows: steady,
      disturbed: false,
      lostShare: 0.01,
      stealShare: 0,
      wallMs: 1000,
      counts: {timedOut: 0},
      usage: {client: usage, server: usage, broker: null},
      ...trial,
    })),
    ...fields,
  };
}

/** @param {number} gcMs of all clients */
function usageOfClients(gcMs) {
  return {client: {...usage, gcMs}, server: usage, broker: null};
}

/** @param {any[]} cells @returns {string[]} the codes of the first one */
function codes(...cells) {
  const verdict = judge(cells).get(cells[0].id);
  assert.ok(verdict);
  const found = verdict.warnings.map(({code}) => code);
  const isSuspect = found.some((code) => code !== 'wide');
  assert.equal(verdict.status, isSuspect ? 'suspect' : (found[0] ?? 'valid'));
  for (const {message, advice} of verdict.warnings) assert.ok(message.length > 10 && advice.length > 10);
  return found;
}

/** @param {Record<string, unknown>} client @param {Record<string, unknown>} [server] */
const used = (client, server = {}) => ({
  usage: {client: {...usage, ...client}, server: {...usage, ...server}, broker: null},
});

/** A trial whose first windows were slower. @param {number} count @param {number} level */
const windows = (count, level) => ({windows: steady.map((value, index) => (index < count ? level : value))});

const saturatedUse = {eventLoopShare: 0.99, mainThreadMs: 980};
const floor = {transport: 'tcp', isFloor: true};
const fast = [0.8, 0.81, 0.79, 0.8, 0.81];
const slowing = [1, 1.05, 0.95, 1.06, 0.97];
const openLoop = {offeredPerSecond: 500, achievedPerSecond: 500, keepsUp: true};

/** @type {[string, any[], string[]][]} */
const cases = [
  ['a good cell', [cell()], []],
  [
    'a trial that counts although it is disturbed',
    [cell({trial: {disturbed: true, lostShare: 0.2}})],
    ['run-delay'],
  ],
  [
    'a disturbed trial of an older journal',
    [cell({trial: {disturbed: true, lostShare: undefined}})],
    ['run-delay'],
  ],
  ['a broker that was restarted', [cell({trial: {brokerRestarted: true}})], ['broker-restarted']],
  ['a broker of which that is not known', [cell({trial: {brokerRestarted: null}})], []],
  ['a share of lost time that is not known', [cell({trial: {lostShare: null}})], []],
  ['a broker that was not', [cell({trial: {brokerRestarted: false}})], []],
  ['a saturated server', [cell({trial: used({}, saturatedUse)})], ['saturated']],
  [
    'an event loop that is busy only because its process waits for a core',
    [cell({trial: used({}, {eventLoopShare: 0.99, mainThreadMs: 500})})],
    [],
  ],
  [
    'a busy event loop of a process whose threads are not told apart',
    [cell({trial: used({}, {eventLoopShare: 0.99, mainThreadMs: null, userMs: 900, systemMs: 80})})],
    ['saturated'],
  ],
  ['a client that stalled', [cell({trial: used({loopDelayMaxMs: 80})})], ['stalled']],
  [
    'a client that was late because it waited for a core',
    [cell({trial: used({loopDelayMaxMs: 80, runDelayMs: 60})})],
    [],
  ],
  ['a stall in one of five trials', [stalledOnce()], []],
  ['delays that are not known', [cell({trial: used({loopDelayMaxMs: null, gcMs: null})})], []],
  [
    'a server that collects garbage far more than the floor',
    [cell({trial: used({}, {gcMs: 500})}), cell({cell: floor})],
    ['garbage-collection'],
  ],
  [
    'a server that collects as much garbage as the floor',
    [cell({trial: used({}, {gcMs: 500})}), cell({cell: floor, trial: used({}, {gcMs: 450})})],
    [],
  ],
  ['a wide interval', [cell({ci: [0.9, 1.11]})], ['wide']],
  [
    'a wide interval and a cold pair',
    [cell({ci: [0.9, 1.11], trial: windows(5, 1.2)})],
    ['not-warm', 'wide'],
  ],
  ['trials that vary by 15 %, but whose interval is narrow', [cell({means: [1, 1.3, 0.9, 1.2, 1, 1.1]})], []],
  ['a single trial', [cell({means: [1], ci: null})], ['wide']],
  ['two trials that agree', [cell({means: [1, 1.001]})], []],
  [
    'rounds that all become slower',
    [cell({means: [1, 1.03, 1.06, 1.09, 1.12]}), cell({means: [2, 2.06, 2.12, 2.2, 2.3]})],
    ['drift'],
  ],
  [
    'a single cell that becomes slower',
    [cell({means: [1, 1.03, 1.06, 1.09, 1.12]}), cell(), cell(), cell()],
    [],
  ],
  ['rounds that become slower by little', [cell({means: [1, 1.01, 1.02, 1.03, 1.04]})], []],
  ['rounds whose order shows nothing', [cell({means: [1, 1.1, 1.05, 1.15, 1.2]})], []],
  ['four rounds, which cannot show a drift', [cell({means: [1, 1.1, 1.2, 1.3]})], []],
  ['few samples', [cell({counts: {sent: 40, received: 40}})], ['few-samples']],
  [
    'a quick battle: three short trials',
    [cell({means: [1, 1.01, 0.99], counts: {sent: 90, received: 90}})],
    [],
  ],
  ['a cold pair', [cell({trial: windows(5, 1.2)})], ['not-warm']],
  ['pairs whose first windows were disturbed', [cell({trial: windows(2, 3)})], []],
  ['trials without windows', [cell({trial: {windows: null}})], []],
  ['cold trials of an older journal', [cell({trial: {windows: undefined, warm: false}})], []],
  ['lost requests', [cell({counts: {lost: 2}})], ['lost']],
  ['messages that are wrong', [cell({counts: {corrupted: 1}})], ['corrupted']],
  ['messages that came twice', [cell({counts: {duplicated: 1}})], ['duplicated']],
  [
    'a saturated client of a workload that saturates on purpose',
    [cell({cell: {busyRoles: ['client']}, trial: used(saturatedUse)})],
    [],
  ],
  [
    'a saturated server where only the client saturates on purpose',
    [cell({cell: {busyRoles: ['client']}, trial: used(saturatedUse, saturatedUse)})],
    ['saturated'],
  ],
  [
    'a generator that fell behind',
    [cell({figures: {openLoop, latencies: {sendLag: {p99Ms: 3, maxMs: 9}}}})],
    ['generator-behind'],
  ],
  [
    'one late message of few',
    [cell({figures: {openLoop, latencies: {sendLag: {p99Ms: null, p95Ms: 0.3, p90Ms: 0.2, maxMs: 9}}}})],
    [],
  ],
  [
    'many late messages of few',
    [cell({figures: {openLoop, latencies: {sendLag: {p99Ms: null, p95Ms: 3, p90Ms: 0.2, maxMs: 9}}}})],
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
  ['as many outstanding as the window lets', [cell({cell: {maxInFlight: 16}, trial: {samples: 15_500}})], []],
  ['more in flight than there can be', [cell({trial: {samples: 1100}})], ['littles-law']],
  ['less in flight than there must be', [cell({trial: {samples: 700}})], ['littles-law']],
  ...[
    {what: 'more than the window', samples: 16_700, slices: undefined, codes: ['littles-law']},
    {what: 'more than the window', samples: 16_700, slices: 10, codes: []},
    {what: 'much more than the window', samples: 20_000, slices: 10, codes: ['littles-law']},
    {what: 'less than the window', samples: 12_500, slices: undefined, codes: ['littles-law']},
    {what: 'less than the window', samples: 12_500, slices: 10, codes: []},
    {what: 'much less than the window', samples: 11_000, slices: 10, codes: ['littles-law']},
  ].map(
    ({what, samples, slices, codes}) =>
      /** @type {[string, any[], string[]]} */ ([
        `${what} in flight, which counts what was under way at the ends of ${slices ?? 'no'} slices`,
        [cell({cell: {maxInFlight: 16}, trial: {samples, maxMs: 5, ...(slices && {slices})}})],
        codes,
      ]),
  ),
  [
    'more in flight than there can be, in slices that begin with nothing in flight',
    [cell({trial: {samples: 1100, maxMs: 5, slices: 10}})],
    ['littles-law'],
  ],
  [
    'a request in a slice whose reply was late, so that its time counts and most of the wait does not',
    [cell({cell: {maxInFlight: 16}, trial: {samples: 3000, slices: 8, maxMs: 5, counts: {timedOut: 1}}})],
    [],
  ],
  [
    'eight clients, each of which collects garbage for as long as is usual',
    [
      cell({cell: {variant: {noDelay: true, clients: 8}}, trial: {usage: usageOfClients(8 * 40)}}),
      cell({cell: {...floor, variant: {noDelay: true, clients: 8}}, trial: {usage: usageOfClients(8 * 10)}}),
    ],
    [],
  ],
  [
    'eight clients, each of which collects garbage far more than at the floor',
    [
      cell({cell: {variant: {noDelay: true, clients: 8}}, trial: {usage: usageOfClients(8 * 200)}}),
      cell({cell: {...floor, variant: {noDelay: true, clients: 8}}, trial: {usage: usageOfClients(8 * 10)}}),
    ],
    ['garbage-collection'],
  ],
  [
    'a client whose usage is also that of what does not count in each slice',
    [cell({trial: {usage: {client: {...usage, wallMs: 1400}, server: usage, broker: null}}})],
    [],
  ],
  [
    'less in flight than there must be, in trials whose begin and end take a good part of them',
    [cell({trial: {samples: 70, wallMs: 100}})],
    [],
  ],
  [
    'less in flight than there must be, in trials that are disturbed',
    [cell({trial: {samples: 700, disturbed: true}})],
    ['run-delay'],
  ],
  ['a window that need not be full', [cell({cell: {keepsWindowFull: false}, trial: {samples: 700}})], []],
  ['an open loop with little in flight', [cell({figures: {openLoop}, trial: {samples: 100}})], []],
  [
    'a clock that takes 2 % of the mean',
    [cell({cell: {host: {clockSource: 'hpet', clockReadNanos: 20_000}}})],
    ['slow-clock'],
  ],
  [
    'a clock that is slow, but not for this mean',
    [cell({cell: {host: {clockSource: 'xen', clockReadNanos: 900}}})],
    [],
  ],
  ['a clock that was not measured', [cell({cell: {host: {clockSource: 'hpet'}}})], []],
  ['a mean below the floor', [cell({means: fast}), cell({cell: floor})], ['below-floor']],
  ['a mean that is below the floor by chance', [cell({means: [0.95, 1.04, 0.93]}), cell({cell: floor})], []],
  [
    'a mean below the floor in rounds that differ',
    [cell({means: slowing.map((mean) => 0.9 * mean)}), cell({means: slowing, cell: floor})],
    ['below-floor'],
  ],
  [
    'a median below the floor, of a workload whose figure is the median',
    [
      cell({means: [1, 1, 1, 1, 100], cell: {aggregate: 'median'}}),
      cell({means: [1.1, 1.1, 1.1, 1.1, 101], cell: {...floor, aggregate: 'median'}}),
    ],
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
  test(`${name} has ${expected.length > 0 ? expected.join(' and ') : 'no warning'}`, () => {
    assert.deepEqual(codes(...cells), expected);
  });
}

test('every warning has its case above', () => {
  const tested = new Set(cases.flatMap(([, , expected]) => expected));
  const declared = declaredWarnings.map(({code}) => code);
  assert.deepEqual([...tested].sort(), declared.sort());
});

test('a warning names what is suspect, and how much', () => {
  const [{warnings}] = judge([cell({trial: windows(5, 1.25)})]).values();
  assert.deepEqual(
    warnings.map(({message}) => message),
    ['The second half of the trials was 20.0 % faster than the first.'],
  );
});

test('a disturbed trial is described by the shares that are known only', () => {
  const messageOf = (/** @type {Record<string, unknown>} */ trial) => {
    const one = cell({trial: {disturbed: true, ...trial}});
    return judge([one]).get(one.id)?.warnings[0].message ?? '';
  };
  const [ofRole, ofHost] = [/role was kept.* 20.0 %/, /other processes used up to 30.0 % of the host/];
  const both = messageOf({lostShare: 0.2, foreignShare: 0.3});
  assert.match(both, ofRole);
  assert.match(both, ofHost);
  assert.doesNotMatch(messageOf({lostShare: 0.2, foreignShare: null}), /other processes|null| 0\.0 %/);
  const ofOthers = messageOf({lostShare: null, stealShare: null, foreignShare: 0.3});
  assert.match(ofOthers, /disturbed: other processes used up to 30.0 % of the host\.$/);
});

test('all cells of a battle that drifts are suspect', () => {
  const cells = [cell({means: [1, 1.05, 1.1, 1.15, 1.2]}), cell({means: [3, 3.1, 3.2, 3.4, 3.5]})];
  assert.deepEqual(
    [...judge(cells).values()].map(({status}) => status),
    ['suspect', 'suspect'],
  );
});

function stalledOnce() {
  const one = cell();
  one.trials[2].usage = {...one.trials[2].usage, client: {...usage, loopDelayMaxMs: 150}};
  return one;
}

test('advice names no setting that the cell has already', () => {
  const adviceOn = (/** @type {any} */ one, /** @type {any[]} */ others = []) =>
    judge([one, ...others]).get(one.id)?.warnings[0].advice ?? '';
  const clock = (/** @type {string | null} */ clockSource) =>
    adviceOn(cell({cell: {host: {clockSource, clockReadNanos: 20_000}}}));
  assert.match(clock('hpet'), /then write tsc to current_clocksource/);
  assert.match(clock('tsc'), /^The clock source is tsc already, and none is faster\./);
  assert.doesNotMatch(clock(null), /tsc/);
  const garbage = (/** @type {boolean} */ keepMemory) =>
    adviceOn(cell({trial: used({}, {gcMs: 500}), cell: {variant: {keepMemory}}}), [
      cell({cell: {...floor, variant: {keepMemory}}}),
    ]);
  assert.match(garbage(false), / Use --keep-memory on, or compare another library /);
  assert.match(garbage(true), / Compare another library /);
});
