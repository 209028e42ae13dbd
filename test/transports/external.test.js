import assert from 'node:assert/strict';
import {test} from 'node:test';
import {refuseImpossible} from '../../src/battle/limits.js';
import {planCells} from '../../src/battle/plan.js';
import {UsageError} from '../../src/errors.js';
import {readCommandLine} from '../../src/options/command-line.js';
import {resolveOptions} from '../../src/options/resolve.js';
import {allOptions, optionsOfBattle} from '../../src/settings/index.js';
import {resolveBattle} from '../../src/settings/resolve-battle.js';

/** @param {string[]} commandLine @param {Record<string, string>} [environment] */
function plan(commandLine, environment = {}) {
  const {flags} = readCommandLine(optionsOfBattle, commandLine);
  const asked = resolveOptions(allOptions, {scope: 'battle', mine: optionsOfBattle, flags, environment});
  const settings = resolveBattle(asked, {payloadFileBytes: null, seed: 7});
  const cells = planCells(settings);
  refuseImpossible(cells, {}, settings.values);
  return cells;
}

/** @param {ReturnType<typeof plan>} cells */
function namesOf(cells) {
  return cells.map(({labels}) => labels.facilitator);
}

test('programs are added to the transports that a person names, under their own names, in the order given', () => {
  const words = ['--transport', 'tcp', '--payload', '1kb'];
  const both = ['--external', 'Go=./a server,./a client', '--external', 'C++ (epoll)=b,c'];
  const cells = plan([...words, ...both]);
  assert.deepEqual(namesOf(cells), ['TCP', 'Go', 'C++ (epoll)']);
  const {external} = /** @type {Record<string, unknown>} */ (cells[1].variant);
  assert.deepEqual(external, {name: 'Go', server: './a server', client: './a client'});
  assert.deepEqual(cells[1].labels.settings, []);
  assert.deepEqual(namesOf(plan(words, {PB_EXTERNAL: 'Go=./a server,./a client; C=b,c'})), [
    'TCP',
    'Go',
    'C',
  ]);
});

test('programs are added to the default transports', () => {
  assert.deepEqual(
    new Set(namesOf(plan(['--external', 'Go=a,b', '--payload', '1kb']))).has('RabbitMQ'),
    true,
  );
  assert.deepEqual(namesOf(plan(['--external', 'Go=a,b', '--payload', '1kb'])).at(-1), 'Go');
});

for (const [text, why] of [
  ['Go', 'no commands'],
  ['Go=a', 'one command'],
  ['Go=a,b,c', 'three commands'],
  ['=a,b', 'no name'],
  ['a|b=a,b', 'a name that would end a cell of a table'],
  [`${'x'.repeat(41)}=a,b`, 'a long name'],
  ['Go= ,b', 'an empty command'],
])
  test(`${text.slice(0, 20)} is refused: ${why}`, () => {
    assert.throws(() => plan(['--external', text]), /--external must be .*NAME=SERVER,CLIENT/);
  });

test('two pairs with one name are refused: their rows could not be told apart', () => {
  const twice = ['--external', 'Go=a,b', '--external', 'Go=c,d'];
  assert.throws(() => plan(twice), /--external has two pairs named "Go"/);
  const inOtherCase = ['--external', 'Go=a,b', '--external', 'gO=c,d'];
  assert.throws(() => plan(inOtherCase), /--external has two pairs named "gO"/);
});

for (const name of [
  ...['TCP', 'tcp', 'HTTP', 'http (express)', 'HTTP (node:http)', 'Web Sockets', 'web  sockets', 'websocket'],
  ...['RabbitMQ', 'RABBITMQ MODE 2', 'NATS', 'UDP', 'POSIX queues', 'shared memory', 'External'],
])
  test(`the name ${name} is refused: rows of a transport have it`, () => {
    assert.throws(() => plan(['--external', `${name}=a,b`]), {
      code: 'PB_USAGE',
      message: /--external has a pair named ".*", which is the name of rows of perf-battle's own transports/,
    });
  });

/** @param {ReturnType<typeof plan>} cells */
const programsIn = (cells) =>
  cells
    .filter(({transport}) => transport === 'external')
    .map(({variant, labels}) => {
      const {external, deliveryMode} = /** @type {Record<string, any>} */ (variant);
      return [external.name, external.broker, deliveryMode, labels.qualifier, labels.persistent];
    });
const small = ['--transport', 'tcp', '--payload', '1kb'];

test('a kind of broker is that of all pairs, and RabbitMQ makes a row for each delivery mode', () => {
  const cells = plan([...small, '--external', 'Go=a,b', '--external', 'C=c,d', '--broker-kind', 'rabbitmq']);
  assert.deepEqual(programsIn(cells), [
    ['Go', 'rabbitmq', 1, 'mode 1', 'No'],
    ['Go', 'rabbitmq', 2, 'mode 2', 'Yes'],
    ['C', 'rabbitmq', 1, 'mode 1', 'No'],
    ['C', 'rabbitmq', 2, 'mode 2', 'Yes'],
  ]);
});

