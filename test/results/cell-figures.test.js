import assert from 'node:assert/strict';
import {test} from 'node:test';
import {figuresOf, withKnownLatencies} from '../../src/results/cell-figures.js';
import {everyRole, search} from '../../src/workloads/shared-options.js';

/** @import {CpuRule, JournalTrial} from '../../src/results/types.js' */

const consumption = {wallMs: 100, userMs: 10, systemMs: 5, maxRssBytes: 1e6, eventLoopShare: 0.5};

/** @param {{client: object, server: object | null, disturbed?: boolean}} trial */
function trialOf({client, server, disturbed = false}) {
  return /** @type {JournalTrial} */ (
    /** @type {unknown} */ ({
      ...{round: 1, startedAt: '2026-11-21T12:00:00.000Z', figureMs: 1, wallMs: 100, discarded: 0, disturbed},
      ...{histogram: null, samples: 0, messagesPerSecond: 1000, summedPerSecond: 1000, served: 100},
      ...{meanMs: null, minMs: null, maxMs: null, stdevMs: null},
      ...{phases: {}, beside: {}, notes: {}, oneWay: null, mismatch: null, hostLoads: [], details: {}},
      counts: {sent: 100, received: 100},
      usage: {
        client: {...consumption, ...client},
        server: server && {...consumption, ...server},
        broker: null,
      },
    })
  );
}

const measured = {
  ...{runDelayMs: 3, stealMs: 1, throttledMs: 0, involuntarySwitches: 7, migrations: 2, gcMs: 4},
  loopDelayMaxMs: 2.5,
};
const nothingKnown = {
  ...{runDelayMs: null, stealMs: null, throttledMs: null, involuntarySwitches: null, migrations: null},
  ...{gcMs: null, loopDelayMaxMs: null},
};

test('what kept a role from its work is summed over the trials that count, and the worst delay is kept', () => {
  const worse = {...measured, loopDelayMaxMs: 9};
  const some = [measured, worse, measured].map((client) => trialOf({client, server: null}));
  const disturbed = trialOf({client: {...measured, gcMs: 1000}, server: null, disturbed: true});
  const {client, server} = figuresOf([...some, disturbed], {payloadBytes: 1024}).interference;
  assert.deepEqual(client, {
    ...{runDelayMs: 9, stealMs: 3, throttledMs: 0, involuntarySwitches: 21, migrations: 6, gcMs: 12},
    loopDelayMaxMs: 9,
  });
  assert.equal(server, null, 'there is none');
});

test('CPU per message leaves out what the client took to check replies; a journal without that time has all', () => {
  const cpuOf = (/** @type {object} */ client) =>
    figuresOf([trialOf({client, server: null})], {payloadBytes: 1024}).cpu.client;
  assert.deepEqual([cpuOf({})?.microsPerMessage, cpuOf({checkingMs: 5})?.microsPerMessage], [150, 100]);
  assert.equal(cpuOf({checkingMs: 5})?.userMs, 10);
  assert.equal(cpuOf({checkingMs: 1000})?.microsPerMessage, 0);
});

test('CPU per message of a server counts the messages that a cache answered; that of a search, what it served', () => {
  const trial = {...trialOf({client: measured, server: measured}), served: 10};
  const microsOf = (/** @type {CpuRule} */ cpu) =>
    figuresOf([trial], {payloadBytes: 1024, cpu}).cpu.server?.microsPerMessage;
  assert.equal(microsOf(everyRole), 150);
  assert.equal(microsOf(search), 1500);
});

test('the record says where the CPU of the server is a part of that of the client', () => {
  const cpuOf = (/** @type {Partial<CpuRule>} */ rule) =>
    figuresOf([trialOf({client: measured, server: null})], {payloadBytes: 1024, cpu: {...everyRole, ...rule}})
      .cpu;
  const {client, server, serverInClient} = cpuOf({serverInClient: true});
  assert.deepEqual([client?.microsPerMessage, server, serverInClient], [150, null, true]);
  assert.ok(!('serverInClient' in cpuOf({})));
});

test('what one trial does not know is not known of the cell, and a journal of version 0.1.0 knows nothing', () => {
  const trials = [
    trialOf({client: measured, server: {}}),
    trialOf({client: {...measured, gcMs: null}, server: {}}),
  ];
  const {client, server} = figuresOf(trials, {payloadBytes: 1024}).interference;
  assert.deepEqual([client?.gcMs, client?.runDelayMs], [null, 6]);
  assert.deepEqual(server, nothingKnown);
});

