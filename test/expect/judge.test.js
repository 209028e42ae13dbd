import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {expectationType, recordedExpectationType} from '../../src/expect/expectation.js';
import {exitCodeOfJudgements, judgeExpectations} from '../../src/expect/judge.js';
import {completedRecord} from '../exports/completed-record.js';

const base = completedRecord();

/** @param {Record<string, any>} [fields] @returns {any} */
function record({rtt = {}, ...fields} = {}) {
  return {
    ...base,
    id: 'b-1',
    transport: 'rabbitmq',
    workload: 'rtt',
    payloadBytes: 1024,
    labels: {facilitator: 'RabbitMQ', qualifier: 'mode 1', settings: [], persistent: 'No'},
    rtt: rtt && {
      ...base.rtt,
      ...{
        meanMs: 2,
        ci95Ms: [1.9, 2.1],
        maxMs: 30,
        p50Ms: 1.5,
        p95Ms: 4,
        p99Ms: 4.5,
        p999Ms: null,
        samples: 900,
      },
      ci95: {...base.rtt?.ci95, p50Ms: null, p95Ms: [3.9, 4.1], p99Ms: [4.2, 4.8]},
      ...rtt,
    },
    throughput: {...base.throughput, messagesPerSecond: 500, ci95MessagesPerSecond: [480, 520]},
    openLoop: null,
    verdict: {status: 'valid', warnings: []},
    ...fields,
  };
}

/** @param {string} expectation @param {Record<string, any>} [fields] */
function judgeOne(expectation, fields) {
  const [{outcome, sentence}, ...others] = judgeExpectations([expectation], [record(fields)]);
  assert.deepEqual(others, []);
  return [outcome, sentence];
}

/** @param {...string} codes of warnings @returns {Record<string, any>} */
function suspectFor(...codes) {
  const warnings = codes.map((code) => ({code, message: '', advice: ''}));
  return {verdict: {status: 'suspect', warnings}, placement: {threads: 'main'}};
}

describe('an expectation of a figure that is suspect only for what slows', () => {
  const disturbed = suspectFor('run-delay', 'wide', 'drift');

  it('holds if it does so nevertheless', () => {
    assert.deepEqual(judgeOne('p99 < 5ms', disturbed), [
      'holds',
      'RabbitMQ mode 1, 1kb: p99 is 4.5 ms [4.2, 4.8], expected < 5ms, although the figure is suspect (run-delay, drift)',
    ]);
    assert.equal(judgeOne('rate >= 480/s', disturbed)[0], 'holds');
  });

  it('fails if even the fastest sample is beyond it', () => {
    const fields = {...disturbed, rtt: {minMs: 0.9}};
    assert.deepEqual(judgeOne('p99 < 0.8ms', fields), [
      'fails',
      'RabbitMQ mode 1, 1kb: p99 is 4.5 ms [4.2, 4.8], expected < 0.8ms, and even the fastest sample was slower, although the figure is suspect (run-delay, drift)',
    ]);
    assert.equal(judgeOne('p99 < 1ms', fields)[0], 'cannot tell');
    assert.equal(judgeOne('rate > 600/s', fields)[0], 'cannot tell');
  });

  it('cannot be judged if what is expected is slowness, or something else is wrong, too', () => {
    assert.equal(judgeOne('p99 > 1ms', disturbed)[0], 'cannot tell');
    assert.equal(judgeOne('rate < 900/s', disturbed)[0], 'cannot tell');
    assert.equal(judgeOne('p99 < 5ms', suspectFor('run-delay', 'lost'))[0], 'cannot tell');
    assert.equal(judgeOne('p99 < 5ms', suspectFor('of a later version'))[0], 'cannot tell');
    assert.equal(judgeOne('p50 < 5ms', disturbed)[0], 'cannot tell', 'it has no interval');
  });

  it('needs a margin where the roles may have shared a core, which can make them faster', () => {
    const floating = {...disturbed, placement: null};
    assert.equal(judgeOne('p99 < 5ms', floating)[0], 'cannot tell');
    assert.equal(judgeOne('p99 < 19ms', floating)[0], 'cannot tell');
    assert.equal(judgeOne('p99 < 19.3ms', floating)[0], 'holds');
    assert.equal(judgeOne('rate >= 130/s', floating)[0], 'cannot tell');
    assert.equal(judgeOne('rate >= 120/s', floating)[0], 'holds');
    const openLoop = {offeredPerSecond: 500, achievedPerSecond: 499.8, keepsUp: true};
    assert.equal(judgeOne('rate >= 500/s', {...floating, openLoop})[0], 'holds', 'it cannot be exceeded');
  });
});

