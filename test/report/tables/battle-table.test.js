import assert from 'node:assert/strict';
import {describe, it, test} from 'node:test';
import fc from 'fast-check';
import {printTable} from '../../../src/report/tables/battle-table.js';
import {warnings} from '../../../src/verdict/warnings.js';
import {completedRecord} from '../../exports/completed-record.js';

/** @import {CellRecord, CompletedRecord} from '../../../src/results/record-schema.js' */

const valid = {status: 'valid', warnings: []};
const suspect = {status: 'suspect', warnings: []};

/** @param {number} messagesPerSecond @param {[number, number] | null} [ci95MessagesPerSecond] */
const rateOf = (messagesPerSecond, ci95MessagesPerSecond = null) => ({
  messagesPerSecond,
  ci95MessagesPerSecond,
});

// The tables of these tests are compared without colours.
delete process.env.FORCE_COLOR;
process.env.NO_COLOR = '1';

let numberOfRecords = 0;

/** @param {Record<string, unknown>} fields */
function record(fields) {
  numberOfRecords += 1;
  return completedRecord({
    id: `battle-${numberOfRecords}`,
    ...{comparedBy: 'rate', transport: 'rabbitmq', variant: {}, rtt: null, latencies: {}, openLoop: null},
    ...{
      phases: {},
      floor: null,
      vsFastest: null,
      hosts: {broker: null},
      counts: {received: 5000},
      placement: null,
      interference: {client: null, server: null},
    },
    cpu: {client: null, server: null, broker: null},
    throughput: {...rateOf(1234), bytesPerSecond: 1_264_128},
    verdict: valid,
    ...fields,
  });
}

/** @param {string} facilitator @param {string[]} [settings] */
const named = (facilitator, settings = []) => ({
  transport: facilitator === 'TCP' ? 'tcp' : facilitator,
  labels: {facilitator, qualifier: null, settings, persistent: '*N/A*'},
});

/**
 * @param {string} facilitator
 * @param {number} meanMs with an interval of ± 4 %
 * @param {Record<string, unknown>} [fields]
 */
function roundTrips(facilitator, meanMs, fields = {}) {
  const interval = [meanMs * 0.96, meanMs * 1.04];
  return record({
    ...named(facilitator),
    workload: 'rtt',
    comparedBy: 'latency',
    rtt: {
      ...{meanMs, ci95Ms: interval, minMs: meanMs / 2, maxMs: meanMs * 100, samples: 5000},
      ...{p50Ms: meanMs, p90Ms: meanMs * 2, p99Ms: meanMs * 4, p999Ms: null},
      ci95: {p50Ms: interval, p90Ms: null, p99Ms: [meanMs * 2, meanMs * 6], p999Ms: null},
    },
    ...fields,
  });
}

/** @param {number} ratio @param {[number, number] | null} [ratioCi95] */
const floorOf = (ratio, ratioCi95 = [ratio * 0.96, ratio * 1.04]) => ({
  ...{meanMs: 0.044, ratio, ratioCi95},
  verdict: null,
});

/**
 * @param {CellRecord[]} records
 * @param {{columns?: number | undefined, detail?: boolean}} [how] columns: of a terminal; otherwise the output is a pipe
 */
function printed(records, {columns, detail = false} = {}) {
  let text = '';
  const stream = {
    isTTY: columns !== undefined,
    columns,
    write: (/** @type {string} */ more) => {
      text += more;
    },
  };
  const battle = {floor: 'tcp', detail};
  printTable(records, battle, /** @type {any} */ (stream));
  return text;
}

const enqueued = {messages: 100, meanMs: 50, ...rateOf(2000)};
const dequeued = {messages: 100, meanMs: 25, ...rateOf(4000)};

test('A queue whose parts are timed apart and one in pairs have a table each', () => {
  const text = printed(
    [
      record({workload: 'queue', phases: {enqueue: enqueued, dequeue: dequeued}}),
      record({workload: 'queue'}),
    ],
    {columns: 120},
  );
  assert.match(text, /enqueue\/s.*dequeue\/s[^\n]*\n1kb +RabbitMQ mode 1 +2000 .* 50\.0 +4000 .* 25\.0/);
  assert.match(
    text,
    /\(queue\), local[^\n]*\n[^\n]*\n\nPayload +Transport +msgs\/s[^\n]*\n1kb +RabbitMQ mode 1 +1234 /,
  );
});

