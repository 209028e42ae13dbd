import assert from 'node:assert/strict';
import {availableParallelism} from 'node:os';
import {describe, it, test} from 'node:test';
import {pairsAtOnce, refuseImpossible, warmUpsAtOnce} from '../../src/battle/limits.js';

/** @param {Record<string, any>} changes */
const cell = ({variant = {}, ...changes}) =>
  /** @type {any} */ ({
    transport: 'websocket',
    workload: 'pipeline',
    payloadBytes: 1024,
    variant: {clients: 1, servers: 1, window: 16, ...variant},
    ...changes,
  });

test('a transport within one host is refused where client and server are apart', () => {
  const cells = [cell({transport: 'posix-mq', workload: 'rtt', variant: {window: 1}})];
  refuseImpossible(cells, {}, {clientOn: ['alpha'], serverOn: ['alpha']});
  refuseImpossible(cells, {}, {clientOn: null, serverOn: null});
  assert.throws(() => refuseImpossible(cells, {}, {clientOn: null, serverOn: ['beta']}), {
    code: 'PB_USAGE',
    message: '--transport posix-mq needs clients and servers on one host; they would run on this host, beta.',
  });
  refuseImpossible([cell({})], {}, {clientOn: ['alpha'], serverOn: ['beta']});
});

test('a thread that answers in the client takes the place of one server, for workloads that need nothing but answers', () => {
  const threadCell = (/** @type {object} */ variant, workload = 'rtt') =>
    refuseImpossible([cell({transport: 'worker', workload, variant})]);
  threadCell({window: 1, answer: 'increment', clients: 3});
  /** @type {[object, string, RegExp][]} */
  const refused = [
    [
      {},
      'recordset',
      /--workload recordset needs a server of perf-battle, and --transport worker has another one/,
    ],
    [
      {answer: 'echo', anatomy: true},
      'rtt',
      /--anatomy needs a server .* The server of --transport worker does not/,
    ],
    [
      {answer: 'echo', servers: 2, clients: 2},
      'rtt',
      /--transport worker supports at most 1 server; --servers is 2/,
    ],
  ];
  for (const [variant, workload, message] of refused)
    assert.throws(() => threadCell(variant, workload), {code: 'PB_USAGE', message});
});

test('servers on one host do not share a port', () => {
  const cells = [cell({variant: {servers: 2}})];
  const hosts = {clientOn: null, serverOn: null};
  refuseImpossible(cells, {}, {...hosts, serverPort: 0});
  refuseImpossible(cells, {}, {clientOn: null, serverOn: ['alpha', 'beta'], serverPort: 4000});
  refuseImpossible([cell({})], {}, {...hosts, serverPort: 4000});
  refuseImpossible([cell({transport: 'rabbitmq', variant: {servers: 2}})], {}, {...hosts, serverPort: 4000});
  assert.throws(() => refuseImpossible(cells, {}, {...hosts, serverPort: 4000}), {
    code: 'PB_USAGE',
    message: /--server-port 4000 is one port, and --servers 2 would use it on one host/,
  });
});

/** @type {[string, any, number, RegExp | null, number?][]} */
const cases = [
  ['an ordinary cell', cell({}), 1024, null],
  ['as many processes as there may be files', cell({variant: {clients: 300, servers: 28}}), 1024, null],
  [
    'one more',
    cell({variant: {clients: 300, servers: 29}}),
    1024,
    /--clients 300 and --servers 29 need 1027 open files .* the limit is 1024/,
  ],
  [
    'a window of connections over HTTP',
    cell({transport: 'http', variant: {window: 1000}}),
    1024,
    /--window 1000 over http with 1 client needs 1040 open files/,
  ],
  ['the same over one connection', cell({variant: {window: 1000}}), 1024, null],
  [
    'a window of connections over HTTP on a Unix socket',
    cell({transport: 'unix', variant: {window: 1000, unixProtocol: 'http'}}),
    1024,
    /--window 1000 over unix with 1 client needs 1040 open files/,
  ],
  [
    'the same over one Unix socket',
    cell({transport: 'unix', variant: {window: 1000, unixProtocol: 'raw'}}),
    1024,
    null,
  ],
  [
    'many clients that share a server over HTTP',
    cell({transport: 'http', variant: {window: 500, clients: 4}}),
    1024,
    /with 4 clients needs 2040/,
  ],
  [
    'payloads in flight that fill a gigabyte',
    cell({payloadBytes: 1024 ** 2, variant: {window: 1024}}),
    20_000,
    null,
  ],
  [
    'and more',
    cell({payloadBytes: 1024 ** 2, variant: {window: 1025}}),
    20_000,
    /--window 1025 .* in flight; at most/,
  ],
  [
    'what would be as many payloads, were the requests not for rows,',
    cell({workload: 'recordset', payloadBytes: 1024 ** 2, variant: {window: 1025}}),
    20_000,
    null,
  ],
  [
    'what fits into the memory that is available',
    cell({payloadBytes: 1000 * 1024, variant: {window: 1000}}),
    1024,
    null,
    4 * 1024 ** 3,
  ],
  [
    'what does not',
    cell({payloadBytes: 1000 * 1024, variant: {window: 1000}}),
    1024,
    /^--window 1000 with a payload of 1000kb would hold .* in flight, which takes about .* of memory; .* are available\. Use a smaller window/,
    3 * 1024 ** 3,
  ],
  ['a little, where hardly any is available', cell({}), 1024, null, 1000],
  ['a search with one client', cell({workload: 'max-rate', variant: {maxP99Ms: 10}}), 1024, null],
  [
    'one with two',
    cell({workload: 'max-rate', variant: {maxP99Ms: 10, clients: 2}}),
    1024,
    /^--find-max-rate uses one client; --clients must be 1\.$/,
  ],
];

