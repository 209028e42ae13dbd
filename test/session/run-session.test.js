import assert from 'node:assert/strict';
import {stat} from 'node:fs';
import {hostname} from 'node:os';
import {beforeEach, describe, it, mock} from 'node:test';
import {RolePair} from '../../src/battle/role-pair.js';
import {newBattle} from '../../src/battle/state.js';
import {InterruptedError, UnavailableError} from '../../src/errors.js';
import {documentOf} from '../../src/report/show-results.js';
import {printTable} from '../../src/report/tables/battle-table.js';
import {cellRecord} from '../../src/results/record-schema.js';
import {planBattle, resumeBattle} from '../../src/session/plan-battle.js';
import {battlesIn, recordKilledBattles} from '../../src/session/recorded-battles.js';
import {runSession} from '../../src/session/run-session.js';
import {exitCodeOf} from '../../src/session/store-results.js';
import {memoryJournal, settingsFor} from '../battle/scripted-trials.js';
import {isQuick} from '../support/effort.js';
import {injectClock} from '../workloads/injected-clock.js';
import {scriptedHosts, scriptScheduler} from './scripted-roles.js';

/**
 * @import {BattleEvent} from '../../src/battle/types.js'
 * @import {Script} from './scripted-roles.js'
 */

const clock = injectClock();
/** @type {ReturnType<typeof scriptScheduler>} */
let scheduler;

beforeEach(() => {
  scheduler = scriptScheduler();
});

/** TCP and HTTP, three rounds of 40 round trips after 10 of warm-up. */
const usual = {
  ...{transport: ['http'], payload: ['1kb'], rounds: ['3'], seed: ['7'], samples: ['40'], warmup: ['10']},
  ...{'delivery-mode': ['1'], 'http-server': ['node'], slices: ['off']},
};

const context = {
  ...{startedAt: '2026-11-21T12:00:00.000Z', environment: 'local', machine: 'AMD EPYC'},
  hosts: {alpha: {hostname: 'alpha', clockSource: 'tsc'}},
  ...{
    roles: {client: 'alpha', server: 'alpha'},
    brokers: {},
    versions: {perfBattle: '0.1.0', rabbitmq: null},
  },
};

/** @type {(transport: string) => Script} */
const steady = (transport) => ({latencyMs: () => (transport === 'tcp' ? 0.5 : 2)});

/**
 * Runs a session. Only the transports, the host's CPU times and the clock are scripted.
 * @param {(transport: string, trial: number) => Script} scriptOf
 * @param {{flags?: Record<string, string[]>, signal?: AbortSignal, deps?: Record<string, unknown>,
 *   journal?: ReturnType<typeof memoryJournal>, resumed?: Awaited<ReturnType<typeof resumeBattle>> | null}} [options]
 */
async function session(
  scriptOf,
  {flags = {}, signal = new AbortController().signal, deps, journal = memoryJournal(), resumed = null} = {},
) {
  const {rounds, samples, ...unbounded} = usual;
  const settings = settingsFor({
    ...unbounded,
    ...(flags.precision || flags.budget ? {} : {rounds}),
    ...(flags.duration ? {} : {samples}),
    ...flags,
  });
  const planned = resumed ?? {settings, state: newBattle(settings)};
  const {hosts, started} = scriptedHosts(clock, scriptOf);
  /** @type {BattleEvent[]} */
  const events = [];
  const scripted = {
    openHosts: async () => hosts,
    provideRuntimes: async () => new Map(),
    preflight: async () => ({isBusy: false, lines: []}),
    measureLinkRate: async () => null,
    readContext: async () => ({...context, config: settings.values}),
    makeProgress: () => ({
      onEvent: (/** @type {BattleEvent} */ event) => events.push(event),
      note() {},
      warn() {},
      end() {},
    }),
    keepAwake: async () => ({
      ...{state: /** @type {const} */ ('sleeping'), pidOn: () => null, on() {}, off() {}},
      ...{distance: async () => null, end: async () => {}},
    }),
    makeBrokerSource: () => ({provision: noBroker, namesFor: () => ({})}),
    thisProcess: async () => ({hostname: hostname(), pid: 1, startTime: '1'}),
    makePair: (/** @type {any} */ context) => new RolePair(context, {rootCauseMs: 5}),
    ...deps,
  };
  const request = /** @type {any} */ ({...planned, journal, signal});
  const finished = await runSession(request, /** @type {any} */ (scripted)).catch((error) => ({error}));
  return {...whole(finished), journal, events, started, cells: journal.of('cell')};
}

