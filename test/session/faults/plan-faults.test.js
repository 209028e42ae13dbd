import assert from 'node:assert/strict';
import {test} from 'node:test';
import {concludeFaults} from '../../../src/faults/conclude.js';
import {faultNames} from '../../../src/faults/faults.js';
import {readCommandLine} from '../../../src/options/command-line.js';
import {resolveOptions} from '../../../src/options/resolve.js';
import {describeFaultPreset, faultPresetNamed} from '../../../src/presets/faults.js';
import {findUnsupported} from '../../../src/session/faults/conduct-faults.js';
import {minRunMs} from '../../../src/session/faults/phases.js';
import {planFaults, shownSettings} from '../../../src/session/faults/plan-faults.js';
import {recordedFaults, settingsToRecord} from '../../../src/session/faults/recorded-faults.js';
import {applies, triesOf} from '../../../src/session/faults/rows.js';
import {
  describeSettings,
  settingsAsGiven,
  settingsDocument,
} from '../../../src/settings/describe-settings.js';
import {allOptions, optionsOfFaultPlan, optionsOfFaults} from '../../../src/settings/index.js';

/**
 * @import {FaultPreset} from '../../../src/presets/types.js'
 * @import {FaultSettings} from '../../../src/settings/index.js'
 */

const {all: mine} = optionsOfFaultPlan();

/** @param {string} commandLine @param {string | null} [preset] */
function plan(commandLine, preset = null) {
  const {flags} = readCommandLine(mine, commandLine.split(' '));
  const asked = resolveOptions(allOptions, {scope: 'battle', mine, flags: {payload: ['1kb'], ...flags}});
  return planFaults(/** @type {FaultSettings} */ (/** @type {unknown} */ (asked)), faultPresetNamed(preset));
}

test('the whole table has every setting of a queue with both acknowledgements, and requests with one and two servers, sent again or not', () => {
  const {rows, settings} = plan('--table');
  const queues = rows.filter(({stores}) => stores);
  const keys = queues.map(({variant: {deliveryMode, confirms, transactions, queueType, acknowledgement}}) =>
    [deliveryMode, confirms ? 'confirms' : transactions ? 'tx' : 'none', queueType, acknowledgement].join(
      ' ',
    ),
  );
  const expected = ['1 classic', '2 classic', '2 quorum'].flatMap((kind) => {
    const [mode, type] = kind.split(' ');
    return ['none', 'confirms', 'tx'].flatMap((how) =>
      ['auto', 'manual'].map((ack) => `${mode} ${how} ${type} ${ack}`),
    );
  });
  assert.deepEqual(keys.toSorted(), expected.toSorted());
  for (const transport of ['nats', 'http', 'websocket']) {
    const own = rows.filter((row) => row.transport === transport && row.variant.http !== 'node');
    const kinds = new Set(own.map(({variant, resend}) => `${variant.servers} ${resend}`));
    assert.deepEqual([...kinds].toSorted(), ['1 false', '1 true', '2 false', '2 true'], transport);
  }
  assert.deepEqual(
    settings.values.fault.map(({name}) => name),
    ['kill-broker', 'power-loss', 'kill-server', 'kill-consumer'],
  );
  for (const row of queues)
    assert.ok(applies('kill-consumer', row) && applies('kill-broker', row) && applies('power-loss', row));
  assert.equal(triesOf(settings.values.fault[0], settings), 5);
});

test('a fault that no broker of the rows supports is refused before anything starts, if the user asked for it', async () => {
  const alone = plan('--transport kafka --fault kill-broker,memory-alarm');
  await assert.rejects(findUnsupported(alone), {
    code: 'PB_USAGE',
    message:
      /^--fault memory-alarm is not possible here: Kafka .*\. Leave it out, or measure another broker\.$/,
  });
  const notTried = await findUnsupported(plan('--transport kafka,rabbitmq,redis --fault memory-alarm'));
  assert.deepEqual(
    notTried.map(({fault, brokers}) => [fault, brokers]),
    [['memory-alarm', ['kafka']]],
  );
  assert.deepEqual(await findUnsupported(plan('--transport kafka')), []);
});