describe('an expectation of a record', () => {
  it('holds if the whole interval is within the bound', () => {
    assert.deepEqual(judgeOne('rabbitmq 1kb p99 < 5ms'), [
      'holds',
      'RabbitMQ mode 1, 1kb: p99 is 4.5 ms [4.2, 4.8], expected < 5ms',
    ]);
    assert.equal(judgeOne('p95 < 4.2ms')[0], 'holds');
    assert.equal(judgeOne('rate >= 400/s')[0], 'holds');
    assert.equal(judgeOne('mean <= 2.1ms')[0], 'holds');
  });

  it('fails if the whole interval is beyond it', () => {
    assert.deepEqual(judgeOne('p99 < 4ms'), [
      'fails',
      'RabbitMQ mode 1, 1kb: p99 is 4.5 ms [4.2, 4.8], expected < 4ms',
    ]);
    assert.equal(judgeOne('mean < 1.9ms')[0], 'fails');
    assert.equal(judgeOne('rate > 600/s')[0], 'fails');
  });

  for (const {title, expectation, fields, says} of [
    {
      title: 'if the interval reaches across the bound',
      expectation: 'p99 < 4.5ms',
      says: /p99 is 4\.5 ms \[4\.2, 4\.8\], expected < 4\.5ms, but 4\.5ms is inside the interval; more rounds/,
    },
    {
      title: 'with too few samples',
      expectation: 'p99.9 < 5ms',
      says: /p99\.9 is not known: 900 samples are too few; use a longer --duration/,
    },
    {
      title: 'without an interval',
      expectation: 'p50 < 5ms',
      says: /p50 is 1\.50 ms, expected < 5ms, but it has no interval/,
    },
    {
      title: 'of a mean of a single trial',
      expectation: 'mean < 5ms',
      fields: {rtt: {ci95Ms: null}},
      says: /a single trial has no interval; use more --rounds/,
    },
    {
      title: 'of a suspect cell, although the interval is within the bound',
      expectation: 'p99 < 5ms',
      fields: suspectFor('lost'),
      says: /, but the figure is suspect \(lost\)/,
    },
    {
      title: 'of a cell that failed',
      expectation: 'p99 < 5ms',
      fields: {outcome: 'failed', error: {code: 'PB_RUN', message: 'no'}},
      says: /p99 is not known: the cell failed/,
    },
    {
      title: 'of a time if nothing is answered',
      expectation: 'p99 < 5ms',
      fields: {rtt: null},
      says: /nothing answers its messages/,
    },
  ])
    it(`cannot be judged ${title}`, () => {
      const [outcome, sentence] = judgeOne(expectation, fields);
      assert.equal(outcome, 'cannot tell');
      assert.match(sentence, says);
    });

  it('fails without an interval, or with too few samples, if even the fastest sample is beyond it', () => {
    for (const rtt of [
      {minMs: 31, p99Ms: null, samples: 40},
      {minMs: 31, ci95: null},
    ])
      assert.deepEqual(judgeOne('p99 < 20ms', {rtt}), [
        'fails',
        'RabbitMQ mode 1, 1kb: even the fastest sample took 31.0 ms, expected p99 < 20ms',
      ]);
    assert.equal(judgeOne('p99 < 40ms', {rtt: {minMs: 31, p99Ms: null, samples: 40}})[0], 'cannot tell');
  });

  it('of a wide cell is judged by its interval all the same', () => {
    const fields = {verdict: {status: 'wide', warnings: [{code: 'wide', message: '', advice: ''}]}};
    assert.equal(judgeOne('p99 < 5ms', fields)[0], 'holds');
  });

  it('of the largest value needs no interval', () => {
    assert.deepEqual(judgeOne('max < 20ms'), [
      'fails',
      'RabbitMQ mode 1, 1kb: max is 30.0 ms, expected < 20ms',
    ]);
    assert.equal(judgeOne('max <= 30ms')[0], 'holds');
  });

  it('of a rate that is offered holds if it keeps up', () => {
    const openLoop = {offeredPerSecond: 500, achievedPerSecond: 499.8, keepsUp: true};
    assert.deepEqual(judgeOne('rate >= 500/s', {openLoop}), [
      'holds',
      'RabbitMQ mode 1, 1kb: rate is 500/s (it keeps up with what is offered), expected >= 500/s',
    ]);
    const late = {...openLoop, keepsUp: false};
    assert.equal(judgeOne('rate >= 530/s', {openLoop: late})[0], 'fails');
  });

  it('with two bounds holds if both hold, and says both', () => {
    assert.deepEqual(judgeOne('>= 400/s at p99 < 5ms'), [
      'holds',
      'RabbitMQ mode 1, 1kb: rate is 500/s [480, 520], expected >= 400/s; p99 is 4.5 ms [4.2, 4.8], expected < 5ms',
    ]);
    assert.equal(judgeOne('>= 600/s at p99 < 4.5ms')[0], 'fails');
    assert.equal(judgeOne('>= 400/s at p99 < 4.5ms')[0], 'cannot tell');
  });
});

