import assert from 'node:assert/strict';
import {cp, writeFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {checks, checkTransport} from '../../../src/conformance/check-transport.js';
import {conformance} from '../../../src/conformance/index.js';
import http from '../../../src/transports/http/index.js';
import {transports} from '../../../src/transports/index.js';
import {sharedBroker} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {faultyTransport, left} from './faulty-transport.js';

/** @import {Fault} from './faulty-transport.js' */

const example = fileURLToPath(new URL('../../../examples/transports/lines', import.meta.url));

// A server that a person names is none of ours.
for (const transport of transports)
  if (!transport.runsPrograms && !transport.serverOf && transport.broker === null) conformance(transport);
for (const tls of [false, true]) conformance(http, {serverLibrary: 'fastify', tls});

/** @type {[Fault, string, RegExp][]} */
const faults = [
  ['garbling', 'a reply has the bytes', /request of 1024 bytes differs from byte 500 on/],
  ['swapping', 'each request in flight', /The reply to request \d+ differs from byte 3 on/],
  ['reversing', 'the parts of a reply', /The parts of the reply differs from byte 0 on/],
  ['losing', 'arrives once', /the server has 999 of 1000 messages/],
  ['repeating', 'arrives once', /Message 76 arrived 2 times/],
  ['unbounded', 'is held back', /never returned false/],
  ['mixing', 'two clients', /The reply to client \d differs from byte 3 on/],
  ['fragile', 'a client that closes', /for the reply to the other, which did not come/],
  ['silent', 'the end of the server', /for the end of the request, which did not come/],
  ['rude', 'closed twice', /It is closed already/],
  ['doubling', 'reaches each subscriber', /The copy of subscriber 2 has \d+ bytes in place of/],
  ['shortening', 'each request in flight', /The server got a message of 2 bytes, which is shorter than any/],
  ['shortening', 'arrives once', /The server got a message of 2 bytes, which is shorter than any/],
  ['deaf', 'ends the connection', /for closed of the client, which rejects when .*, which did not come/],
  ['dropping', 'a store took', /The store gave 3 of 4 messages/],
  ['stacking', 'a store took', /Message 0 of the store differs from byte 3 on/],
  ['forgetting', 'reaches each subscriber', /the subscribers have 1025, 1025, 1024 of 1025 bytes/],
];

describe('the checks of a transport', {timeout: 300_000, concurrency: 8}, () => {
  for (const [fault, check, message] of faults)
    it(`find one that is ${fault}`, async () => {
      const {name} = checks.find((one) => one.name.includes(check)) ?? {name: check};
      const findings = [];
      for await (const finding of checkTransport(faultyTransport(fault), {}, [name])) findings.push(finding);
      assert.deepEqual(
        findings.map(({outcome}) => outcome),
        ['failed'],
        JSON.stringify(findings),
      );
      assert.match(findings[0].text, message);
    });
});

it('the checks of a transport find one that leaves something open', async () => {
  const {name} = checks.at(-1) ?? {name: ''};
  try {
    for await (const {outcome, text} of checkTransport(faultyTransport('leaving'), {}, [name])) {
      assert.equal(outcome, 'failed');
      assert.match(text, /still open: TCPServerWrap/);
    }
  } finally {
    for (const server of left) server.close();
  }
});

describe('perf-battle check-transport', {timeout: 300_000, concurrency: 2}, () => {
  const broker = sharedBroker();

  for (const name of ['rabbitmq', 'amqp1', 'rabbitmq-stream', 'stomp', 'nats', 'jetstream', 'mqtt', 'kafka'])
    it(
      `finds nothing wrong with ${name}`,
      inAWorkplace(async (workplace) => {
        const words = [
          'check-transport',
          name,
          '--json',
          ...(name === 'rabbitmq' ? [] : ['--broker', 'private']),
        ];
        const {code, stdout, stderr} = await workplace.start('battle', words, broker().environment).ended;
        const {findings} = JSON.parse(stdout);
        assert.equal(code, 0, `${stdout}${stderr}`);
        assert.equal(findings.length, checks.length);
        assert.deepEqual(await workplace.leftovers(), []);
      }),
    );

  it(
    "checks a transport of one's own, and tells what fails",
    inAWorkplace(async (workplace) => {
      await cp(example, workplace.file('lines'), {recursive: true});
      const good = await workplace.start('battle', ['check-transport', './lines']).ended;
      assert.equal(good.code, 0, good.stdout + good.stderr);
      assert.match(good.stdout, /^Lines: file:.*\n {2}holds +a reply has the bytes/);
      assert.match(
        good.stdout,
        /not checked +a message that expects no reply .*: it does not say that it can send/,
      );
      assert.match(good.stdout, /\nAll checks hold\.\n$/);
      const faulty = fileURLToPath(new URL('faulty-transport.js', import.meta.url));
      await writeFile(
        workplace.file('bad.mjs'),
        `import {faultyTransport} from ${JSON.stringify(faulty)};\nexport default faultyTransport('garbling');\n`,
      );
      const bad = await workplace.start('battle', ['check-transport', './bad.mjs']).ended;
      assert.equal(bad.code, 1, bad.stderr);
      assert.match(bad.stdout, /FAILS +a reply has the bytes .* differs from byte 500 on/);
      const none = await workplace.start('battle', ['check-transport']).ended;
      assert.equal(none.code, 2);
      const programs = await workplace.start('battle', ['check-transport', 'external']).ended;
      assert.equal(programs.code, 2);
      assert.match(programs.stderr, /check-adapter checks those/);
    }),
  );

  it(
    'takes the settings of the transport by flags and variables, and checks each combination',
    inAWorkplace(async (workplace) => {
      await cp(example, workplace.file('lines'), {recursive: true});
      const check = (/** @type {string[]} */ words, settings = {}) =>
        workplace.battle(['check-transport', ...words], settings);
      const lists = await check(['./lines', '--json', '--lines-encoding', 'base64,hex']);
      assert.equal(lists.code, 0, lists.stdout + lists.stderr);
      /** @type {{findings: {transport: string, settings: string}[]}} */
      const {findings} = JSON.parse(lists.stdout);
      assert.deepEqual(
        findings.map(({transport, settings}) => `${transport} ${settings}`),
        ['lines-encoding=base64', 'lines-encoding=hex'].flatMap((one) => checks.map(() => `lines ${one}`)),
      );
      const byVariable = await check(['http'], {PB_HTTP_SERVER: 'node'});
      assert.equal(byVariable.code, 0, byVariable.stdout + byVariable.stderr);
      assert.match(byVariable.stdout, /^HTTP with http-server=node: http\n/);
    }),
  );

  for (const [words, message] of /** @type {[string[], RegExp][]} */ ([
    [['tcp', '--http-server', 'node'], /--http-server is not an option of this command/],
    [['http', '--http-server', 'apache'], /--http-server must be .*; it is "apache"/],
    [
      ['rabbitmq', '--delivery-mode', '1', '--rabbitmq-queue-type', 'quorum'],
      /not supported by quorum queues/,
    ],
    [['rabbitmq', '--rabbitmq-queue', 'mine'], /--rabbitmq-queue is not an option of this command/],
    [
      ['http', '--tls', 'on', '--tls-client-cert-file', '/none.pem'],
      /--tls-client-cert-file .*does not exist/,
    ],
  ]))
    it(
      `refuses ${words.join(' ')}`,
      inAWorkplace(async (workplace) => {
        const {code, stderr} = await workplace.battle(['check-transport', ...words]);
        assert.equal(code, 2, stderr);
        assert.match(stderr, message);
      }),
    );
});
