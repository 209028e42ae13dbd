import assert from 'node:assert/strict';
import {test} from 'node:test';
import {stripVTControlCharacters} from 'node:util';
import {faultsCsv, showFaults} from '../../src/report/show-faults.js';

/** @import {Conclusion, Summary} from '../../src/faults/found.js' */

const timeline = {
  partMs: 100,
  isConfirmed: true,
  goodPerSecond: [500, 500, 0, 0, 1000, 500],
  worstMs: [1, 1, null, null, 300, 1],
  faults: [{fromMs: 200, untilMs: 350}],
};

const account = {
  ...{sent: 100, confirmed: 90, refused: 1, open: 9, received: 93, acknowledged: 92, lost: 7},
  ...{confirmedLost: 0, unconfirmedReceived: 3, retried: 7},
};

/** @param {Partial<Summary>} some @returns {Summary} */
function summaryOf(some) {
  return {
    ...{fault: 'kill-broker', outcome: 'kept', tries: 2, lost: 0, of: 90, unavailable: 0, why: null},
    ...{outageMs: 270, outageEnd: 'ended', restartMs: 150, account, found: [], timeline},
    ...some,
  };
}

/** @param {string} qualifier @param {Partial<Conclusion>} some @returns {Conclusion} */
function conclusionOf(qualifier, some = {}) {
  const labels = {facilitator: 'RabbitMQ', qualifier, settings: []};
  return {
    row: {
      number: 1,
      transport: 'x',
      variant: {},
      labels,
      payloadBytes: 1024,
      stores: true,
      broker: 'x',
      brokerNodes: 1,
      brokerSettings: {},
    },
    error: null,
    evidence: {
      ...{messages: 900, payloadBytes: 1024, isConfirmed: true, rttMs: 1.234, ratePerSecond: 4321.4},
      ...{dirtiedBytesPerMessage: 5300, flushesPerMessage: 1},
    },
    class: 'on disk before the acknowledgement',
    guarantee: 'on disk before the acknowledgement',
    isBroken: false,
    faults: [summaryOf({})],
    sentence: 'survived a crash of the broker',
    ...some,
  };
}

/** As a wide terminal shows it. @param {readonly Conclusion[]} conclusions @param {{fault: 'power-loss', why: string}[]} [notTried] @param {number} [columns] */
function shown(conclusions, notTried = [], columns = 250) {
  /** @type {string[]} */
  const parts = [];
  const stream = {isTTY: true, columns, write: (/** @type {string} */ part) => parts.push(part) > 0};
  const nameOf = (/** @type {Conclusion['row']} */ {labels}) => `${labels.facilitator} (${labels.qualifier})`;
  showFaults({found: {notTried}, conclusions, nameOf}, /** @type {any} */ (stream));
  return stripVTControlCharacters(parts.join(''));
}

test('where all rows are of one transport, its name is the heading', () => {
  const text = shown([conclusionOf('mode 1'), conclusionOf('mode 2')]);
  assert.match(text, /^RabbitMQ +Class +RTT ms +msgs\/s +kill-broker +outage s$/m);
  assert.match(text, /^mode 2 +on disk before the +1\.23 +4321 +0 of 90 +0\.27$/m);
});

test('a failure shows the end of the log that came with it', () => {
  const error = {
    code: /** @type {const} */ ('PB_BROKER_UNAVAILABLE'),
    message: 'ended. The last lines of its log:\nport taken',
    exitCode: 3,
  };
  const text = shown([conclusionOf('mode 2', {error, sentence: 'failed: ended'})]);
  assert.match(text, /^RabbitMQ \(mode 2\): failed: ended\.\nThe last lines of its log:\nport taken$/m);
});

test('a proxy between clients and the rest is told, once', () => {
  const proxied = summaryOf({fault: 'cut-connection', isThroughProxy: true});
  const text = shown([
    conclusionOf('mode 1', {faults: [proxied]}),
    conclusionOf('mode 2', {faults: [proxied]}),
  ]);
  assert.equal(text.match(/Under cut-connection, the connections went through a proxy/g)?.length, 1);
  assert.doesNotMatch(shown([conclusionOf('mode 1')]), /proxy/);
});

test("a broker's own reason for its alarm is told, once", () => {
  const blocked = summaryOf({fault: 'fill-disk', alarm: 'its disk has 4 MB left'});
  const text = shown([
    conclusionOf('mode 1', {faults: [blocked]}),
    conclusionOf('mode 2', {faults: [blocked]}),
  ]);
  assert.equal(text.match(/^fill-disk: the broker took no messages: its disk has 4 MB left\.$/gm)?.length, 1);
});

