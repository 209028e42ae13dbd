import assert from 'node:assert/strict';
import {test} from 'node:test';
import {refuseImpossible} from '../../src/battle/refuse-impossible.js';

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