test('A stream shows the rate by its receiver, and by its sender if that timed itself, in any order of the records', () => {
  const sender = {messages: 100, meanMs: 90, ...rateOf(1111)};
  const [alone, closed] = [record({workload: 'stream'}), record({workload: 'stream', phases: {sender}})];
  for (const records of [
    [alone, closed],
    [closed, alone],
  ]) {
    const text = printed(records);
    assert.match(text, /msgs\/s ± 95 % +by the sender/);
    assert.match(text, /1234 ± n\/a +1111 ± n\/a/);
    assert.match(text, /1234 ± n\/a +n\/a/);
  }
});

const floor = roundTrips('TCP', 0.044, {floor: floorOf(1, null)});
const sockets = roundTrips('Web Sockets', 0.0463, {floor: floorOf(1.05, [1.01, 1.09])});
const vsSockets = {id: sockets.id, pValue: 0.06};
const express = roundTrips('HTTP', 0.159, {
  floor: floorOf(3.6),
  vsFastest: {...vsSockets, ratio: 3.43, ratioCi95: [3.3, 3.57], difference: 'slower'},
});
const same = roundTrips('Hex', 0.0467, {
  floor: floorOf(1.06, [0.97, 1.15]),
  vsFastest: {...vsSockets, ratio: 1.01, ratioCi95: [0.97, 1.05], difference: 'no difference shown'},
});

/** @param {CompletedRecord} one @param {string} ofFigure @param {string} ofRatio @returns {any} */
function withVerdicts(one, ofFigure, ofRatio) {
  const verdict = {status: ofFigure, warnings: []};
  return {...one, verdict, floor: {...one.floor, verdict: {status: ofRatio, warnings: []}}};
}

describe('The summary', () => {
  /** @type {{says: string, records: CompletedRecord[], sentence: string}[]} */
  const cases = [
    {
      says: 'has the fastest with its figure, and the multiple of the floor of all',
      records: [express, floor, sockets],
      sentence: '1 KB: Web Sockets 0.046 ms, 1.05× raw TCP; HTTP 3.6×',
    },
    {
      says: 'names a difference only if it was shown',
      records: [floor, sockets, same],
      sentence: '1 KB: Web Sockets 0.046 ms, 1.05× raw TCP; Hex: no difference shown',
    },
    {
      says: 'says that no difference from the floor was shown',
      records: [floor, {...same, vsFastest: null}],
      sentence: '1 KB: Hex 0.047 ms, no difference from raw TCP shown',
    },
    {
      says: 'has the ends of a wide interval',
      records: [floor, roundTrips('Hex', 0.4, {floor: floorOf(8.9, [2.1, 60])})],
      sentence: '1 KB: Hex 0.40 ms, 8.9× [2.1, 60] raw TCP',
    },
    {
      says: 'compares with the fastest where there is no floor',
      records: [
        {...sockets, floor: null},
        {...express, floor: null},
      ],
      sentence: '1 KB: Web Sockets 0.046 ms; HTTP 3.4× as long',
    },
    {
      says: 'of a single cell is its figure',
      records: [{...sockets, floor: null}],
      sentence: '1 KB: Web Sockets 0.046 ms',
    },
    {says: 'of the floor alone is its figure', records: [floor], sentence: '1 KB: TCP 0.044 ms'},
    {
      says: 'marks what is suspect, the floor too',
      records: [
        {...floor, verdict: /** @type {any} */ (suspect)},
        {...express, verdict: /** @type {any} */ (suspect)},
        sockets,
      ],
      sentence: '1 KB: Web Sockets 0.046 ms, 1.05× raw TCP; HTTP 3.6× (suspect); raw TCP is suspect',
    },
    {
      says: 'says it once if all are suspect',
      records: [
        {...floor, verdict: /** @type {any} */ (suspect)},
        {...express, verdict: /** @type {any} */ (suspect)},
      ],
      sentence: '1 KB: HTTP 0.159 ms, 3.6× raw TCP; all are suspect',
    },
    {
      says: 'tells suspect figures from suspect ratios',
      records: [
        withVerdicts(floor, 'suspect', 'valid'),
        withVerdicts(sockets, 'suspect', 'valid'),
        withVerdicts(express, 'valid', 'suspect'),
        withVerdicts(same, 'valid', 'valid'),
      ],
      sentence:
        '1 KB: Web Sockets 0.046 ms (suspect), 1.05× raw TCP; Hex: no difference shown; HTTP 3.6× (suspect)',
    },
    {
      says: 'says that ratios hold where all figures are suspect',
      records: [floor, sockets, express].map((one) => withVerdicts(one, 'suspect', 'wide')),
      sentence:
        '1 KB: Web Sockets 0.046 ms, 1.05× raw TCP; HTTP 3.6×; all figures are suspect, the ratios are not',
    },
    {
      says: 'has figures alone without intervals, such as those of one round',
      records: [floor, {...sockets, floor: floorOf(1.05, null)}, {...express, floor: floorOf(3.6, null)}],
      sentence: '1 KB: Web Sockets 0.046 ms; HTTP 0.159 ms',
    },
    {
      says: 'of rates says that the ratio is one of times',
      records: ['TCP', 'HTTP'].map((name, index) =>
        record({
          ...named(name),
          workload: 'pipeline',
          throughput: {
            ...rateOf(9000 / (index + 1), [8900 / (index + 1), 9100 / (index + 1)]),
            bytesPerSecond: 1,
          },
          floor: floorOf(index + 1),
        }),
      ),
      sentence: '1 KB: HTTP 4500 msgs/s, 2.00× the time per message of raw TCP',
    },
    {
      says: 'names what fell behind its rate',
      records: [1, 2].map((rank) =>
        record({
          ...named(rank === 1 ? 'HTTP' : 'Hex'),
          workload: 'rtt',
          openLoop: {offeredPerSecond: 500, achievedPerSecond: 500 / rank, keepsUp: rank === 1},
        }),
      ),
      sentence: '1 KB: Hex fell behind; the others kept up',
    },
  ];

  for (const {says, records, sentence} of cases) {
    it(says, () => {
      const lines = printed(records, {columns: 100}).split('\n');
      assert.equal(lines[2], sentence);
    });
  }

  it('has a sentence for each payload, and for each floor among different windows', () => {
    const windows = [1, 64].flatMap((window) =>
      ['TCP', 'HTTP'].map((name) =>
        record({
          ...named(name, [`window ${window}`]),
          workload: 'pipeline',
          throughput: {...rateOf(window * 1000), bytesPerSecond: 1},
          floor: {...floorOf(name === 'TCP' ? 1 : 3), meanMs: 1 / window},
        }),
      ),
    );
    const lines = printed([...windows, {...windows[1], payloadBytes: 102400}]).split('\n');
    assert.deepEqual(lines.slice(2, 5), [
      '1 KB: HTTP (window 64) 64000 msgs/s, 3.0× the time per message of raw TCP',
      '  (window 64)',
      '1 KB: HTTP (window 1) 1000 msgs/s, 3.0× the time per message of raw TCP (window',
    ]);
    assert.ok(lines.includes('100 KB: HTTP (window 1) 1000 msgs/s'));
  });
});

