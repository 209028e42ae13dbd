import assert from 'node:assert/strict';
import {test} from 'node:test';
import {describeLeftOut, planCells} from '../../src/battle/plan.js';
import {nameOfVariant} from '../../src/columns/names.js';
import {UsageError} from '../../src/errors.js';
import {resolveOptions} from '../../src/options/resolve.js';
import {allOptions, optionsOfBattle} from '../../src/settings/index.js';

/** @import {Variant} from '../../src/settings/types.js' */

/** @param {Record<string, string[]>} [flags] */
const settingsOf = (flags = {}) =>
  resolveOptions(allOptions, {scope: 'battle', mine: optionsOfBattle, flags});
const plan = (flags = {}) => planCells(settingsOf(flags));

/** @param {Variant | undefined} variant @returns {Partial<Variant<'rabbitmq'>>} */
function ofRabbitmq(variant) {
  return variant ?? {};
}

test('the whole battle is the floor, HTTP with two servers, WebSocket and RabbitMQ in both modes at four sizes', () => {
  const cells = plan();
  assert.equal(cells.length, 24);
  const ofOneSize = cells.filter(({payloadBytes}) => payloadBytes === 1024);
  assert.deepEqual(
    ofOneSize.map(({labels}) => nameOfVariant(labels)),
    ['TCP', 'HTTP (Express)', 'HTTP (node:http)', 'Web Sockets', 'RabbitMQ mode 1', 'RabbitMQ mode 2'],
  );
  assert.deepEqual(
    cells.map(({number}) => number),
    Array.from({length: 24}, (_, index) => index + 1),
  );
});

test('the floor runs also when other transports are asked for', () => {
  const transports = plan({transport: ['rabbitmq'], payload: ['1kb']}).map(({transport}) => transport);
  assert.deepEqual(transports, ['tcp', 'rabbitmq', 'rabbitmq']);
});

test('each setting with several values makes variants, and a row names what is not the default', () => {
  const cells = plan({
    transport: ['rabbitmq'],
    payload: ['1kb'],
    'delivery-mode': ['2'],
    'rabbitmq-confirms': ['off,on'],
    'rabbitmq-ack': ['manual'],
  });
  const rabbit = cells.filter(({transport}) => transport === 'rabbitmq').map(({labels}) => labels);
  assert.deepEqual(
    rabbit.map(({settings}) => settings),
    [['manual ack'], ['confirms']],
  );
  assert.deepEqual([rabbit[0].qualifier, rabbit[0].persistent], ['mode 2', 'Yes']);
});

test('values that make no difference to a row make no rows of their own', () => {
  const rows = (/** @type {Record<string, string[]>} */ flags) =>
    plan({payload: ['1kb'], 'delivery-mode': ['1'], ...flags})
      .filter(({transport}) => transport !== 'tcp')
      .map(({labels, workload}) => `${workload} ${nameOfVariant(labels)}`);
  assert.deepEqual(rows({transport: ['udp'], 'tcp-no-delay': ['on,off']}), ['rtt UDP']);
  assert.deepEqual(
    rows({transport: ['rabbitmq'], 'rabbitmq-prefetch': ['5,10'], 'rabbitmq-ack': ['auto,manual']}),
    [
      'rtt RabbitMQ mode 1',
      'rtt RabbitMQ mode 1 (prefetch 5, manual ack)',
      'rtt RabbitMQ mode 1 (prefetch 10, manual ack)',
    ],
  );
  assert.deepEqual(
    rows({transport: ['rabbitmq'], workload: ['stream,rtt'], 'rabbitmq-reply': ['direct,queue']}),
    ['stream RabbitMQ mode 1', 'rtt RabbitMQ mode 1 (direct reply-to)', 'rtt RabbitMQ mode 1'],
  );
  assert.deepEqual(rows({transport: ['udp'], workload: ['stream,rtt'], 'udp-batch': ['off,on']}), [
    ...['stream UDP (no batching)', 'stream UDP', 'rtt UDP'],
  ]);
});

test('a row of HTTP names the library of its server, and that of its client when it is not the default', () => {
  const names = (/** @type {Record<string, string[]>} */ flags) =>
    plan({transport: ['http'], payload: ['1kb'], ...flags}).map(({labels}) => nameOfVariant(labels));
  assert.deepEqual(names({'http-server': ['express', 'fastify']}), [
    ...['TCP', 'HTTP (Express)', 'HTTP (Fastify)'],
  ]);
  assert.deepEqual(names({'http-server': ['node'], 'http-client': ['undici', 'node', 'fetch']}), [
    ...['TCP', 'HTTP (node:http)', 'HTTP (node:http, node:http client)', 'HTTP (node:http, fetch client)'],
  ]);
  assert.deepEqual(names({'http-etag': ['on']}), ['TCP', 'HTTP (Express, ETag)']);
});

test('publisher confirms bring manual acknowledgement unless another is asked for', () => {
  const variantsOf = (/** @type {Record<string, string[]>} */ flags) =>
    ofRabbitmq(
      plan({transport: ['rabbitmq'], payload: ['1kb'], 'delivery-mode': ['1'], ...flags}).at(-1)?.variant,
    );
  assert.equal(variantsOf({'rabbitmq-confirms': ['on']}).acknowledgement, 'manual');
  assert.equal(variantsOf({'rabbitmq-confirms': ['on'], 'rabbitmq-ack': ['auto']}).acknowledgement, 'auto');
  assert.equal(variantsOf({}).acknowledgement, 'auto');
});

