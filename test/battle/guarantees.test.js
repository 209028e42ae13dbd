import assert from 'node:assert/strict';
import {test} from 'node:test';
import {guaranteeOf, guaranteesFor, guaranteesIn, surviveTheSame} from '../../src/battle/guarantees.js';
import {makeRecords} from '../../src/battle/make-records.js';
import {battleOf, completed, context, run, settingsFor} from './scripted-trials.js';

const confirmed = {deliveryMode: 2, confirms: true, transactions: false, queueType: 'classic'};

/** A line of a journal. @param {Record<string, unknown>} [some] @param {Record<string, unknown>} [variant] */
function line(some = {}, variant = {}) {
  return {
    kind: 'faults',
    row: {transport: 'rabbitmq', stores: true, variant: {...confirmed, ...variant}},
    versions: {rabbitmq: '3.10.8'},
    class: 'on disk before the acknowledgement',
    guarantee: 'on disk before the acknowledgement',
    runId: 'r1',
    startedAt: '2026-11-28T00:00:00.000Z',
    ...some,
  };
}

const versions = {rabbitmq: '3.10.8'};
const cell = /** @type {any} */ ({transport: 'rabbitmq', variant: {...confirmed, prefetch: 7}});

test('what a run of faults found holds for cells with the same settings of that kind, and the same broker', () => {
  const guarantees = guaranteesIn([line()]);
  assert.equal(guaranteeOf(cell, {guarantees, versions})?.runId, 'r1');
  for (const other of [{confirms: false}, {deliveryMode: 1}, {queueType: 'quorum'}, {brokerNodes: 3}])
    assert.equal(
      guaranteeOf({...cell, variant: {...cell.variant, ...other}}, {guarantees, versions}),
      undefined,
    );
  assert.equal(guaranteeOf(cell, {guarantees, versions: {rabbitmq: '4.0.5'}}), undefined);
  assert.equal(guaranteeOf({...cell, transport: 'http'}, {guarantees, versions}), undefined);
});

test('what a broker of one kind does is not said of another kind that the same transport uses', () => {
  const row = {transport: 'mqtt', stores: true, variant: {mqttQos: 1, mqttBroker: 'rabbitmq'}};
  const both = {rabbitmq: '4.0.5', mosquitto: '2.0.11'};
  const guarantees = guaranteesIn([line({row, versions: both})]);
  const guaranteeAt = (/** @type {object} */ variant) =>
    guaranteeOf(/** @type {any} */ ({transport: 'mqtt', variant}), {guarantees, versions: both});
  assert.equal(guaranteeAt({mqttQos: 1, mqttBroker: 'rabbitmq', mqttPersistence: null})?.runId, 'r1');
  assert.equal(guaranteeAt({mqttQos: 1, mqttPersistence: null}), undefined);
});

test('what a private broker does by default has the class of the same setting, given', () => {
  for (const [transport, key] of /** @type {const} */ ([
    ['redis', 'redisAppendfsync'],
    ['mqtt', 'mqttPersistence'],
  ])) {
    const row = {transport, stores: true, variant: {[key]: 'off'}};
    const own = {redis: '7.0.15', mosquitto: '2.0.11'};
    const guarantees = guaranteesIn([line({row, versions: own, class: 'in memory'})]);
    const guaranteeAt = (/** @type {string | null} */ value) =>
      guaranteeOf(/** @type {any} */ ({transport, variant: {[key]: value}}), {guarantees, versions: own});
    assert.equal(guaranteeAt(null)?.class, 'in memory', transport);
    assert.equal(guaranteeAt('always'), undefined, transport);
  }
});

test('the newest run counts, and lines that a person has damaged are passed over', () => {
  const newer = line({runId: 'r2', class: 'in memory', guarantee: 'in memory'});
  const damaged = [
    line({class: null}),
    line({guarantee: 5}),
    {kind: 'faults'},
    {kind: 'fault'},
    line({row: {transport: 'rabbitmq', variant: {}, stores: false}}),
  ];
  const guarantees = guaranteesIn([line(), newer, ...damaged]);
  assert.equal(guarantees.length, 2);
  assert.deepEqual(guaranteeOf(cell, {guarantees, versions}), {
    class: 'in memory',
    name: 'in memory',
    runId: 'r2',
    startedAt: '2026-11-28T00:00:00.000Z',
  });
});