test('what was lost, what could not be read and what was not done are told apart', () => {
  const faults = [
    [summaryOf({outcome: 'lost', lost: 7})],
    [summaryOf({outcome: 'lost', lost: 90})],
    [summaryOf({outcome: 'unavailable', lost: 2, unavailable: 1})],
    [summaryOf({outcome: 'unavailable', lost: null, of: null, unavailable: 2})],
    [],
  ];
  const text = shown(faults.map((own, index) => conclusionOf(`mode ${index}`, {faults: own})));
  for (const cell of [
    '7 of 90',
    'all 90',
    '2 of 90, unavailable 1 of 2 times',
    'unavailable 2 of 2 times',
    'n/a',
  ])
    assert.ok(text.includes(cell), `${cell} in\n${text}`);
  assert.ok(!/^mode 4 .*0 of/m.test(text));
});

test('each reason for unread messages is printed once, and the last line says what decided the exit code', () => {
  const unread = {account: null, atRisk: null, outage: null, arrival: null};
  const found = ['bad file format', 'bad file format', 'no answer'].map((unavailable) => ({
    ...unread,
    unavailable,
  }));
  const faults = [
    summaryOf({outcome: 'unavailable', lost: null, of: null, unavailable: 3, why: 'bad file format', found}),
  ];
  const text = shown([conclusionOf('mode 2', {faults}), conclusionOf('mode 1')]);
  assert.deepEqual(text.match(/^RabbitMQ \(mode \d\), kill-broker: (?!outage).*$/gm), [
    'RabbitMQ (mode 2), kill-broker: bad file format.',
    'RabbitMQ (mode 2), kill-broker: no answer.',
  ]);
  assert.match(
    text,
    /\n\nExit code 1: messages could not be read after a fault, .* \(RabbitMQ \(mode 2\)\)\.\n$/,
  );
  assert.doesNotMatch(shown([conclusionOf('mode 1')]), /Exit code/);
});

test('a column has the longest outage of each row, and is left out where no fault interrupts a load', () => {
  const cut = summaryOf({fault: 'power-loss', outageMs: null, outageEnd: 'none'});
  const open = summaryOf({fault: 'stop-broker', outageMs: null, outageEnd: 'open'});
  const faults = [
    [summaryOf({}), summaryOf({fault: 'pause-broker', outageMs: 1234}), cut],
    [summaryOf({}), open],
    [cut],
  ];
  const text = shown(faults.map((own, index) => conclusionOf(`mode ${index}`, {faults: own})));
  assert.match(text, /^mode 0 .* 1\.23$/m);
  assert.match(text, /^mode 1 .* no end$/m);
  assert.match(text, /^mode 2 .* n\/a$/m);
  assert.doesNotMatch(shown([conclusionOf('mode 1', {faults: [cut]})]), /outage s/);
});

test('columns that do not fit are named', () => {
  const faults = /** @type {const} */ (['kill-broker', 'power-loss', 'fill-disk']).map((fault) =>
    summaryOf({fault, outcome: 'lost', lost: 7, unavailable: 1}),
  );
  const text = shown([conclusionOf('mode 2, confirms', {faults})], [], 60);
  assert.match(text, /^Columns that do not fit in 60 characters: RTT ms, msgs\/s,\n {2}outage s$/m);
  assert.doesNotMatch(shown([conclusionOf('mode 2', {faults})]), /do not fit/);
});

test('a fault that cannot be done here says what it needs, and a kill does not stand for a power cut', () => {
  const text = shown([conclusionOf('mode 2')], [{fault: 'power-loss', why: 'it needs root'}]);
  assert.match(text, /^power-loss: not tried \(it needs root\)\.$/m);
  assert.match(text, /the page cache survives it/);
});

test('a chart has the good replies and response times over time, and when what was hit was not there', () => {
  const chartIn = (/** @type {Summary} */ summary, /** @type {number} */ columns) => {
    const lines = shown([conclusionOf('mode 2', {faults: [summary]})], [], columns).split('\n');
    return lines.slice(lines.indexOf(`RabbitMQ (mode 2), ${summary.fault}: outage 0.27 s`) + 1, -1);
  };
  assert.deepEqual(chartIn(summaryOf({}), 80), [
    '  ▅▅  █▅  good replies in 100 ms, at most 1000/s',
    '  ▁▁  █▁  worst response time in 100 ms, at most 300 ms',
    '    ××',
  ]);
  const {goodPerSecond, worstMs} = timeline;
  const longer = {goodPerSecond: [...goodPerSecond, ...goodPerSecond], worstMs: [...worstMs, ...worstMs]};
  const slow = summaryOf({fault: 'slow-consumer', timeline: {...timeline, ...longer}});
  assert.deepEqual(chartIn(slow, 60), [
    '  messages consumed in 100 ms, at most 1000/s:',
    '  ▅▅  █▅▅▅  █▅',
    '  worst response time in 100 ms, at most 300 ms:',
    '  ▁▁  █▁▁▁  █▁',
    '    ××',
  ]);
  const unconfirmed = summaryOf({timeline: {...timeline, isConfirmed: false, worstMs: Array(6).fill(null)}});
  assert.deepEqual(chartIn(unconfirmed, 80), ['  ▅▅  █▅  messages sent in 100 ms, at most 1000/s', '    ××']);
});