/** @param {any} finished @returns {{error: any, finished: any}} */
function whole({error = null, ...finished}) {
  return {error, finished};
}

/** @param {ReturnType<typeof memoryJournal>} journal */
function battlesOf({entries}) {
  return battlesIn(/** @type {any} */ (entries));
}

async function noBroker() {
  throw new UnavailableError('There is no RabbitMQ.', {code: 'PB_BROKER_UNAVAILABLE'});
}

/** @param {Record<string, any>[]} cells @param {string} transport */
function cellOf(cells, transport) {
  const cell = cells.find((one) => one.transport === transport);
  assert.ok(cell, `a record of ${transport}`);
  return cell;
}

/** @param {readonly number[]} actual @param {readonly number[]} expected */
function assertNear(actual, expected) {
  for (const [index, value] of actual.entries())
    assert.ok(Math.abs(value - expected[index]) < 1e-6, `${actual}, not ${expected}`);
}

it('cores are kept awake while trials are measured; roles know by what, and the records say so', async () => {
  /** @type {unknown[]} */
  const pids = [];
  /** @type {string[]} */
  const calls = [];
  const keeper = {
    ...{state: /** @type {const} */ ('awake'), pidOn: () => 4711},
    on: () => void calls.push('on'),
    off: () => void calls.push('off'),
    distance: async () => 60,
    end: async () => void calls.push('end'),
  };
  const {cells} = await session(
    (transport) => ({
      ...steady(transport),
      onConnect: ({keeperPid}) => void pids.push(keeperPid),
    }),
    {flags: {transport: ['tcp,websocket'], rounds: ['2']}, deps: {keepAwake: async () => keeper}},
  );
  assert.deepEqual([...new Set(pids)], [4711]);
  assert.deepEqual(
    cells.map(({coreState}) => coreState),
    ['awake', 'awake'],
  );
  assert.deepEqual(
    cells.flatMap(({trials}) => trials.map((/** @type {any} */ {coreDistance}) => coreDistance)),
    Array(4).fill({p10Ns: 60, p50Ns: 60, p90Ns: 60}),
  );
  assert.match(calls.join(), /^(on,off,)+end$/);
});

describe('where others use a host', () => {
  /** @param {Record<string, string[]>} flags @param {boolean} isBusy */
  async function placementOf(flags, isBusy) {
    const placements = new Set();
    const deps = {
      preflight: async () => ({isBusy, lines: []}),
      makePair: (/** @type {any} */ context) => {
        placements.add(context.hosts.placement);
        return new RolePair(context, {rootCauseMs: 5});
      },
    };
    await session(steady, {flags: {transport: ['tcp'], ...flags}, deps});
    const [placement] = placements;
    assert.equal(placements.size, 1);
    return placement;
  }

  it('processes run on any core, unless a person pinned them', async () => {
    const because = /not pinned to cores, because other programs use the cores\.$/;
    assert.match((await placementOf({}, true)).notes.join(), because);
    assert.doesNotMatch((await placementOf({}, false)).notes.join(), because);
    assert.doesNotMatch((await placementOf({pin: ['main']}, true)).notes.join(), because);
  });
});