test('transactions take the place of publisher confirms, so both lists make three variants', () => {
  const cells = plan({
    ...{transport: ['rabbitmq'], payload: ['1kb'], 'delivery-mode': ['2']},
    ...{'rabbitmq-confirms': ['off,on'], 'rabbitmq-tx': ['off,on']},
  }).slice(1);
  assert.deepEqual(
    cells.map(({variant, labels}) => [ofRabbitmq(variant).acknowledgement, labels.settings]),
    [
      ['auto', []],
      ['manual', ['transactions']],
      ['manual', ['confirms']],
    ],
  );
  assert.ok(!('transactions' in (cells[0].variant ?? {})), 'as in the records of versions without them');
});

test('mode 1 on a quorum queue is refused when asked for and left out when it comes from the default', () => {
  const quorum = {transport: ['rabbitmq'], payload: ['1kb'], 'rabbitmq-queue-type': ['quorum']};
  assert.throws(() => plan({...quorum, 'delivery-mode': ['1']}), UsageError);
  assert.throws(() => plan({...quorum, 'delivery-mode': ['1,2']}), /quorum queue/);
  const modes = plan(quorum).flatMap(({variant}) => ofRabbitmq(variant).deliveryMode ?? []);
  assert.deepEqual(modes, [2]);
});

test('the nodes of a cluster are a setting of RabbitMQ alone, and a row names them', () => {
  const cells = plan({payload: ['1kb'], 'rabbitmq-queue-type': ['quorum'], 'broker-nodes': ['3']});
  for (const {transport, variant} of cells)
    assert.equal(variant.brokerNodes, transport === 'rabbitmq' ? 3 : undefined);
  assert.deepEqual(cells.at(-1)?.labels.settings, ['quorum', '3 nodes']);
  assert.ok(plan({payload: ['1kb']}).every(({variant}) => !('brokerNodes' in variant)));
});

test('a workload that not all transports can do is planned for those that can, and refused by name when another was asked for', () => {
  const transports = plan({workload: ['queue'], payload: ['1kb']}).map(({transport}) => transport);
  assert.deepEqual([...new Set(transports)], ['rabbitmq']);
  assert.throws(() => plan({workload: ['queue'], transport: ['http']}), {
    code: 'PB_USAGE',
    message: '--workload queue is not supported by --transport http, which cannot store.',
  });
});

test('what a transport of a whole group does not support is left out and named, unless none of them supports it', () => {
  const group = {workload: ['rtt,stream'], transport: ['http-family'], payload: ['1kb']};
  const streaming = plan(group).flatMap(({workload, transport}) => (workload === 'stream' ? transport : []));
  assert.ok(streaming.includes('grpc') && !streaming.includes('sse'), streaming.join());
  assert.deepEqual(describeLeftOut(settingsOf(group)), [
    'Without --workload stream, which they do not support: sse.',
  ]);
  assert.deepEqual(describeLeftOut(settingsOf({workload: ['queue']})), [], 'of the default transports');
  const none = {...group, workload: ['queue']};
  assert.throws(
    () => plan(none),
    /--workload queue is not supported by --transport http, which cannot store/,
  );
  const named = {...group, transport: ['sse,http']};
  assert.throws(
    () => plan(named),
    /--workload stream is not supported by --transport sse, which cannot send/,
  );
});

test('each workload has its own settings, and a row names those that it varies', () => {
  const labels = (/** @type {Record<string, string[]>} */ flags) =>
    plan({transport: ['websocket'], payload: ['1kb'], ...flags})
      .filter(({transport}) => transport === 'websocket')
      .map(({labels: {settings}}) => settings.join(', '));
  assert.deepEqual(labels({}), ['']);
  assert.deepEqual(labels({workload: ['pipeline']}), ['window 1', 'window 16', 'window 256']);
  assert.deepEqual(labels({workload: ['pipeline'], window: ['8']}), ['window 8']);
  assert.deepEqual(labels({rate: ['100,200'], arrivals: ['poisson']}), ['100/s, poisson', '200/s, poisson']);
  assert.deepEqual(labels({clients: ['1,5']}), ['', '5 clients']);
  assert.deepEqual(labels({'find-max-rate': ['5ms'], workload: ['max-rate']}), ['p99 within 5 ms']);
  assert.deepEqual(labels({tls: ['off,on']}), ['', 'TLS']);
});

test('without a rate there are no arrivals, so that asking for both makes no two cells that are the same', () => {
  const cells = plan({transport: ['tcp'], payload: ['1kb'], arrivals: ['constant,poisson']});
  assert.equal(cells.length, 1);
  assert.equal('arrivals' in cells[0].variant, false);
});

test('a record set has a cell for each number of rows, whatever payload sizes are asked for', () => {
  const cells = plan({
    workload: ['recordset'],
    transport: ['tcp'],
    rows: ['8,504'],
    window: ['1'],
    delivery: ['streamed'],
  });
  assert.deepEqual(
    cells.map(({payloadBytes, variant}) => [variant.rows, payloadBytes]),
    [
      [8, 8389],
      [504, 106_955],
    ],
  );
});

test('the floor of a cell has the same settings', () => {
  const cells = plan({workload: ['pipeline'], transport: ['http'], payload: ['1kb'], window: ['1,16']});
  const floors = cells.filter(({transport}) => transport === 'tcp').map(({variant}) => variant.window);
  assert.deepEqual(floors, [1, 16]);
});