describe('The table', () => {
  it('has matching digits, and a ratio with its interval', () => {
    const text = printed([floor, sockets, express], {columns: 120});
    assert.match(text, /\n1kb +TCP +0\.0440 ± 0\.0018 +.*1\.00× .*valid\n/);
    assert.match(text, /\n +Web Sockets +0\.0463 ± 0\.0019 .* 1\.05× \[1\.01, 1\.09\] /);
    assert.match(text, /\n +HTTP +0\.159 ± 0\.006 .* 3\.60× \[3\.46, 3\.74\] /);
  });

  it('says "no diff. shown" of a difference that was not shown, and never that two are the same', () => {
    const text = printed([floor, sockets, express, same], {columns: 120});
    assert.match(text, / Web Sockets .* fastest /);
    assert.match(text, / Hex .* no diff\. shown /);
    assert.match(text, / HTTP .* 3\.43× \[3\.30, 3\.57\] /);
    assert.doesNotMatch(text, /same/);
  });

  it('of an old record has ratios alone', () => {
    const old = {...express, floor: floorOf(3.6, null), vsFastest: null};
    const text = printed([floor, sockets, old], {columns: 120});
    assert.match(text, / HTTP +0\.159 ± 0\.006 .* 3\.60× +3\.43× /);
  });

  it('leaves out columns in a narrow terminal and in a pipe, and says which and where they are', () => {
    for (const columns of [undefined, 80]) {
      const text = printed([floor, sockets], {columns});
      assert.match(text, /\nPayload +Transport +Mean ± 95 % +p50 +p99 +msgs\/s +× floor +Verdict\n/);
      assert.match(
        text,
        /Columns that do not fit in 80 characters \(see perf-battle table --detail\): vs\n {2}fastest, CPU µs\/msg\n/,
      );
    }
    assert.match(printed([floor, sockets], {columns: 60}), /\nPayload +Transport +Mean ± 95 % .*Verdict\n/);
    assert.doesNotMatch(printed([floor, sockets], {columns: 160}), /do not fit/);
  });

  it('at 80 columns keeps p50, msgs/s and the ratio to the floor, also beside wide intervals and long names', () => {
    const wide = [0.057, 0.15];
    const records = [floor, sockets, same].map((one) => ({
      ...one,
      labels: {...one.labels, settings: ['confirms', 'manual ack']},
      rtt: /** @type {any} */ ({...one.rtt, meanMs: 0.093, ci95Ms: wide}),
      throughput: {...one.throughput, messagesPerSecond: 10807},
    }));
    const text = printed(records, {columns: 80});
    assert.match(text, /\nPayload +Transport +Mean ± 95 % +p50 +msgs\/s +× floor +Verdict\n/);
    assert.match(text, / Hex .*\[0\.057, 0\.15\] +[\d.]+ +10807 +≤1\.15× +valid\n/);
    assert.match(text, /\n≤: no difference was shown;/);
    assert.match(text, /do not fit .*p99,\s+vs\s+fastest,/s);
    assert.doesNotMatch(printed(records, {columns: 200}), /≤/);
  });

  it('has the ratio to the fastest in its place where there is no floor', () => {
    const records = [sockets, express].map((one) => ({...one, floor: null}));
    const text = printed(records, {columns: 80});
    assert.match(text, /\nPayload .* p50 .*msgs\/s +vs fastest .*Verdict\n/);
    assert.match(text, / HTTP .* 3\.43× /);
  });

  it('says of both ratios in the same way that no difference was shown', () => {
    const text = printed([floor, sockets, same], {columns: 120});
    assert.match(text, / × floor +vs fastest /);
    assert.match(text, / Hex .* no diff\. shown +no diff\. shown /);
    assert.match(text, / Web Sockets .* 1\.05× \[1\.01, 1\.09\] +fastest /);
  });

  it('shows verdicts in colours that can be read on white and on black', (context) => {
    process.env.FORCE_COLOR = '1';
    context.after(() => delete process.env.FORCE_COLOR);
    const wide = /** @type {any} */ ({status: 'wide', warnings: []});
    const text = printed([floor, {...sockets, verdict: wide}]);
    assert.ok(text.includes('\u001b[35mwide\u001b[39m'), JSON.stringify(text));
  });

  it('of several machines has a section for each', () => {
    const other = /** @type {CompletedRecord} */ ({...express, machine: 'm4.xlarge'});
    const text = printed([floor, sockets, other], {columns: 120, detail: true});
    assert.match(text, /in ms ± 95 % interval, local, AMD EPYC\n1 KB: Web Sockets/);
    assert.match(text, /in ms ± 95 % interval, local, m4\.xlarge\n1 KB: HTTP/);
    assert.match(text, /\nHTTP, local, m4\.xlarge, 1 KB, rtt: valid\n/);
    assert.equal(text.match(/3 cells:/g)?.length, 1);
  });

  it('compares with the fastest only within its battle', () => {
    const newer = {...express, battleId: 'newer'};
    const text = printed([floor, sockets, newer, same], {columns: 120});
    assert.match(text, / HTTP .* 3\.60× \[3\.46, 3\.74\] +n\/a /);
    assert.match(text, / Hex .* no diff\. shown +no diff\. shown /);
    // Its own battle had a faster cell, which was measured again since.
    const gone = {
      ...same,
      vsFastest: {
        ...vsSockets,
        id: 'gone',
        ratio: 1.5,
        ratioCi95: /** @type {[number, number]} */ ([1.4, 1.6]),
      },
    };
    assert.match(
      printed([floor, sockets, newer, /** @type {any} */ (gone)], {columns: 120}),
      / Hex .* n\/a +n\/a +valid/,
    );
  });

  it('has each of the three verdicts', () => {
    const wide = {status: 'wide', warnings: []};
    const text = printed([
      floor,
      {...sockets, verdict: /** @type {any} */ (wide)},
      {...express, verdict: /** @type {any} */ (suspect)},
    ]);
    assert.match(text, / TCP .* valid\n +Web Sockets .* wide\n +HTTP .* suspect\n/);
    assert.match(text, /\n3 cells: 1 valid, 1 wide, 1 suspect\.\n/);
    assert.doesNotMatch(text, /Ratios to raw TCP/);
  });

  it('marks suspect ratios, and counts the verdicts on ratios where not all figures are valid', () => {
    const records = [
      withVerdicts(floor, 'suspect', 'valid'),
      withVerdicts(sockets, 'suspect', 'wide'),
      withVerdicts(express, 'suspect', 'suspect'),
    ];
    const text = printed(records, {columns: 160});
    assert.match(text, / HTTP .* 3\.60× \[3\.46, 3\.74\] \? /);
    assert.doesNotMatch(text, / Web Sockets .*\?/);
    assert.match(text, /\nRatios to raw TCP: 1 wide, 1 suspect \(\?\)\./);
    const valid = [withVerdicts(floor, 'valid', 'valid'), withVerdicts(sockets, 'valid', 'valid')];
    assert.doesNotMatch(printed(valid, {columns: 160}), /Ratios to raw TCP/);
  });
});