describe('one pair of roles', () => {
  const sizes = {payload: ['1kb,2kb,4kb']};

  it('measures all sizes of a variant in a round, over one connection', async () => {
    /** @type {string[]} */
    const connections = [];
    const {started, finished, journal} = await session(
      (transport) => ({...steady(transport), onConnect: () => connections.push(transport)}),
      {flags: {...sizes, rounds: ['2']}},
    );
    const pairs = ['http', 'tcp'].flatMap((name) => [`${name} client`, `${name} server`]);
    assert.deepEqual(started.toSorted(), [...pairs, ...pairs, 'closed'].toSorted());
    assert.deepEqual(connections.toSorted(), ['http', 'http', 'tcp', 'tcp']);
    assert.equal(journal.of('trial').length, 3 * 2 * 2);
    for (const {counts, rtt, payloadBytes, transport, throughput} of finished.records) {
      const what = `${transport}, ${payloadBytes}`;
      assert.deepEqual([counts.sent, counts.verified], [80, 80], what);
      assert.equal(rtt.meanMs, transport === 'tcp' ? 0.5 : 2, what);
      const bytes = throughput.bytesPerSecond / throughput.messagesPerSecond;
      assert.ok(Math.abs(bytes - payloadBytes) < 1e-6, `${what}: ${bytes}`);
    }
    for (const {windows, served} of journal.of('trial'))
      assert.deepEqual([windows.length, served], [10, 40], 'each trial has its own samples and requests');
  });

  it('is followed by a new one when a size fails; the others have all their trials', async () => {
    const wrongAt = (/** @type {number} */ request) => (request === 60 ? 'wrong reply' : 'reply');
    const {started, journal} = await session(
      (transport, pair) => ({
        ...steady(transport),
        outcomeOf: (request) => (transport === 'http' && pair === 1 ? wrongAt(request) : 'reply'),
      }),
      {flags: {...sizes, rounds: ['2']}},
    );
    assert.equal(started.filter((what) => what === 'http server').length, 3);
    assert.equal(started.filter((what) => what === 'tcp server').length, 2);
    const ofHttp = journal.of('cell').filter(({transport}) => transport === 'http');
    assert.deepEqual(ofHttp.map(({outcome}) => outcome).toSorted(), ['completed', 'completed', 'failed']);
    for (const {outcome, trials} of ofHttp) if (outcome === 'completed') assert.equal(trials.length, 2);
  });

  it('connects anew for a size whose replies are matched in another way: payloads too short for a number', async () => {
    /** @type {boolean[]} */
    const isNumbered = [];
    const {finished} = await session(
      (transport) => ({
        ...steady(transport),
        onConnect: ({correlation}) => isNumbered.push(correlation !== null),
      }),
      {
        flags: {
          ...{transport: ['tcp'], workload: ['pipeline'], window: ['4'], payload: ['8,1kb,2kb']},
          ...{rounds: ['1']},
        },
      },
    );
    assert.deepEqual(
      finished.records.map((/** @type {any} */ {outcome}) => outcome),
      ['completed', 'completed', 'completed'],
    );
    assert.ok(isNumbered.includes(true) && isNumbered.includes(false));
    for (const [index, one] of isNumbered.slice(1).entries()) assert.notEqual(one, isNumbered[index]);
  });
});