test('each pair may have a kind of its own, or none', () => {
  const pairs = ['--external', 'Go=a,b', '--external', 'C=c,d', '--external', 'Rust=e,f'];
  const cells = plan([
    ...small,
    ...pairs,
    '--broker-kind',
    'nats, rust=rabbitmq,Go=none',
    '--delivery-mode',
    '2',
  ]);
  assert.deepEqual(programsIn(cells), [
    ['Go', undefined, undefined, null, '*N/A*'],
    ['C', 'nats', undefined, null, '*N/A*'],
    ['Rust', 'rabbitmq', 2, 'mode 2', 'Yes'],
  ]);
});

test('a kind for a pair that is not there is refused, and a kind that does not exist', () => {
  const words = [...small, '--external', 'Go=a,b', '--broker-kind'];
  assert.throws(() => plan([...words, 'Rust=rabbitmq']), {
    code: 'PB_USAGE',
    message:
      /--broker-kind has a kind for "Rust", which no pair of --external is called\. The pairs are: "Go"\.$/,
  });
  assert.throws(
    () => plan([...words, 'pulsar']),
    /--broker-kind must be .*none, rabbitmq, nats, redis, mosquitto, kafka or artemis, or NAME=KIND for one pair/,
  );
});

test('two kinds for the same pairs are refused', () => {
  const words = [...small, '--external', 'Go=a,b', '--broker-kind'];
  for (const [kinds, message] of /** @type {[string, RegExp][]} */ ([
    ['mosquitto,kafka', /--broker-kind has two kinds for all pairs: mosquitto and kafka\. /],
    ['Go=nats,go=redis', /--broker-kind has two kinds for "Go": nats and redis\. /],
  ]))
    assert.throws(() => plan([...words, kinds]), {code: 'PB_USAGE', message});
  assert.deepEqual(programsIn(plan([...words, 'kafka,Go=nats,kafka'])), [
    ['Go', 'nats', undefined, null, '*N/A*'],
  ]);
});

test('a name that only begins as that of a transport is allowed', () => {
  for (const name of ['TCP in C', 'My HTTP', 'RabbitMQ (amqp091-go)']) plan(['--external', `${name}=a,b`]);
});

test('the transport alone needs programs', () => {
  assert.throws(() => plan(['--transport', 'external']), /--external NAME=SERVER,CLIENT/);
});

for (const words of [
  ['--rate', '100'],
  ['--anatomy', 'on'],
  ['--workload', 'stream', '--rate', '100'],
  ['--find-max-rate', '5ms'],
])
  test(`${words.join(' ')} is refused: the contract does not have it`, () => {
    assert.throws(
      () => plan(['--transport', 'tcp', '--external', 'Go=a,b', ...words]),
      (error) =>
        error instanceof UsageError &&
        /programs know rtt, pipeline, stream, queue, cached, recordset:/.test(error.message),
    );
  });

test('a queue is filled and emptied, also in pairs', () => {
  const words = ['--external', 'Go=a,b', '--workload', 'queue', '--pairwise', 'off,on'];
  assert.match(JSON.stringify(plan(words)), /"transport":"external".*"pairwise":true/);
});

test('a cache of the programs is part of the contract, that of perf-battle is not theirs', () => {
  const words = ['--external', 'Go=a,b', '--workload', 'cached', '--payload', '1kb', '--hit-ratio', '0.5,1'];
  const planned = JSON.stringify(plan([...words, '--transport', 'tcp', '--cache-in', 'memory,lmdb']));
  assert.equal(planned.match(/"transport":"tcp"/g)?.length, 4);
  assert.equal(planned.match(/"transport":"external"/g)?.length, 2);
});

test('rows are part of the contract; how they are delivered, and from where, is a matter of the programs', () => {
  const words = ['--external', 'Go=a,b', '--workload', 'recordset', '--rows', '8', '--window', '1,16'];
  const delivered = ['--delivery', 'streamed,preloaded', '--rows-from', 'memory,sqlite'];
  const cells = plan([...words, ...delivered, '--transport', 'tcp']);
  const ofPrograms = cells.filter(({transport}) => transport === 'external');
  assert.equal(cells.length - ofPrograms.length, 8);
  assert.deepEqual(
    ofPrograms.map(({labels}) => labels.settings),
    [
      ['window 1', '8 rows'],
      ['window 16', '8 rows'],
    ],
  );
});

test('one-way messages and replies with each byte plus one are part of the contract', () => {
  const words = ['--external', 'Go=a,b', '--workload', 'rtt,pipeline,stream'];
  const planned = JSON.stringify(plan([...words, '--closing-call', 'on', '--reply', 'increment']));
  for (const part of ['"answer":"increment"', '"closingCall":true']) assert.ok(planned.includes(part), part);
});

test('a payload file is refused: the contract has a size and a seed', () => {
  const words = ['--transport', 'tcp', '--payload-file', 'order.json'];
  assert.throws(() => plan([...words, '--external', 'Go=a,b']), {
    code: 'PB_USAGE',
    message: /^--payload-file order\.json does not reach the programs of --external\b/,
  });
  plan(words);
});