test('a load that a row did not sustain before the fault is named', () => {
  const textOf = (/** @type {number | null} */ behindMs) =>
    shown([conclusionOf('mode 2', {faults: [summaryOf({timeline: {...timeline, rate: 500, behindMs}})]})]);
  assert.match(
    textOf(1234),
    /^RabbitMQ \(mode 2\), kill-broker: the load of 500\/s was 1\.2 s late before the fault/m,
  );
  for (const behindMs of [200, null]) assert.doesNotMatch(textOf(behindMs), /late/);
});

test('two faults, their losses and the outage fit in 80 characters', () => {
  const faults = /** @type {const} */ (['kill-broker', 'power-loss']).map((fault) =>
    summaryOf({fault, outcome: 'lost', lost: 15_927, of: 15_927}),
  );
  const text = shown([conclusionOf('mode 1, confirms', {faults})], [], 80);
  assert.match(text, /^RabbitMQ +Class +RTT ms +msgs\/s +kill-broker +power-loss +outage s$/m);
  assert.doesNotMatch(text, /do not fit/);
});

test('an outage without an end says so', () => {
  assert.match(
    shown([conclusionOf('mode 2', {faults: [summaryOf({outageMs: null, outageEnd: 'open'})]})]),
    /outage no end$/m,
  );
});

test('a program gets a line for each fault of a row', () => {
  const nameOf = () => 'RabbitMQ';
  const csv = faultsCsv({conclusions: [conclusionOf('mode 2')], nameOf}, ',');
  const [head, line, ...more] = csv.trim().split('\n');
  assert.match(head, /^row,class,rttMs,/);
  assert.match(
    head,
    /,outageEnd,sent,confirmed,refused,open,received,acknowledged,confirmedLost,unconfirmedReceived,notTried,retried\r?$/,
  );
  assert.match(line, /,ended,100,90,1,9,93,92,0,3,,7\r?$/);
  assert.match(
    line,
    /^RabbitMQ,on disk before the acknowledgement,1\.234,4321\.4,5300,1,kill-broker,kept,2,0,90,0,270,/,
  );
  assert.deepEqual(more, []);
});

test('a fault that was not tried has a line with the reason, for each row that it would hit', () => {
  const failed = conclusionOf('mode 1', {
    ...{error: {code: 'PB_BROKER_UNAVAILABLE', message: 'No broker.', exitCode: 3}, faults: []},
  });
  const rows = [conclusionOf('mode 2'), conclusionOf('of programs'), failed];
  const found = {
    notTried: [
      {fault: /** @type {const} */ ('power-loss'), why: 'it needs root'},
      {fault: /** @type {const} */ ('minority'), why: 'it has one node', brokers: ['kafka']},
    ],
  };
  const csv = faultsCsv(
    {
      conclusions: rows,
      nameOf: ({labels}) => String(labels.qualifier),
      found,
      applies: (_, row) => row !== rows[1].row,
    },
    ';',
  );
  const [head, ...lines] = csv
    .trim()
    .split('\r\n')
    .map((line) => line.split(';'));
  const columns = ['row', 'fault', 'outcome', 'tries', 'notTried'].map((name) => head.indexOf(name));
  assert.deepEqual(
    lines.map((line) => columns.map((column) => line[column])),
    [
      ['mode 2', 'kill-broker', 'kept', '2', ''],
      ['mode 2', 'power-loss', 'not tried', '', 'it needs root'],
      ['of programs', 'kill-broker', 'kept', '2', ''],
      ['mode 1', '', '', '', ''],
    ],
  );
});

test('no outage, one that ended, and one without an end are told apart', () => {
  const ends = /** @type {const} */ (['none', 'ended', 'open']);
  const nameOf = () => 'row';
  const faults = ends.map((outageEnd) =>
    summaryOf({outageEnd, outageMs: outageEnd === 'ended' ? 270 : null, restartMs: null}),
  );
  const [head, ...lines] = faultsCsv({conclusions: [conclusionOf('mode 2', {faults})], nameOf}, ';')
    .trim()
    .split('\r\n')
    .map((line) => line.split(';'));
  const [ms, end] = ['outageMs', 'outageEnd'].map((name) => head.indexOf(name));
  assert.deepEqual(
    lines.map((line) => [line[ms], line[end]]),
    [
      ['', 'none'],
      ['270', 'ended'],
      ['', 'open'],
    ],
  );
  const text = shown([conclusionOf('mode 2', {faults})]);
  assert.deepEqual(text.match(/: outage .*$/gm), [': outage 0.27 s', ': outage no end']);
});

test('a row that failed has no class, whatever its writes showed before', () => {
  const error = {code: 'PB_RUN', message: 'the client ended', exitCode: 1};
  const failed = conclusionOf('mode 2', {
    error,
    class: null,
    guarantee: null,
    sentence: 'failed: the client ended',
  });
  assert.match(shown([failed, conclusionOf('mode 1')]), /^mode 2 +failed +/m);
  const csv = faultsCsv({conclusions: [failed], nameOf: () => 'row'}, ',').split('\n')[1];
  assert.match(csv, /^row,,/);
  assert.match(csv, /PB_RUN/);
});