describe('a session', () => {
  it('runs fresh roles for each trial, and ends with a record of each cell', async () => {
    const {finished, started, cells, journal} = await session(steady);
    const ofTrials = ['http', 'tcp'].flatMap((name) => [`${name} client`, `${name} server`]);
    assert.deepEqual(started.toSorted(), [...ofTrials, ...ofTrials, ...ofTrials, 'closed'].toSorted());
    assert.equal(started.at(-1), 'closed', 'the hosts are closed at the end');
    assert.deepEqual(
      journal.entries.map(({kind}) => kind),
      ['battle', ...Array.from({length: 6}, () => 'trial'), 'cell', 'cell'],
    );
    for (const cell of cells) cellRecord.parse(cell);
    assert.deepEqual(cells, JSON.parse(JSON.stringify(finished.records)));
    assert.equal(documentOf(finished).battle.id, journal.entries[0].id);
    assert.equal(exitCodeOf(finished), 0);
  });

  it('measures by the clock, and discards the warm-up', async () => {
    const {cells} = await session((transport) => ({
      latencyMs: (request) => (request <= 10 ? 50 : steady(transport).latencyMs(request)),
    }));
    const {rtt, throughput, counts, trials, floor} = cellOf(cells, 'http');
    assert.deepEqual([rtt.meanMs, rtt.minMs, rtt.maxMs, rtt.ci95Ms], [2, 2, 2, [2, 2]]);
    assert.equal(rtt.samples, 120);
    assert.equal(throughput.messagesPerSecond, 500);
    assert.deepEqual([counts.sent, counts.received, counts.verified, counts.lost], [120, 120, 120, 0]);
    assert.deepEqual(
      trials.map((/** @type {any} */ {samples, discarded}) => [samples, discarded]),
      [
        [40, 10],
        [40, 10],
        [40, 10],
      ],
    );
    assert.deepEqual([floor.meanMs, floor.ratio], [0.5, 4]);
    assert.equal(cellOf(cells, 'tcp').floor.ratio, 1);
  });

  it('compares cells by round, so that what slows a whole round does not widen the interval of a ratio', async () => {
    const {cells} = await session((transport, trial) => ({
      latencyMs: () => steady(transport).latencyMs(1) * [1, 2, 4][trial - 1],
    }));
    const [http, tcp] = [cellOf(cells, 'http'), cellOf(cells, 'tcp')];
    assert.ok(http.rtt.ci95Ms[1] > 2 * http.rtt.meanMs);
    assertNear([http.floor.ratio, ...http.floor.ratioCi95], [4, 4, 4]);
    assert.deepEqual([http.vsFastest.id, http.vsFastest.difference], [http.id, 'no difference shown']);
    assert.equal(tcp.vsFastest, null);
  });

  it('takes the mean over trials, and percentiles over all their samples', async () => {
    const {cells} = await session((transport, trial) => ({
      latencyMs: (request) => (transport === 'tcp' ? 0.5 : trial + (request % 10 === 0 ? 8 : 0)),
    }));
    const {rtt, trials} = cellOf(cells, 'http');
    const close = (/** @type {number} */ one, /** @type {number} */ other) =>
      assert.ok(Math.abs(one - other) < 0.01, `${one} is not ${other}`);
    for (const [index, meanMs] of [1.8, 2.8, 3.8].entries()) close(trials[index].meanMs, meanMs);
    close(rtt.meanMs, 2.8);
    close(rtt.p50Ms, 2);
    close(rtt.p90Ms, 3);
    close(rtt.maxMs, 11);
    assert.equal(rtt.p99Ms, null, 'fewer than ten samples lie above it');
    assert.ok(rtt.ci95Ms[0] < rtt.meanMs && rtt.meanMs < rtt.ci95Ms[1]);
  });

  it('merges the results of several clients and servers', async () => {
    const {cells} = await session(steady, {flags: {clients: ['3'], servers: ['2'], rounds: ['1']}});
    const {counts, rtt, variant} = cellOf(cells, 'http');
    assert.deepEqual([variant.clients, variant.servers], [3, 2]);
    assert.deepEqual([counts.sent, counts.received, counts.verified, rtt.samples], [120, 120, 120, 120]);
  });

  it('repeats a disturbed trial, and leaves it out when three others remain', async () => {
    const {cells, finished} = await session(
      (transport, trial) => ({
        latencyMs: () => {
          if (transport !== 'http') return 0.5;
          if (trial === 1) scheduler.runDelayMs += 50;
          return trial === 1 ? 20 : 2;
        },
      }),
      {flags: {rounds: ['5']}},
    );
    const {rtt, trials, rounds} = cellOf(cells, 'http');
    assert.deepEqual(
      trials.map((/** @type {any} */ {round, disturbed, used}) => ({round, disturbed, used})),
      [1, 2, 3, 4, 5, 6].map((round) => ({round, disturbed: round === 1, used: round > 1})),
    );
    assert.equal(rtt.meanMs, 2);
    assert.deepEqual(rounds, {count: 6, stoppedBy: 'rounds'});
    assert.equal(cellOf(finished.records, 'tcp').trials.length, 6, 'the floor takes part');
  });

  it('runs 5 rounds with --precision when the intervals are narrow', async () => {
    const {cells} = await session(steady, {flags: {precision: ['5%']}});
    const {trials, rounds} = cellOf(cells, 'http');
    assert.equal(trials.length, 5);
    assert.deepEqual(rounds, {count: 5, stoppedBy: 'precision'});
  });

  it('adds rounds until its budget is used up, and says so in the records', async () => {
    const {cells} = await session(
      (transport, trial) => ({latencyMs: () => (transport === 'tcp' ? 5 : 20 * (1 + (trial % 2)))}),
      {flags: {budget: ['12s']}},
    );
    const {trials, rounds, config} = cellOf(cells, 'http');
    assert.equal(config.budgetMs, 12_000);
    // A round takes 50 messages of 5 ms, and of 20 or 40 ms: 2.25 s or 1.25 s.
    assert.deepEqual(rounds, {count: 6, stoppedBy: 'budget'});
    assert.equal(trials.length, 6);
    assert.equal(clock.nowMs, 3 * (2250 + 1250));
  });

  it('shows the table', async () => {
    const {finished} = await session(steady);
    let text = '';
    const stream = /** @type {any} */ ({write: (/** @type {string} */ part) => (text += part), isTTY: false});
    printTable(finished.records, {...finished.context, ...finished.transports}, stream);
    const rows = text.split('\n').filter((line) => /(TCP|HTTP) .* ± /.test(line));
    assert.match(text, /local, AMD EPYC/);
    assert.match(rows[0], /TCP.* 0\.5000 /);
    assert.match(rows[1], /HTTP.* 2\.0000 .*± 0\.0000.*4\.0/);
  });
});

