import assert from 'node:assert/strict';
import {test} from 'node:test';
import {concludeFaults} from '../../../src/faults/conclude.js';
import {faultsPage} from '../../../src/report/page/faults-page.js';
import {documentOfFaults, recordedFaults} from '../../../src/session/faults/recorded-faults.js';

/** @import {FoundOfFault, Row} from '../../../src/faults/found.js' */

/** @type {Row} */
const row = {
  ...{number: 1, transport: 'redis', variant: {}, payloadBytes: 1024, stores: true, broker: 'redis'},
  ...{brokerNodes: 1, brokerSettings: {}},
  labels: {facilitator: 'Redis', qualifier: null, settings: []},
};
const counts = {
  ...{sent: 100, confirmed: 90, refused: 0, open: 10, received: 83, acknowledged: 83, lost: 17},
  ...{confirmedLost: 7, unconfirmedReceived: 0},
};
/** @type {FoundOfFault} */
const found = {
  fault: 'kill-broker',
  tries: [{account: counts, atRisk: counts, outage: null, unavailable: null, arrival: null}],
  timeline: {partMs: 100, isConfirmed: true, goodPerSecond: [500], worstMs: [1], faults: []},
};
const load = {seed: 7, rate: 500, window: 64, startedAt: '2026-11-27T21:55:17.995Z'};
const fault = {kind: 'fault', ...load, runId: 'aaaa1111', row, found};
const [conclusion] = concludeFaults({rows: [{row, evidence: null, faults: [found], error: null}]});
const ended = {
  ...{kind: 'faults', ...load, runId: 'bbbb2222', host: {cpu: 'AMD EPYC', cores: 2}},
  ...{versions: {perfBattle: '0.1.0', node: 'v22.1.0'}, ...conclusion},
  ...{notTried: [{fault: 'power-loss', why: 'it needs root'}], config: {rate: [500]}},
};
/** As a journal keeps them. @param {readonly object[]} lines */
const stored = (...lines) => JSON.parse(JSON.stringify(lines));

test('a run of faults can be shown from its journal, by default the newest', () => {
  const entries = stored(fault, {...fault, runId: 'bbbb2222'}, ended, {kind: 'cell', id: 'c-1'});
  const run = recordedFaults(entries);
  assert.equal(run?.run.runId, 'bbbb2222');
  assert.equal(run?.isInterrupted, false);
  assert.deepEqual(run?.found.notTried, ended.notTried);
  assert.deepEqual(run?.found.rows, stored({row, evidence: null, error: null, faults: [found]}));
  assert.equal(recordedFaults(entries, 'aaaa')?.run.runId, 'aaaa1111');
  assert.equal(recordedFaults(entries, 'cccc'), null);
  assert.ok(run);
  const page = faultsPage({...run, settings: []});
  assert.match(page, /7 of 90/);
  assert.match(page, /power-loss was not tried: it needs root\./);
});

test('an interrupted run has the faults that were finished', () => {
  const run = recordedFaults(stored(fault));
  assert.equal(run?.isInterrupted, true);
  assert.deepEqual(
    run?.conclusions.map(({faults}) => faults.map(({lost, of}) => [lost, of])),
    [[[7, 90]]],
  );
  assert.ok(run);
  assert.match(faultsPage({...run, versions: {perfBattle: '0.1.0'}, settings: []}), /7 of 90/);
});

test('an interrupted run says the same of a transport without confirms as a finished one', () => {
  const account = {...counts, confirmed: 0, open: 100, received: 95, lost: 5, confirmedLost: 0};
  const own = {...found, tries: [{...found.tries[0], account, atRisk: account}]};
  const evidence = {
    ...{messages: 500, payloadBytes: 1024, isConfirmed: false, rttMs: null, ratePerSecond: null},
    ...{dirtiedBytesPerMessage: 3, flushesPerMessage: 0},
  };
  const [finished] = concludeFaults({rows: [{row, evidence, faults: [own], error: null}]});
  assert.deepEqual(recordedFaults(stored({...fault, evidence, found: own}))?.conclusions, stored(finished));
});

test('table --json has the document that faults --json printed', () => {
  const evidence = null;
  const second = {...row, number: 2};
  const rows = [row, second].map((one) => ({row: one, evidence, faults: [found], error: null}));
  const host = /** @type {any} */ ({cpu: 'AMD EPYC', cores: 2});
  const own = {perfBattle: '0.1.0', node: 'v22.1.0'};
  const brokers = [{redis: '7.0'}, {redis: '8.0'}];
  const run = {...load, runId: 'cccc3333', resend: true, hosts: {server: 'alpha', broker: null}};
  const conclusions = concludeFaults({rows});
  const versions = {...own, redis: '7.0, 8.0'};
  const ofRow = new Map([
    [row, brokers[0]],
    [second, brokers[1]],
  ]);
  const finished = {run, host, versions, conclusions, found: {rows, notTried: [], versions: ofRow}};
  const lines = conclusions.map((one, index) => ({
    ...{kind: 'faults', ...run, host, versions: {...versions, ...brokers[index]}, ...one},
    ...{notTried: [], config: {}, exceptions: []},
  }));
  const recorded = recordedFaults(stored(...lines));
  assert.ok(recorded);
  assert.deepEqual(stored(documentOfFaults(recorded)), stored(documentOfFaults(finished)));
});

test('an interrupted run says so in its document and on its page', () => {
  const run = recordedFaults(stored(fault));
  assert.ok(run);
  assert.equal(documentOfFaults(run).faults.interrupted, true);
  assert.match(faultsPage(run), /<p>The run of faults aaaa1111 was interrupted, or still runs\.<\/p>/);
  const whole = recordedFaults(stored(ended));
  assert.ok(whole);
  assert.equal('interrupted' in documentOfFaults(whole).faults, false);
  assert.doesNotMatch(faultsPage(whole), /or still runs/);
});

test('a run of faults does not hide a battle that stored trials after it', () => {
  const trial = {kind: 'trial', battleId: '0123abcd'};
  assert.equal(recordedFaults(stored(fault, ended, trial))?.isBeforeTrials, true);
  assert.equal(recordedFaults(stored(trial, fault, ended, {kind: 'battle'}))?.isBeforeTrials, false);
});

test('lines that cannot be used are left out', () => {
  const broken = [{kind: 'faults'}, {...fault, row: {}}, {...fault, found: {fault: 'no-such', tries: []}}];
  assert.equal(recordedFaults(stored(...broken, {...ended, faults: 5})), null);
  const withTries = (/** @type {unknown} */ tries) => ({...fault, found: {...found, tries}});
  for (const tries of [
    [null],
    [{}],
    [{...found.tries[0], account: 5}],
    [{...found.tries[0], outage: undefined}],
  ])
    assert.equal(recordedFaults(stored(withTries(tries))), null, JSON.stringify(tries));
  for (const timeline of [{}, {...found.timeline, worstMs: null}, {...found.timeline, faults: [null]}])
    assert.equal(recordedFaults(stored({...fault, found: {...found, timeline}})), null);
});

test('what is said of a whole run may be missing', () => {
  for (const missing of [null, undefined, 5]) {
    const lost = {host: missing, versions: missing, notTried: missing, config: missing, exceptions: missing};
    const run = recordedFaults(stored({...ended, ...lost}));
    assert.ok(run);
    assert.deepEqual([run.host, run.versions, run.found.notTried, run.settings], [{}, {}, [], []]);
    assert.match(faultsPage({...run, settings: []}), /7 of 90/);
  }
});