test('what has no account is left out of a group and named, and refused if a person named it', () => {
  const {rows, warnings} = plan('--transport local --fault kill-server');
  assert.deepEqual([...new Set(rows.map(({transport}) => transport))], ['unix', 'posix-mq', 'shared-memory']);
  assert.match(warnings.join(), /^Without a row, .*: worker\.$/);
  assert.throws(() => plan('--transport worker --fault kill-server'), /does not take --transport worker/);
});

test('a setting without an effect on any row is refused, as in a battle', () => {
  for (const [commandLine, message] of /** @type {const} */ ([
    ['--transport http --rabbitmq-confirms on', /--rabbitmq-confirms on has no effect here/],
    ['--transport nats --broker-nodes 3', /--broker-nodes 3 has no effect here/],
    ['--transport rabbitmq --servers 2', /--servers has no effect here: a queue has no server/],
    ['--transport nats --workload fan-out --servers 1,2', /--servers has no effect here/],
    [
      '--transport nats --workload stream --resend on',
      /--resend has no effect here: the outcome of a one-way message/,
    ],
    [
      '--transport rabbitmq --delivery-mode 1 --rabbitmq-confirms off --resend off,on',
      /--resend has no effect here: .* or of an unconfirmed message/,
    ],
  ]))
    assert.throws(() => plan(commandLine), {code: 'PB_USAGE', message});
  assert.deepEqual(plan('--transport http,rabbitmq --rabbitmq-confirms on --broker-nodes 3').warnings, []);
});

test('what a person gives keeps its value in the table', () => {
  const {rows, settings} = plan(
    '--table --transport websocket --resend off --servers 2 --tries 7 --fault pause-server',
  );
  assert.deepEqual(
    rows.map(({transport, resend, variant}) => [transport, resend, variant.servers]),
    [['websocket', false, 2]],
  );
  assert.deepEqual(settings.values.fault, [{name: 'pause-server', at: null}]);
  assert.equal(settings.values.tries, 7);
});

test('each transport that stores has a consumer that can be killed, and one without a queue is refused', () => {
  for (const name of ['rabbitmq', 'amqp1', 'rabbitmq-stream', 'redis', 'jetstream', 'mqtt', 'kafka'])
    assert.ok(plan(`--transport ${name} --fault kill-consumer`).rows.length > 0, name);
  assert.throws(() => plan('--transport nats,http --fault kill-consumer'), {
    code: 'PB_USAGE',
    message: /kill-consumer has no target here: no row has a queue with a consumer/,
  });
});

test('a table and the preset of an experiment exclude each other', () => {
  assert.throws(() => plan('--table', 'endurox-ha-main'), {code: 'PB_USAGE', message: /exclude each other/});
});

test('what is not started again is killed once, and what only stands still as often as was asked', () => {
  const triesIn = (/** @type {string} */ words) => {
    const {settings} = plan(`--transport tcp --fault kill-server,pause-server --tries 4${words}`);
    return settings.values.fault.map((asked) => triesOf(asked, settings));
  };
  assert.deepEqual(triesIn(''), [4, 4]);
  assert.deepEqual(triesIn(' --respawn off'), [1, 4]);
});

test('another host takes what can be done there, and the rest is refused by name', () => {
  assert.equal(plan('--transport tcp --fault kill-server --server-on alpha').rows.length, 1);
  for (const [words, message] of /** @type {const} */ ([
    [
      '--transport tcp --fault cut-network --server-on alpha',
      /--fault cut-network needs a network within this host/,
    ],
    [
      '--transport tcp --fault slow-consumer --server-on alpha',
      /--fault slow-consumer needs a server on this host/,
    ],
    [
      '--transport rabbitmq --fault cut-network --broker-on alpha',
      /--fault cut-network needs a network within this host\. Leave out the fault, or the other hosts\./,
    ],
    ['--transport tcp --fault kill-server --server-on a,b', /faults takes one host with --server-on/],
  ]))
    assert.throws(() => plan(words), {code: 'PB_USAGE', message});
  // By default it is left out, and the output says why.
  assert.ok(plan('--transport rabbitmq --broker-on alpha').rows.length > 0);
});