describe('a cell of a session fails', () => {
  for (const {outcome, code} of /** @type {const} */ ([
    {outcome: 'wrong reply', code: 'PB_WRONG_REPLY'},
    {outcome: 'death of the server', code: 'PB_LISTEN'},
  ])) {
    it(`with ${code} after a ${outcome}; the others complete, and the exit code is 1`, async () => {
      const {finished, cells, journal} = await session((transport, trial) => ({
        ...steady(transport),
        outcomeOf: (request) => (transport === 'http' && trial === 2 && request === 30 ? outcome : 'reply'),
      }));
      const {outcome: end, error, ...http} = cellOf(cells, 'http');
      assert.deepEqual([end, error.code], ['failed', code]);
      assert.ok(!('rtt' in http), 'no figures');
      assert.equal(cellOf(cells, 'tcp').outcome, 'completed');
      assert.equal(journal.of('trial').filter((trial) => trial.outcome === 'failed').length, 1);
      assert.equal(exitCodeOf(finished), 1);
    });
  }

  it('without a broker; the others complete, and the exit code is 3', async () => {
    const {finished, cells, events} = await session(steady, {flags: {transport: ['http,rabbitmq']}});
    assert.deepEqual(
      cells.map(({transport, outcome}) => `${transport} ${outcome}`),
      ['tcp completed', 'http completed', 'rabbitmq failed'],
    );
    assert.equal(cellOf(cells, 'rabbitmq').error.code, 'PB_BROKER_UNAVAILABLE');
    assert.equal(events.filter(({type}) => type === 'broker-missing').length, 1);
    assert.equal(exitCodeOf(finished), 3);
  });
});

describe('a session in slices', () => {
  const flags = {slices: ['on'], duration: ['1s'], rounds: ['3']};

  /** @param {string[]} slices @param {(transport: string) => Script} scriptOf @returns {Promise<number>} the ratio of HTTP to raw TCP */
  async function ratioOf(slices, scriptOf) {
    const {cells, error} = await session(scriptOf, {flags: {...flags, slices}});
    assert.equal(error, null);
    return cells.find(({transport}) => transport === 'http')?.floor.ratio;
  }

  it('finds the ratio of two transports while something slows both for a part of the time', {
    skip: isQuick,
  }, async () => {
    const slowed = (/** @type {string} */ transport) => ({
      latencyMs: () => (transport === 'tcp' ? 0.5 : 2) * (Math.floor(clock.nowMs / 2300) % 2 === 0 ? 1 : 3),
    });
    const [inSlices, inOnePiece] = [await ratioOf(['on'], slowed), await ratioOf(['off'], slowed)];
    assert.ok(Math.abs(inSlices / 4 - 1) < 0.05, `${inSlices}`);
    assert.ok(Math.abs(inOnePiece / 4 - 1) > 0.1, `${inOnePiece}`);
  });

  it('does not count what is slow at the begin of a slice, and counts all else', async () => {
    let last = '';
    const {cells, journal} = await session(
      (transport) => {
        let cold = 0;
        return {
          latencyMs: () => {
            if (last !== transport) cold = 2;
            last = transport;
            cold -= 1;
            return (transport === 'tcp' ? 0.5 : 2) * (cold >= 0 ? 1.3 : 1);
          },
        };
      },
      {flags},
    );
    assert.deepEqual(
      cells.map(({rtt}) => [rtt.minMs, rtt.meanMs].map((ms) => Math.round(ms * 100) / 100)),
      [
        [0.5, 0.5],
        [2, 2],
      ],
    );
    for (const {wallMs, slices, counts, served, discarded} of journal.of('trial')) {
      assert.ok(slices > 20 && wallMs > 1000 && wallMs < 1100, `${slices} slices, ${wallMs} ms`);
      assert.ok(counts.lost === 0 && counts.verified === counts.sent && served === counts.received);
      assert.ok(discarded > slices, `${discarded}`);
    }
  });

  it('fails a cell whose server dies in a slice, and goes on with the others', async () => {
    const {cells} = await session(
      (transport, trial) => ({
        latencyMs: () => (transport === 'tcp' ? 0.5 : 2),
        outcomeOf: (request) =>
          transport === 'http' && trial === 2 && request === 200 ? 'death of the server' : 'reply',
      }),
      {flags},
    );
    assert.deepEqual(
      cells.map(({outcome, error}) => [outcome, error?.code]),
      [
        ['completed', undefined],
        ['failed', 'PB_LISTEN'],
      ],
    );
  });

  it('fails a cell with a wrong reply in a slice', async () => {
    const {cells} = await session(
      (transport) => ({
        latencyMs: () => (transport === 'tcp' ? 0.5 : 2),
        outcomeOf: (request) => (transport === 'http' && request === 300 ? 'wrong reply' : 'reply'),
      }),
      {flags},
    );
    assert.deepEqual(
      cells.map(({outcome, error}) => [outcome, error?.code]),
      [
        ['completed', undefined],
        ['failed', 'PB_WRONG_REPLY'],
      ],
    );
  });
});