describe('The notes', () => {
  const {code, condition, advice} = warnings[0];
  const warning = {code, message: 'What was wrong here.', advice};
  const bad = /** @type {any} */ ({status: 'suspect', warnings: [warning]});

  it('have one paragraph for each kind of reason, with the number of its cells', () => {
    const text = printed([floor, {...sockets, verdict: bad}, {...express, verdict: bad}], {columns: 1000});
    assert.ok(text.includes(`\n${warnings[0].level}, ${code}, 2 cells: ${condition}. ${advice}\n`), text);
    assert.match(text, /\nFor each cell: perf-battle table --detail\n/);
    assert.doesNotMatch(text, /What was wrong here/);
  });

  it('have the worst kind first, and a kind that this version does not know', () => {
    const ofTomorrow = {code: 'of-tomorrow', message: 'It is strange.', advice: 'Wait.'};
    const wide = /** @type {any} */ ({status: 'wide', warnings: [ofTomorrow]});
    const text = printed(
      [
        {...sockets, verdict: wide},
        {...express, verdict: bad},
      ],
      {columns: 1000},
    );
    assert.ok(text.includes('\nwide, of-tomorrow, 1 cell: It is strange. Wait.\n'), text);
    assert.ok(text.indexOf(`\nsuspect, ${code}`) < text.indexOf('\nwide, of-tomorrow'), text);
  });

  it('are short when all is well', () => {
    assert.match(printed([floor, sockets], {columns: 160}), /\n\n2 cells: 2 valid\.\n$/);
  });

  it('name failed cells', () => {
    const failed = /** @type {any} */ ({
      ...express,
      outcome: 'failed',
      error: {code: 'PB_X', message: 'It broke.'},
    });
    const text = printed([floor, failed]);
    assert.match(text, /\nFailed: HTTP, 1kb: It broke\.\n2 cells: 1 valid, 1 failed\.\n/);
    assert.doesNotMatch(printed([failed]), /cells?:/);
  });
});