test('what cannot be done is refused by name before anything starts', () => {
  for (const [commandLine, message] of /** @type {[string, RegExp][]} */ ([
    [
      '--transport rabbitmq --workload rtt --broker-nodes 3 --fault kill-node --respawn off',
      /^--respawn off with kill-node is for queues only/,
    ],
    [
      '--transport tcp --fault kill-server --broker-on host',
      /^--broker-on has no use here: no row has a broker/,
    ],
    [
      '--transport unix --server-on host',
      /^--transport unix needs clients and servers on one host\. Leave out --server-on/,
    ],
    [
      '--transport rabbitmq-stream --workload rtt --servers 2',
      /^--transport rabbitmq-stream supports at most 1 server; --servers is 2/,
    ],
  ]))
    assert.throws(() => plan(commandLine), {code: 'PB_USAGE', message});
  const queues = plan('--transport rabbitmq --broker-nodes 3 --fault kill-node --respawn off');
  assert.ok(queues.rows.every(({stores}) => stores));
  const some = plan('--transport rabbitmq-stream --workload rtt --servers 1,2');
  assert.deepEqual(
    some.rows.map(({variant}) => variant.servers),
    [1],
  );
});

test('what is shown of a run is what is applied: its default load, its workloads, and a shorter timeout of some faults', () => {
  const shownOf = (/** @type {string} */ words, /** @type {string | null} */ preset = null) => {
    const {settings, exceptions} = shownSettings(plan(words, preset).settings);
    const lines = describeSettings(settings, optionsOfFaults, exceptions).split('\n');
    const taken = lines.map((line) => line.trim().split(/ {2,}/));
    const of = (/** @type {string} */ flag) =>
      taken.filter(([name]) => name === flag).map(([, , value, origin]) => `${value} ${origin}`);
    const {timeout} = settingsDocument(settings, optionsOfFaults, exceptions).settings;
    const given = settingsAsGiven(settings, optionsOfFaults, exceptions);
    return {of, timeout, given: given.find(({name}) => name === '--timeout')?.text};
  };
  const requests = shownOf('--transport rabbitmq,http --workload rtt --fault kill-server,kill-broker');
  assert.deepEqual(requests.of('--timeout'), ['10s default', '2s faults, for kill-server with rabbitmq']);
  assert.deepEqual(requests.timeout, {
    value: 10_000,
    origin: 'default',
    exceptions: [{value: 2000, origin: 'faults', for: 'kill-server with rabbitmq'}],
  });
  assert.equal(requests.given, '10s; 2s for kill-server with rabbitmq');
  assert.deepEqual(
    ['--rate', '--window', '--workload', '--fault'].map((flag) => requests.of(flag)),
    [['500 faults'], ['64 faults'], ['rtt --workload'], ['kill-server,kill-broker --fault']],
  );
  const both = shownOf('--transport rabbitmq,nats --fault cut-connection --window 8');
  assert.deepEqual(both.of('--workload'), ['queue,rtt faults']);
  assert.deepEqual(both.of('--window'), ['8 --window']);
  assert.deepEqual(both.of('--timeout'), ['10s default', '2s faults, for cut-connection with nats']);
  for (const [words, preset, timeout] of /** @type {const} */ ([
    ['--transport rabbitmq --workload rtt --fault kill-server --timeout 5s', null, '5s --timeout'],
    ['--transport rabbitmq', null, '10s default'],
    ['--transport http --fault kill-server', null, '10s default'],
    ['--tries 3', 'endurox-ha-servers', '1s endurox-ha-servers'],
  ])) {
    const shown = shownOf(words, preset);
    assert.deepEqual(shown.of('--timeout'), [timeout], words);
    assert.equal('exceptions' in shown.timeout, false, words);
  }
});

test('the page from the journal shows the same settings as the page of the run', () => {
  const {rows, settings} = plan('--transport rabbitmq,nats --workload rtt --fault kill-server --window 8');
  const [conclusion] = concludeFaults({
    rows: [{row: rows[0], evidence: null, faults: [], error: null}],
  });
  const line = {
    ...{kind: 'faults', runId: 'aaaa1111', startedAt: '2026-11-27T21:55:17.995Z', ...conclusion},
    ...settingsToRecord(settings),
  };
  const recorded = recordedFaults(JSON.parse(JSON.stringify([line])))?.settings;
  const shown = shownSettings(settings);
  const expected = settingsAsGiven(shown.settings, optionsOfFaults, shown.exceptions);
  assert.deepEqual(
    expected.filter(({name}) => /^--(?:timeout|rate|window)$/.test(name)).map(({text}) => text),
    ['10s; 2s for kill-server with rabbitmq, nats', '8', '500'],
  );
  assert.deepEqual(recorded, expected);
});