describe('the broker of a session', () => {
  const broker = (/** @type {string[]} */ log) => ({
    ...{
      kind: 'rabbitmq',
      source: 'given',
      hosts: null,
      label: 'RabbitMQ 4.2.0 at b',
      pid: null,
      instance: null,
    },
    ...{connection: {hostname: 'b'}, connections: [{hostname: 'b'}], versions: {rabbitmq: '4.2.0'}},
    ...{
      died: new Promise(() => {}),
      readTimes: async () => null,
      release: async () => void log.push('released'),
    },
  });

  it('is started before the first round and released after the last; the records name it', async () => {
    /** @type {string[]} */
    const log = [];
    const source = {
      provision: async (/** @type {{kind: string}} */ {kind}) => {
        log.push(`provisioned ${kind}`);
        return broker(log);
      },
      namesFor: (/** @type {string} */ kind, /** @type {string} */ trial) => ({queue: `q-${kind}-${trial}`}),
    };
    const {cells, journal, finished} = await session(steady, {
      flags: {transport: ['http,rabbitmq']},
      deps: {makeBrokerSource: () => source},
    });
    assert.deepEqual(log, ['provisioned rabbitmq', 'released']);
    assert.deepEqual(
      journal.entries.slice(0, 3).map(({kind}) => kind),
      ['battle', 'broker', 'trial'],
    );
    const {versions, hosts} = cellOf(cells, 'rabbitmq');
    assert.deepEqual([versions.rabbitmq, hosts.broker], ['4.2.0', 'b']);
    assert.equal(cellOf(cells, 'http').hosts.broker, null);
    assert.equal(finished.context.versions.rabbitmq, '4.2.0');
    assert.deepEqual(context.brokers, {}, 'what the session was given is not written to');
  });

  for (const [source, what, name] of /** @type {const} */ ([
    ['private', 'is one as in the run of faults that measured a class, which the record has', 'in memory'],
    ['found', 'may keep messages in another way if it ran already, so the record has no class', undefined],
  ]))
    it(what, async () => {
      const flags = {transport: ['http,rabbitmq']};
      const settings = settingsFor({...usual, ...flags});
      const {variant} = newBattle(settings).cells.find(({transport}) => transport === 'rabbitmq') ?? {};
      const measured = {
        ...{transport: 'rabbitmq', variant: variant ?? {}, versions: {rabbitmq: '4.2.0'}},
        guarantee: {class: 'in memory', name: 'in memory', runId: 'r', startedAt: '2026-11-28T00:00:00.000Z'},
      };
      const recorded = {battles: [], guarantees: [measured], path: 'results.ndjson', warn() {}};
      const planned = await planBattle(settings, recorded);
      const provision = async () => ({...broker([]), source});
      const {cells} = await session(steady, {
        flags,
        resumed: /** @type {any} */ (planned),
        deps: {makeBrokerSource: () => ({provision, namesFor: () => ({})})},
      });
      assert.equal(cellOf(cells, 'rabbitmq').guarantee?.name, name);
    });

  it('leaves a trace on each trial after it was restarted', async () => {
    let trial = 0;
    const instanceOf = (/** @type {number} */ reading) => (reading <= 2 ? '7@100' : '9@200');
    const readTimes = async () => {
      trial += 0.5;
      return {userMs: trial, systemMs: 0, maxRssBytes: 1000, instance: instanceOf(Math.ceil(trial))};
    };
    const deps = {
      makeBrokerSource: () => ({
        provision: async () => ({...broker([]), instance: '7@100', readTimes}),
        namesFor: () => ({}),
      }),
    };
    const {cells, journal} = await session(steady, {flags: {transport: ['rabbitmq']}, deps});
    const {trials} = cellOf(cells, 'rabbitmq');
    assert.deepEqual(
      trials.map((/** @type {any} */ {brokerRestarted}) => brokerRestarted),
      [false, false, true],
    );
    const stored = journal.of('trial').filter(({usage}) => usage.broker !== null);
    assert.equal(stored.length, 3);
    assert.deepEqual(
      cellOf(cells, 'tcp').trials.map((/** @type {any} */ {brokerRestarted}) => brokerRestarted),
      [null, null, null],
    );
  });

  it('is not known to be restarted where its process is not seen', async () => {
    const deps = {
      makeBrokerSource: () => ({provision: async () => broker([]), namesFor: () => ({})}),
    };
    const {cells} = await session(steady, {flags: {transport: ['rabbitmq']}, deps});
    const [trial] = cellOf(cells, 'rabbitmq').trials;
    assert.equal(trial.brokerRestarted, null);
  });

  it('is named as the cause where this process stalls until the wait for it is over', async () => {
    let isLost = false;
    /** @type {(reason: string) => void} */
    let die = () => {};
    // The report waits unread, as in a pipe, while the timer of the wait expires.
    const stall = () => {
      stat('/', () => die('RabbitMQ ended by SIGKILL'));
      const begin = process.hrtime.bigint();
      while (process.hrtime.bigint() - begin < 20_000_000n);
    };
    const died = new Promise((resolve) => {
      die = resolve;
    });
    const waitFor = died.then.bind(died);
    mock.method(died, 'then', (/** @type {any[]} */ ...handlers) => {
      if (isLost) setImmediate(stall);
      return waitFor(...handlers);
    });
    const {cells} = await session(
      (transport) => ({
        latencyMs: () => 1,
        outcomeOf: (request) => {
          isLost ||= transport === 'rabbitmq' && request === 30;
          return isLost ? 'wrong reply' : 'reply';
        },
      }),
      {
        flags: {transport: ['rabbitmq']},
        deps: {
          makeBrokerSource: () => ({provision: async () => ({...broker([]), died}), namesFor: () => ({})}),
        },
      },
    );
    const {error} = cellOf(cells, 'rabbitmq');
    assert.equal(error.code, 'PB_BROKER_DIED');
    assert.match(error.message, /SIGKILL/);
  });

  it('is replaced for the next cells after it died', async () => {
    /** @type {string[]} */
    const log = [];
    const deps = {
      makeBrokerSource: () => ({
        provision: async () => ({
          ...broker(log),
          ...(log.push('provisioned') === 1 && {died: Promise.resolve('RabbitMQ ended with exit code 1')}),
        }),
        namesFor: () => ({}),
      }),
    };
    const {cells} = await session(steady, {flags: {transport: ['rabbitmq']}, deps});
    assert.deepEqual(log, ['provisioned', 'released', 'provisioned', 'released']);
    const {outcome, trials} = cellOf(cells, 'rabbitmq');
    assert.deepEqual([outcome, trials[0].brokerRestarted], ['completed', true]);
  });
});