test('a name breaks for p99, but not if no row has that figure', () => {
  /** @param {number | null} p99Ms @param {number} columns */
  const linesWith = (p99Ms, columns) => {
    const rtt = {meanMs: 0.2, ci95Ms: [0.19, 0.21], p50Ms: 0.2, p99Ms, samples: 9};
    const one = roundTrips('Worker', 0.2, {...named('Worker thread', ['2 clients']), rtt});
    const text = printed([one], {columns});
    return {hasP99: / p99 /.test(text), isWhole: /^1kb +Worker thread \(2 clients\) /m.test(text)};
  };
  const widths = Array.from({length: 60}, (_, index) => 60 + index);
  const broken = widths.filter((columns) => {
    const {hasP99, isWhole} = linesWith(0.5, columns);
    return hasP99 && !isWhole;
  });
  assert.ok(broken.length > 0);
  const last = broken[broken.length - 1];
  assert.equal(linesWith(null, last).isWhole, true);
});

test('--detail shows all figures of each cell, both ends of intervals, and its reasons', () => {
  const warning = {code: 'not-warm', message: 'What was wrong here.', advice: 'Do this.'};
  const verdict = /** @type {any} */ ({status: 'suspect', warnings: [warning]});
  const text = printed([floor, sockets, {...express, verdict}], {detail: true});
  const details = text.slice(text.indexOf('\nHTTP, 1 KB, rtt: suspect\n')).replace(/\s+/g, ' ');
  assert.match(details, /Mean \[95 %\] \(ms\) 0\.1590 \[0\.1526, 0\.1654\];/);
  assert.doesNotMatch(details, /start skew/);
  assert.match(details, /p99 0\.6360 \[0\.3180, 0\.9540\];/);
  assert.match(details, /p99\.9 n\/a;/);
  assert.match(details, /× floor \[95 %\] 3\.600× \[3\.456, 3\.744\];/);
  assert.match(details, /vs fastest \[95 %\] 3\.430× \[3\.300, 3\.570\];/);
  assert.match(details, / not-warm: What was wrong here\./);
  assert.match(text, /\nsuspect, not-warm, 1 cell: [\s\S]*?\s+Do\s+this\./);
  assert.match(text, /\(see below\): vs\s+fastest/);
});