for (const [name, one, openFiles, message, availableBytes = null] of cases) {
  test(`${name} is ${message ? 'refused' : 'let through'}`, () => {
    if (message)
      assert.throws(() => refuseImpossible([one], {openFiles, availableBytes}), {code: 'PB_USAGE', message});
    else refuseImpossible([one], {openFiles, availableBytes});
  });
}

const gibibyte = 1024 ** 3;
const here = {isRemote: false, report: null};
const small = {isRemote: true, report: {fingerprint: {memoryBytes: gibibyte}}};
const unknown = {isRemote: true, report: {fingerprint: {}}};

/** @param {any[]} clients @param {any[]} servers @param {{openFiles?: number | null, availableBytes?: number}} host @param {{clients?: number}} [variant] */
function room(clients, servers, host, variant = {}) {
  return pairsAtOnce(
    /** @type {any} */ ({clients, servers}),
    [{variant: /** @type {any} */ (variant)}],
    host,
  );
}

describe('the room for pairs side by side', () => {
  it('follows from the memory of the smallest host', () => {
    const large = {openFiles: null, availableBytes: 16 * gibibyte};
    assert.equal(room([here], [here], large), 25);
    assert.equal(room([here], [here], {...large, availableBytes: gibibyte}), 1);
    assert.equal(room([here], [small], large), 3);
    assert.equal(room([small], [small], large), 1);
    assert.equal(room([here], [unknown], large), 51);
    assert.equal(room([here], [here], large, {clients: 4}), 10);
  });

  it('follows from the files that this process may have open, for its own roles', () => {
    const host = {openFiles: 64, availableBytes: 64 * gibibyte};
    assert.equal(room([here], [here], host), 4);
    assert.equal(room([here], [here], {...host, openFiles: 41}), 1);
    assert.equal(room([unknown], [unknown], {...host, openFiles: 41}), Number.POSITIVE_INFINITY);
  });
});

describe('the room for warm-ups side by side', () => {
  /** @param {number} cores */
  const hostOf = (cores) => /** @type {any} */ ({isRemote: true, report: {fingerprint: {cores}}});
  const variants = (/** @type {object[]} */ ...list) =>
    /** @type {any} */ (list.map((variant) => ({variant})));

  it('is a core for each pair, of the host that has fewest', () => {
    assert.equal(warmUpsAtOnce({all: [hostOf(8)]}, variants({})), 8);
    assert.equal(warmUpsAtOnce({all: [hostOf(8), hostOf(3)]}, variants({})), 3);
    assert.equal(warmUpsAtOnce({all: [/** @type {any} */ (here)]}, variants({})), availableParallelism());
  });

  it('is smaller where several clients and servers of a pair work at once, and never none', () => {
    assert.equal(warmUpsAtOnce({all: [hostOf(8)]}, variants({}, {clients: 4, servers: 1})), 2);
    assert.equal(warmUpsAtOnce({all: [hostOf(2)]}, variants({clients: 16, servers: 16})), 1);
    assert.equal(warmUpsAtOnce({all: [/** @type {any} */ (unknown)]}, variants({})), 1);
  });
});