test('where all rows are programs, no rate and no window is shown, and none is accepted', () => {
  const words = '--transport external --external Echo=server,client --fault kill-daemon';
  const loadIn = (/** @type {FaultSettings} */ {values}) => [values.rate, values.window];
  assert.deepEqual(loadIn(shownSettings(plan(words).settings).settings), [null, null]);
  for (const [given, name] of [
    [' --rate 100', '--rate'],
    [' --window 3', '--window'],
  ])
    assert.throws(() => plan(`${words}${given}`), {
      code: 'PB_USAGE',
      message: `${name} has no effect here: programs of --external get one request at a time, without a rate. Leave it out.`,
    });
  const mixed = '--transport rabbitmq,external --external Echo=server,client --rate 100';
  const {settings} = plan(mixed, 'endurox-ha-main');
  assert.deepEqual(loadIn(shownSettings(settings).settings), [[100], [64]]);
});

test('programs have one fault, which is done once, and a preset that has it for them takes them in', () => {
  const programs = '--external Echo=server,client';
  const {rows, settings} = plan(`--transport external ${programs} --fault kill-daemon --tries 4`);
  assert.deepEqual(
    rows.map(({transport, stores, broker}) => [transport, stores, broker]),
    [['external', false, null]],
  );
  assert.deepEqual(
    settings.values.fault.map((asked) => triesOf(asked, settings)),
    [1],
  );
  assert.deepEqual(
    faultNames.filter((name) => applies(name, rows[0])),
    ['kill-daemon'],
  );
  const hitOf = (/** @type {string} */ words) => {
    const preset = plan(`--transport ${words}`, 'endurox-ha-main');
    return preset.settings.values.fault.map(({name}) => [
      name,
      ...preset.rows.filter((row) => applies(name, row)).map(({transport}) => transport),
    ]);
  };
  assert.deepEqual(hitOf('rabbitmq'), [['kill-broker', 'rabbitmq']]);
  assert.deepEqual(hitOf(`rabbitmq,external ${programs}`), [
    ['kill-broker', 'rabbitmq'],
    ['kill-daemon', 'external'],
  ]);
  const main = /** @type {FaultPreset} */ (faultPresetNamed('endurox-ha-main'));
  const lastLine = (/** @type {boolean} */ hasPrograms) =>
    describeFaultPreset(main, {hasPrograms}).at(-1) ?? '';
  assert.match(
    lastLine(false),
    /Enduro\/X is not part of this run\. Build it .*build\.sh.*add --external "Enduro\/X=/,
  );
  assert.doesNotMatch(lastLine(true), /not part of this run/);
});

test('the least time of a run counts the waits of each fault, for six rows at once on a broker', () => {
  const leastOf = (/** @type {string} */ commandLine, /** @type {(string | null)[]} */ brokers) => {
    const {settings} = plan(`--transport tcp --tries 2 --restart-after 1s ${commandLine}`);
    const rows = brokers.map((broker) => ({broker}));
    return minRunMs([{asked: settings.values.fault[0], rows: /** @type {any} */ (rows)}], settings);
  };
  const killServer = '--fault kill-server';
  // 2 s of load, and twice 1 s without a server and 3 s with it.
  assert.equal(leastOf(killServer, [null]), 10_000);
  assert.equal(leastOf(killServer, [null, null]), 20_000);
  assert.equal(leastOf('--fault kill-server@5s-8s', [null]), 13_000);
  assert.equal(leastOf(`${killServer} --respawn off`, [null]), 6000);
  assert.equal(leastOf(killServer, Array(6).fill('any')), 12_500);
  assert.equal(leastOf(killServer, Array(7).fill('any')), 25_000);
  assert.equal(minRunMs([], plan(killServer).settings), 0);
});