it('an expectation is judged in each cell that it chooses', () => {
  const other = {...record(), id: 'b-2', payloadBytes: 102_400};
  const judged = judgeExpectations(['p99 < 5ms', '1kb mean < 1ms'], [record(), other]);
  assert.deepEqual(
    judged.map(({cell, outcome}) => [cell, outcome]),
    [
      ['b-1', 'holds'],
      ['b-2', 'holds'],
      ['b-1', 'fails'],
    ],
  );
});

it('a record may be of a transport that is not here, and of no other', () => {
  const guest = {transport: 'lines'};
  assert.equal(judgeOne('lines 1kb p99 < 5ms', guest)[0], 'holds');
  assert.throws(() => judgeOne('linse 1kb p99 < 5ms', guest), {
    name: 'UsageError',
    message: /"linse" is no transport/,
  });
  assert.equal(recordedExpectationType.parse('lines p99 < 5ms'), 'lines p99 < 5ms');
  assert.throws(() => expectationType.parse('lines p99 < 5ms'), {name: 'UsageError'});
});

it('a name of a table may be of a transport or of a record, and of nothing else', () => {
  const guest = {labels: {facilitator: 'My lines', qualifier: null, settings: [], persistent: ''}};
  assert.equal(judgeOne('"my lines" 1kb p99 < 5ms', guest)[0], 'holds');
  assert.equal(judgeOne('"HTTP (node:http)" p99 < 5ms', guest)[0], 'cannot tell');
  assert.throws(() => judgeOne('"Kakfa" p99 < 5ms', guest), {
    name: 'UsageError',
    message: /^"Kakfa" is no name of a table\. Did you mean kafka\?$/,
  });
});

it('an expectation of a cell that there is not cannot be judged', () => {
  assert.deepEqual(judgeExpectations(['http p99 < 5ms'], [record()]), [
    {
      expectation: 'http p99 < 5ms',
      cell: null,
      outcome: 'cannot tell',
      sentence: 'http p99 < 5ms: there is no such cell',
    },
  ]);
});

it('a failure decides the exit code, then what cannot be judged', () => {
  const of = (/** @type {any[]} */ ...outcomes) =>
    exitCodeOfJudgements(outcomes.map((outcome) => /** @type {any} */ ({outcome})));
  assert.deepEqual(
    [of(), of('holds'), of('holds', 'cannot tell'), of('cannot tell', 'fails', 'holds')],
    [0, 0, 5, 4],
  );
});