test('a cell waits for the link from nine tenths of what it carries on; one unknown trial leaves it open', () => {
  const linkOf = (/** @type {(number | null)[]} */ ...rates) => {
    const trials = rates.map((linkBytesPerSecond) => ({
      ...trialOf({client: measured, server: null}),
      ...{linkBytesPerSecond},
    }));
    return figuresOf(/** @type {JournalTrial[]} */ (trials), {payloadBytes: 1024, linkBytesPerSecond: 1000})
      .link;
  };
  assert.deepEqual(linkOf(880, 920), {bytesPerSecond: 1000, usedShare: 0.9, isLimit: true});
  assert.deepEqual(linkOf(880, 880), {bytesPerSecond: 1000, usedShare: 0.88, isLimit: false});
  assert.equal(linkOf(920, null), null);
});

const bound = 0.1;

/** @param {number} scale of all times */
function distribution(scale) {
  const [minMs, p50Ms, meanMs, p99Ms, maxMs] = [0.1, 0.4, 0.6, 2, 4].map((ms) => ms * scale);
  const between = {p75Ms: p50Ms, p90Ms: p99Ms, p999Ms: null, p9999Ms: null, p99999Ms: null};
  return {minMs, p50Ms, meanMs, p99Ms, maxMs, ...between, stdevMs: 0.01, samples: 1000};
}

/** @param {number} scale */
function figures(scale) {
  const {minMs, meanMs, maxMs} = distribution(scale);
  const trial = {round: 1, minMs, meanMs, maxMs, stdevMs: 0.01, samples: 1000, histogram: 'HIST'};
  return /** @type {any} */ ({
    rtt: {...distribution(scale), ci95Ms: [0.59, 0.61], ci95: {p50Ms: [0.3, 0.5], p99Ms: [1, 3]}},
    latencies: {service: distribution(scale), sendLag: distribution(0.001)},
    trials: [trial],
  });
}

/** @param {number | null} clockBoundMs */
const trialsWith = (clockBoundMs) =>
  /** @type {any} */ ([{oneWay: null}, {oneWay: clockBoundMs === null ? null : {clockBoundMs}}]);

test('each figure by itself is withheld when it is less than five times the bound, in response and service', () => {
  const {rtt, latencies, trials, oneWay} = withKnownLatencies(figures(1), trialsWith(bound));
  for (const known of [rtt, latencies.service]) {
    assert.deepEqual([known?.minMs, known?.p50Ms, known?.p75Ms], [null, null, null]);
    assert.deepEqual([known?.meanMs, known?.p99Ms, known?.maxMs, known?.stdevMs], [0.6, 2, 4, 0.01]);
    assert.equal(known?.samples, 1000);
  }
  assert.deepEqual([rtt?.ci95Ms, rtt?.ci95], [[0.59, 0.61], {p50Ms: null, p99Ms: [1, 3]}]);
  const [{minMs, meanMs, histogram}] = trials;
  assert.deepEqual([minMs, meanMs, histogram], [null, 0.6, null]);
  assert.deepEqual(oneWay, {clockBoundMs: bound, withheld: true});
});

test('interval and standard deviation are withheld with the mean, while a long tail is still known', () => {
  const {rtt} = withKnownLatencies(figures(0.5), trialsWith(bound));
  assert.deepEqual([rtt?.meanMs, rtt?.ci95Ms, rtt?.stdevMs, rtt?.p99Ms], [null, null, null, 1]);
});

test('a distribution of which nothing is known is missing; the send lag of one clock never is', () => {
  const {rtt, latencies, oneWay} = withKnownLatencies(figures(0.1), trialsWith(bound));
  assert.equal(rtt, null);
  assert.deepEqual(Object.keys(latencies), ['sendLag']);
  assert.equal(latencies.sendLag.meanMs, distribution(0.001).meanMs);
  assert.equal(oneWay?.withheld, true);
});

test('figures well above the bound, and those of one host, are shown as they are', () => {
  const many = withKnownLatencies(figures(100), trialsWith(bound));
  assert.deepEqual({...many, oneWay: undefined}, {...figures(100), oneWay: undefined});
  assert.deepEqual(many.oneWay, {clockBoundMs: bound, withheld: false});
  assert.deepEqual(withKnownLatencies(figures(1), trialsWith(null)), {...figures(1), oneWay: null});
});
