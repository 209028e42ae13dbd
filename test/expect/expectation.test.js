import assert from 'node:assert/strict';
import {describe, it, test} from 'node:test';
import {UsageError} from '../../src/errors.js';
import {parseExpectation, refuseUnanswerable} from '../../src/expect/expectation.js';

/** @param {Record<string, any>} [fields] @returns {any} */
function cell({labels = {}, variant = {}, ...fields} = {}) {
  return {
    transport: 'rabbitmq',
    workload: 'rtt',
    payloadBytes: 1024,
    variant: {deliveryMode: 1, ...variant},
    labels: {facilitator: 'RabbitMQ', qualifier: 'mode 1', settings: [], ...labels},
    ...fields,
  };
}

describe('an expectation', () => {
  it('has words that choose cells, and a bound', () => {
    const {bounds, appliesTo} = parseExpectation('rabbitmq 1kb p99 < 5ms');
    assert.deepEqual(bounds, [{figure: 'p99', operator: '<', limit: 5, limitText: '5ms'}]);
    assert.ok(appliesTo(cell()));
    assert.ok(!appliesTo(cell({transport: 'http'})));
    assert.ok(!appliesTo(cell({payloadBytes: 2048})));
  });

  it('of a rate needs no name for it, and may have a second bound', () => {
    const {bounds} = parseExpectation('http >= 2000/s at p99 < 10ms');
    assert.deepEqual(bounds, [
      {figure: 'rate', operator: '>=', limit: 2000, limitText: '2000/s'},
      {figure: 'p99', operator: '<', limit: 10, limitText: '10ms'},
    ]);
  });

  for (const [text, limit] of /** @type {const} */ ([
    ['p50 < 800us', 0.8],
    ['p50<800µs', 0.8],
    ['p50 <= 1.5s', 1500],
    ['p50 < 5 ms', 5],
    ['P50 < 5MS', 5],
    ['rate > 2000 /s', 2000],
    ['p99.9 < 500us', 0.5],
    ['max < 1s and mean < 2ms', 1000],
  ])) {
    it(`reads the limit of ${text}`, () => {
      assert.equal(parseExpectation(text).bounds[0].limit, limit);
    });
  }

  it('keeps its text', () => {
    assert.equal(parseExpectation('p99 < 5 ms').text, 'p99 < 5 ms');
  });

  it('without a transport applies to all but the floor', () => {
    const {appliesTo} = parseExpectation('p99 < 5ms');
    assert.ok(appliesTo(cell()));
    assert.ok(!appliesTo(cell({transport: 'tcp'})));
    assert.ok(parseExpectation('tcp p99 < 5ms').appliesTo(cell({transport: 'tcp'})));
  });

  it('chooses by workload, by setting and by the name in the table', () => {
    const stream = cell({workload: 'stream'});
    assert.ok(parseExpectation('rabbitmq stream >= 10/s').appliesTo(stream));
    assert.ok(!parseExpectation('rabbitmq stream >= 10/s').appliesTo(cell()));
    assert.ok(parseExpectation('delivery-mode=1 p99 < 5ms').appliesTo(cell()));
    assert.ok(!parseExpectation('delivery-mode=2 p99 < 5ms').appliesTo(cell()));
    const named = cell({labels: {facilitator: 'HTTP (node:http)', qualifier: null, settings: ['TLS']}});
    for (const name of ['"HTTP (node:http)"', '"http (node:http)"', '"HTTP (node:http) (TLS)"'])
      assert.ok(parseExpectation(`${name} 1kb p99 < 5ms`).appliesTo(named), name);
    assert.ok(!parseExpectation('"HTTP" p99 < 5ms').appliesTo(named));
  });
});

for (const [text, message] of /** @type {[string, RegExp][]} */ ([
  ['', /no comparison/],
  ['rabbitmq p99', /no comparison/],
  ['rabbitmq p99 <', /After < a limit is missing/],
  ['rabbitmq < 5ms', /the name of a figure is missing: mean, p50/],
  ['rabitmq p99 < 5ms', /"rabitmq" is no transport, .* Did you mean rabbitmq\?/],
  ['p98 < 5ms', /"p98" is no transport, .* or figure\. Did you mean p9/],
  ['p99 < 5', /The limit of p99 is a time with its unit, .* it is "5"/],
  ['p99 < 5/s', /The limit of p99 is a time/],
  ['rate > 5ms', /The limit of a rate is a number per second/],
  ['p99 < 0ms', /The limit of p99 must be more than 0; it is "0ms"/],
  ['p99 < 5ms or mean < 1ms', /After 5ms there is "or"/],
  ['p99 < 5ms at', /After "at" a bound is missing/],
  ['p99 < 5ms at 2000/s', /After 2000\/s|comparison/],
  ['http tcp p99 < 5ms', /two values for the transport/],
  ['1xb p99 < 5ms', /"1xb" is not a number of bytes/],
  ['delivery-mode=3 p99 < 5ms', /delivery-mode must be .*; it is "3"/],
  ['deliverymode=3 p99 < 5ms', /"deliverymode" is no setting .* Did you mean delivery-mode\?/],
  ['"HTTP p99 < 5ms', /quotation mark is not closed/],
  ['p99 < 5ms\n', /one line/],
])) {
  test(`the expectation ${JSON.stringify(text)} is refused with a reason`, () => {
    assert.throws(
      () => parseExpectation(text),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  });
}

describe('an expectation of a battle', () => {
  const stream = cell({workload: 'stream', variant: {rate: null}});
  const paced = cell({workload: 'stream', variant: {rate: 100}});

  it('is refused if it chooses no cell', () => {
    assert.throws(() => refuseUnanswerable(['http p99 < 5ms'], [cell()]), {
      message: /^The expectation "http p99 < 5ms" chooses no cell of this battle\. perf-battle --dry-run/,
    });
    assert.throws(() => refuseUnanswerable(['http p99 < 5ms'], [cell({transport: 'by-url'})]), {
      message: /of this battle\. The cells of --url have the name by-url\./,
    });
  });

  it('is refused if none of its cells has the figure', () => {
    assert.throws(() => refuseUnanswerable(['rabbitmq >= 10/s at p99 < 5ms'], [stream]), {
      message:
        'The expectation "rabbitmq >= 10/s at p99 < 5ms" cannot be judged: without --rate the workload stream has no p99.',
    });
    refuseUnanswerable(['rabbitmq >= 10/s'], [stream]);
    refuseUnanswerable(['rabbitmq p99 < 5ms'], [stream, paced]);
  });
});