test('a newer run that did less to the broker does not count before one that saw more', () => {
  const done = (/** @type {string[]} */ ...names) => names.map((fault) => ({fault, outcome: 'kept'}));
  const lost = line({
    ...{runId: 'cut', class: 'in the page cache', guarantee: 'in the page cache'},
    faults: [...done('kill-broker'), {fault: 'power-loss', outcome: 'lost'}],
  });
  const newer = [
    line({runId: 'killed', faults: done('kill-broker')}),
    line({runId: 'unread', faults: [...done('kill-broker'), {fault: 'power-loss', outcome: 'unavailable'}]}),
    line({runId: 'damaged', faults: [null, 'power-loss', {fault: 'nosuch', outcome: 'kept'}]}),
  ];
  const runIdOf = (/** @type {object[]} */ ...lines) =>
    guaranteeOf(cell, {guarantees: guaranteesIn(/** @type {any} */ (lines)), versions})?.runId;
  assert.equal(runIdOf(lost, ...newer), 'cut');
  const again = line({runId: 'again', faults: done('kill-broker', 'power-loss')});
  assert.equal(runIdOf(lost, again, ...newer), 'again');
});

test('a row that has failed shows nothing', () => {
  const failed = line({error: {code: 'PB_RUN', message: 'The broker does not return.', exitCode: 1}});
  assert.deepEqual(guaranteesIn([failed]), []);
  assert.equal(guaranteesIn([line({error: null})]).length, 1);
});

test('nothing is known of a broker that a person named, nor of a transport that is not here', () => {
  const guarantees = guaranteesIn([line(), line({row: {transport: 'gone', stores: true, variant: {}}})]);
  const asked = {transport: ['rabbitmq']};
  assert.equal(guaranteesFor(guarantees, settingsFor(asked)).length, 1);
  assert.equal(guaranteesFor(guarantees, settingsFor({...asked, broker: ['amqp://elsewhere']})).length, 0);
});

test('cells are ranked only with those whose messages survive the same', async () => {
  const state = battleOf({
    transport: ['http', 'rabbitmq'],
    'delivery-mode': ['1,2'],
    'rabbitmq-confirms': ['on'],
    rounds: ['3'],
  });
  const [, , first, second] = state.cells;
  const found = (/** @type {typeof first} */ {variant}, /** @type {string} */ name) =>
    line({class: name, guarantee: name}, /** @type {any} */ (variant));
  state.guarantees = guaranteesIn([
    found(first, 'in memory'),
    found(second, 'on disk before the acknowledgement'),
  ]);
  const means = {tcp: 1, http: 2};
  await run(state, ({cell: {transport, variant}, round}) => {
    const ofBroker = 4 * Number(/** @type {any} */ (variant).deliveryMode);
    return completed({meanMs: (means[/** @type {'tcp'} */ (transport)] ?? ofBroker) * (1 + 0.01 * round)});
  });
  const records = makeRecords(state, /** @type {any} */ ({...context, versions}), {complete: true});
  const shown = records.map((record) => {
    if (record.outcome !== 'completed') throw new Error(record.outcome);
    const {vsFastest, guarantee, id} = record;
    return [guarantee?.name ?? 'unknown', vsFastest?.id === id ? 'fastest' : (vsFastest?.ratio ?? 'floor')];
  });
  assert.deepEqual(shown, [
    ['unknown', 'floor'],
    ['unknown', 'fastest'],
    ['in memory', 2],
    ['on disk before the acknowledgement', 'fastest'],
  ]);
});

test('what survives nothing is one rank, whatever its name; each other guarantee is its own', () => {
  const of = (/** @type {string} */ name, found = name) => ({class: found, name, runId: '', startedAt: ''});
  const [memory, none] = [of('in memory'), of('fire and forget')];
  const disk = of('on disk before the acknowledgement');
  const replicated = of('on disk before the acknowledgement, replicated on 3', disk.class);
  assert.ok(surviveTheSame(memory, none));
  assert.ok(surviveTheSame(memory, undefined));
  assert.ok(!surviveTheSame(memory, disk));
  assert.ok(!surviveTheSame(disk, replicated));
  assert.ok(surviveTheSame(disk, {...disk, runId: 'r9'}));
});