describe('an interrupted session', () => {
  /** Interrupted in the fourth of six trials. @param {Parameters<typeof session>[1]} [options] */
  async function interrupted(options) {
    const life = new AbortController();
    let trials = 0;
    const scriptOf = (/** @type {string} */ transport, /** @type {number} */ trial) => ({
      latencyMs: (/** @type {number} */ request) => {
        if (request === 1) trials += 1;
        if (trials === 4 && request === 20) life.abort(new InterruptedError('SIGINT'));
        return steady(transport).latencyMs(trial);
      },
    });
    return await session(scriptOf, {...options, signal: life.signal});
  }

  it('records each cell as aborted, keeps the finished trials, and closes what it opened', async () => {
    const {error, cells, journal, started} = await interrupted();
    assert.deepEqual([error.code, error.exitCode], ['PB_INTERRUPTED', 130]);
    assert.equal(journal.of('trial').length, 3);
    assert.deepEqual(
      cells.map(({outcome, rtt}) => ({outcome, rtt})),
      [
        {outcome: 'aborted', rtt: undefined},
        {outcome: 'aborted', rtt: undefined},
      ],
    );
    assert.equal(started.at(-1), 'closed');
  });

  it('is resumed with its finished trials, and ends like an uninterrupted one', async () => {
    const {journal} = await interrupted();
    const asked = settingsFor({resume: ['on']});
    const resumed = await resumeBattle(asked, battlesOf(journal), journal.path, async () => false);
    assert.equal(resumed.settings.values.rounds, 3);
    const {started, finished} = await session(steady, {journal, resumed});
    assert.equal(started.length, 2 * 3 + 1, 'the three trials that were missing');
    assert.deepEqual(
      finished.records.map((/** @type {any} */ {outcome, trials}) => [outcome, trials.length]),
      [
        ['completed', 3],
        ['completed', 3],
      ],
    );
    assert.equal(new Set(journal.of('trial').map(({cell, round}) => `${cell}/${round}`)).size, 6);
    assert.equal(exitCodeOf(finished), 0);
  });

  it('runs a failed trial again when it is resumed', async () => {
    const {journal} = await session((transport, trial) => ({
      ...steady(transport),
      outcomeOf: () => (transport === 'http' && trial === 2 ? 'wrong reply' : 'reply'),
    }));
    assert.equal(cellOf(journal.of('cell'), 'http').outcome, 'failed');
    const asked = settingsFor({resume: ['on']});
    const resumed = await resumeBattle(asked, battlesOf(journal), journal.path, async () => false);
    const {finished, started} = await session(steady, {journal, resumed});
    const ofHttp = ['http server', 'http client'];
    assert.deepEqual(started, [...ofHttp, ...ofHttp, 'closed'], 'the floor has its three trials');
    assert.equal(cellOf(finished.records, 'http').trials.length, 3);
    assert.equal(exitCodeOf(finished), 0);
  });

  it('is not resumed with options that have no effect on it', async () => {
    const {journal} = await interrupted();
    const recorded = {battles: battlesOf(journal), path: journal.path, warn: assert.fail};
    const asked = settingsFor({resume: ['on'], 'export-configuration': ['mine']});
    await assert.rejects(planBattle(asked, recorded), {
      code: 'PB_USAGE',
      message: /--export-configuration mine has no effect here: it needs --export/,
    });
    const {state} = await planBattle(settingsFor({resume: ['on'], bands: ['on']}), recorded);
    assert.equal(state.cells.length, 2);
  });

  it('that was killed has its cells recorded as aborted by the next battle', async () => {
    const {journal} = await interrupted();
    const killed = memoryJournal();
    killed.entries.push(...journal.entries.filter(({kind}) => kind !== 'cell'));
    await recordKilledBattles(killed, battlesOf(killed), {runsHere: async () => false});
    assert.deepEqual(
      killed.of('cell').map(({id, outcome}) => `${id} ${outcome}`),
      journal.of('cell').map(({id, outcome}) => `${id} ${outcome}`),
    );
    await recordKilledBattles(killed, battlesOf(killed), {runsHere: async () => false});
    assert.equal(killed.of('cell').length, 2, 'once');
  });

  it('that is still running is left alone', async () => {
    const {journal} = await interrupted();
    const running = memoryJournal();
    running.entries.push(...journal.entries.filter(({kind}) => kind !== 'cell'));
    await recordKilledBattles(running, battlesOf(running), {runsHere: async () => true});
    assert.equal(running.of('cell').length, 0);
    const asked = settingsFor({resume: ['on']});
    await assert.rejects(
      resumeBattle(asked, battlesOf(running), 'results.ndjson', async () => true),
      {
        code: 'PB_USAGE',
        message: /no interrupted battle in results\.ndjson/,
      },
    );
  });
});