const word = fc.stringMatching(/^[A-Za-z0-9(),:/]{1,12}$/);
const status = fc.constantFrom('valid', 'wide', 'suspect');
const share = fc.double({min: 0.001, max: 3, noNaN: true});
const milliseconds = fc.double({min: 1e-3, max: 1e5, noNaN: true});

/** @param {number} value @param {number} part @returns {[number, number]} */
const interval = (value, part) => [value / (1 + part), value * (1 + part)];

const anyRecord = fc
  .record({
    names: fc.array(word, {minLength: 1, maxLength: 8}),
    transport: fc.constantFrom('tcp', 'http', 'rabbitmq'),
    kind: fc.constantFrom(
      'rtt',
      'pipeline',
      'stream',
      'queue',
      'cached',
      'recordset',
      'max-rate',
      'of-tomorrow',
      'open',
    ),
    payloadBytes: fc.constantFrom(64, 1024, 1_024_000),
    meanMs: milliseconds,
    part: fc.option(share),
    ratio: fc.option(fc.double({min: 0.01, max: 1e4, noNaN: true})),
    difference: fc.constantFrom('slower', 'faster', 'no difference shown'),
    level: status,
    codes: fc.uniqueArray(fc.constantFrom('not-warm', 'few-samples', 'of-tomorrow'), {maxLength: 3}),
    isQueue: fc.boolean(),
  })
  .map(({names, transport, kind, payloadBytes, meanMs, part, ratio, difference, level, codes, isQueue}) => {
    const rate = 1000 / meanMs;
    const of = (/** @type {number} */ value) => (part === null ? null : interval(value, part));
    const percentiles = {p50Ms: meanMs, p90Ms: meanMs * 2, p99Ms: meanMs * 9, p999Ms: null};
    const distribution = {meanMs, minMs: 0, maxMs: meanMs * 99, samples: 100, ...percentiles};
    const compared = ratio === null ? null : {meanMs, ratio, ratioCi95: of(ratio)};
    const phase = {messages: 9, meanMs, ...rateOf(rate, of(rate))};
    return record({
      transport,
      labels: {facilitator: names[0], qualifier: null, settings: names.slice(1), persistent: 'No'},
      workload: kind === 'open' ? 'rtt' : kind,
      comparedBy: kind === 'rtt' ? 'latency' : 'rate',
      payloadBytes,
      rtt: {
        ...distribution,
        ci95Ms: of(meanMs),
        ci95: {p50Ms: of(meanMs), p90Ms: null, p99Ms: null, p999Ms: null},
      },
      latencies: kind === 'cached' ? {hit: distribution, miss: distribution} : {},
      throughput: {
        ...rateOf(rate, of(rate)),
        bytesPerSecond: rate * payloadBytes,
        summedMessagesPerSecond: rate,
      },
      phases: kind === 'queue' && isQueue ? {enqueue: phase, dequeue: phase} : {},
      openLoop: kind === 'open' ? {offeredPerSecond: rate, achievedPerSecond: rate, keepsUp: isQueue} : null,
      floor: compared,
      vsFastest: compared && {...compared, id: 'another', pValue: null, difference},
      verdict: {
        status: level,
        warnings: codes.map((one) => ({
          code: one,
          message: 'It was not as it should be.',
          advice: 'Run it again.',
        })),
      },
    });
  });

test('no line is longer than the terminal, whatever the records', () => {
  fc.assert(
    fc.property(
      fc.array(anyRecord, {maxLength: 12}),
      fc.option(fc.integer({min: 60, max: 200})),
      fc.boolean(),
      (records, columns, detail) => {
        const text = printed(records, {...(columns !== null && {columns}), detail});
        // biome-ignore lint/suspicious/noControlCharactersInRegex: colours have no width
        const lines = text.replace(/\u001b\[\d+m/g, '').split('\n');
        for (const line of lines) assert.ok(line.length <= (columns ?? 80), `${line.length}: ${line}`);
      },
    ),
  );
});
