import assert from 'node:assert/strict';
import {test} from 'node:test';
import {concludeFaults} from '../../../src/faults/conclude.js';
import {captionOfFaults, faultCharts, faultsPage} from '../../../src/report/page/faults-page.js';

/**
 * @import {FaultName} from '../../../src/faults/faults.js'
 * @import {Evidence, FoundOfFault, FoundOfRow, NotTried, Row, Try} from '../../../src/faults/found.js'
 * @import {ShownFaults} from '../../../src/report/types.js'
 */

const timeline = {
  isConfirmed: true,
  partMs: 100,
  goodPerSecond: [500, 500, 0, 0, 1000, 500],
  worstMs: [1.5, 1, null, null, 312, 2],
  faults: [{fromMs: 210, untilMs: 350}],
};

/** @param {number} lost of those confirmed @returns {Try} */
function tryWith(lost) {
  const account = {
    ...{sent: 100, confirmed: 90, refused: 1, open: 9, received: 93 - lost, lost: 7 + lost},
    ...{confirmedLost: lost, unconfirmedReceived: 3, acknowledged: 92 - lost, retried: 7},
  };
  const outage = {ms: 1500, restartMs: 1000, recoveryMs: 500, rateBackMs: null, worstMs: 1512};
  const atRisk = {
    ...account,
    sent: 80,
    confirmed: 71,
    open: 8,
    received: 74 - lost,
    acknowledged: 73 - lost,
    lost: 6 + lost,
  };
  return {account, atRisk, outage, unavailable: null, arrival: {duplicated: 4, reordered: 5, corrupted: 6}};
}

/** @type {Try} */
const cut = {...tryWith(0), atRisk: tryWith(0).account, outage: null};
/** @type {Try} */
const unread = {account: null, atRisk: null, outage: null, unavailable: 'the broker is gone', arrival: null};

/** @param {FaultName} fault @param {readonly Try[]} tries @returns {FoundOfFault} */
function faultWith(fault, tries) {
  return {fault, tries: [...tries], timeline: {...timeline, faults: tries.map(() => timeline.faults[0])}};
}

/** @type {Evidence} */
const onDisk = {
  ...{messages: 500, payloadBytes: 1024, isConfirmed: true, rttMs: 2, ratePerSecond: 4000},
  ...{dirtiedBytesPerMessage: 5300.4, flushesPerMessage: 1},
};
const inMemory = {...onDisk, rttMs: 1, dirtiedBytesPerMessage: 3, flushesPerMessage: 0};
const silent = {...inMemory, isConfirmed: false, rttMs: null, ratePerSecond: null};

/** @param {string} qualifier @param {readonly FoundOfFault[]} faults @param {Partial<FoundOfRow>} [some] @param {Partial<Row>} [own] @returns {FoundOfRow} */
function rowOf(qualifier, faults, some = {}, own = {}) {
  const labels = {facilitator: 'Broker', qualifier, settings: []};
  return {
    row: {
      ...{
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
      ...own,
    },
    ...{evidence: onDisk, faults: [...faults], error: null},
    ...some,
  };
}

/** @param {string} qualifier @param {readonly FoundOfFault[]} faults */
const asking = (qualifier, faults) =>
  rowOf(qualifier, faults, {evidence: null}, {stores: false, broker: null});

/** @param {readonly FoundOfRow[]} all @param {{notTried?: NotTried[], text?: string}} [more] text: in place of each text from outside @returns {ShownFaults} */
function shownOf(all, {notTried = [], text} = {}) {
  const rows = all.map((one, index) => ({...one, row: {...one.row, number: index + 1}}));
  return {
    found: {rows, notTried, versions: new Map()},
    conclusions: concludeFaults({rows}),
    nameOf: ({labels}) => `${labels.facilitator} (${labels.qualifier})`,
    applies: (fault, row) => (fault === 'kill-server' ? !row.stores : row.broker !== null),
    run: {
      ...{runId: text ?? 'e1f6', startedAt: '2026-11-27T21:55:17.995Z', seed: 7},
      ...{rate: 500, window: 64},
    },
    host: {cpu: text ?? 'AMD EPYC', cores: 2},
    versions: {perfBattle: '0.1.0', node: 'v22.1.0', broker: text ?? '3.10.8'},
    settings: [{name: '--rate', text: text ?? '500'}],
  };
}

/** @param {Parameters<typeof shownOf>} given */
const pageOf = (...given) => faultsPage(shownOf(...given));

/** @param {string} page */
const headingOf = (page) => /<h1>(.*)<\/h1>/.exec(page)?.[1];

/** The answers below the heading. @param {string} page */
const othersOf = (page) =>
  [...(/<ul class="answers">\n(.*?)<\/ul>/s.exec(page)?.[1] ?? '').matchAll(/<li>(.*)<\/li>/g)].map(
    ([, text]) => text,
  );

/** The cells of each row of a table. @param {string} page @param {string} label */
function tableOf(page, label) {
  const [, body] =
    new RegExp(`<table class="sortable" aria-label="${label}">.*?<tbody>\\n(.*?)</tbody>`, 's').exec(page) ??
    [];
  return [...(body ?? '').matchAll(/<tr>(.*)<\/tr>/g)].map(([, row]) =>
    [...row.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, text]) => text),
  );
}

const kept = [faultWith('kill-broker', [tryWith(0)]), faultWith('power-loss', [cut, cut])];
const lost = [
  faultWith('kill-broker', [tryWith(71)]),
  faultWith('power-loss', [{...cut, ...tryWith(71), outage: null}]),
];

test('the page names the load: a rate and a window, or one request of a program at a time', () => {
  const shown = shownOf([asking('one', [faultWith('kill-daemon', [tryWith(0)])])]);
  const rated = faultsPage(shown);
  assert.match(rated, /The load: 500 messages of 1 KB per second, of which at most 64 are outstanding\./);
  assert.match(rated, /<dt>Window<\/dt>/);
  assert.match(rated, /due at a fixed rate/);
  const page = faultsPage({...shown, run: {...shown.run, rate: null, window: null}});
  assert.match(page, /The load: one request of 1 KB at a time, without a rate\./);
  assert.doesNotMatch(page, /<dt>Window<\/dt>|<dt>Messages per second<\/dt>|due at a fixed rate/);
});

test('the heading says how many settings kept every confirmed message, and through what', () => {
  const page = pageOf([
    rowOf('1', lost, {evidence: silent}),
    rowOf('1, confirms', lost, {evidence: inMemory}),
    rowOf('2, confirms', kept),
  ]);
  const answer =
    'Broker: 1 of 2 settings with confirms kept every confirmed message through crashes and power cuts';
  assert.equal(headingOf(page), answer);
  assert.deepEqual(othersOf(page), ['Broker: one setting confirms nothing, so nothing is promised.']);
  assert.ok(page.includes(`<title>${answer} – perf-battle</title>`));
});

test('the page says which tries are counted together, as the table counts them', () => {
  const page = pageOf([rowOf('2', kept)]);
  assert.match(page, /Of several power cuts, the worst is shown\./);
  assert.match(page, /The tries of any other fault hit one load, so their losses are counted together\./);
  assert.doesNotMatch(page, /worst try/);
});

test('a single setting is named, and only what was tried is said to be survived', () => {
  const [killed] = kept;
  assert.equal(
    headingOf(pageOf([rowOf('2', [killed, faultWith('pause-broker', [tryWith(0)])])])),
    'Broker (2) kept every confirmed message through crashes and pause-broker',
  );
  assert.equal(
    headingOf(pageOf([rowOf('1', lost, {evidence: inMemory})])),
    'Broker (1) did not keep every confirmed message through crashes and power cuts',
  );
  assert.equal(
    headingOf(pageOf([rowOf('2', [faultWith('power-loss', [cut, unread])], {evidence: inMemory})])),
    'Broker (2) could not always be read after power cuts',
  );
});

test('a broken promise comes first, and rows that failed or on which nothing was tried are counted', () => {
  const error = {code: 'PB_RUN', message: 'No room.', exitCode: 1};
  const page = pageOf([rowOf('1', kept), rowOf('2', lost), rowOf('3', []), rowOf('4', [], {error})]);
  assert.equal(headingOf(page), 'Broken promise: Broker (2) lost messages confirmed as stored');
  assert.deepEqual(othersOf(page), [
    'Broker: 1 of 2 settings with confirms kept every confirmed message through crashes and power cuts.',
    'Broker: no fault was tried on 1 of its settings.',
    '1 of 4 rows failed.',
  ]);
  assert.equal(
    headingOf(pageOf([rowOf('4', [], {error}), rowOf('5', [], {error})])),
    'Nothing was measured: all 2 rows failed',
  );
});

test('one-way messages arrived or not, and are answered apart from requests', () => {
  const oneWay = (/** @type {Parameters<typeof asking>} */ ...words) => {
    const one = asking(...words);
    return {...one, row: {...one.row, isOneWay: /** @type {const} */ (true)}};
  };
  const missed = [faultWith('kill-server', [tryWith(0)])];
  const page = pageOf([oneWay('one', missed)]);
  assert.equal(
    headingOf(page),
    'Broker (one): 7 of 100 messages did not arrive under kill-server, outage 1.50 s',
  );
  assert.equal(tableOf(page, 'What arrived').length, 1);
  assert.match(page, /The load: 500 one-way messages of 1 KB per second\./);
  const both = pageOf([oneWay('two', missed), asking('one', missed)]);
  assert.match(both, /The load: 500 messages of 1 KB per second, of which at most 64 are outstanding\./);
  assert.equal(tableOf(both, 'What was answered, or arrived').length, 2);
  assert.deepEqual(
    [headingOf(both), ...othersOf(both)],
    [
      'Broker (one): 7 of 100 requests had no reply under kill-server, outage 1.50 s',
      'Broker (two): 7 of 100 messages did not arrive under kill-server, outage 1.50 s.',
    ],
  );
});

test('requests are answered or not, and the outages are beside that', () => {
  const missed = [faultWith('kill-server', [tryWith(0)])];
  const [first] = missed[0].tries;
  const brief = {...first, account: {...tryWith(0).account, lost: 0}, outage: {...first.outage, ms: 30}};
  const answered = [faultWith('kill-server', [/** @type {Try} */ (brief)])];
  assert.equal(
    headingOf(pageOf([asking('one', missed)])),
    'Broker (one): 7 of 100 requests had no reply under kill-server, outage 1.50 s',
  );
  assert.equal(
    headingOf(pageOf([asking('two', answered)])),
    'Broker (two): each of 100 requests had a reply under kill-server, outage 0.03 s',
  );
  const page = pageOf([asking('one', missed), asking('two', answered)]);
  assert.equal(
    headingOf(page),
    '1 of 2 rows had a reply to each request; outages by kill-server from 0.03 s (Broker (two)) to 1.50 s (Broker (one))',
  );
  const endless = {...first, outage: {...first.outage, ms: null}};
  const open = [faultWith('kill-server', [/** @type {Try} */ (endless)])];
  assert.equal(
    headingOf(pageOf([asking('one', open)])),
    'Broker (one): 7 of 100 requests had no reply under kill-server, outage without end',
  );
  assert.equal(
    headingOf(pageOf([asking('one', open), asking('two', answered), asking('three', [])])),
    '1 of 2 rows had a reply to each request; outages by kill-server from 0.03 s (Broker (two)) to no end (Broker (one)); no fault was tried on one row',
  );
  assert.equal(headingOf(pageOf([asking('two', []), asking('three', [])])), 'No fault was tried on 2 rows');
  assert.deepEqual(
    tableOf(page, 'What was answered').map((cells) => cells.length),
    [4, 4],
    'without a queue there is no evidence of writes',
  );
});

test('the table has the class, its evidence and what each fault lost', () => {
  const notTried = [{fault: /** @type {const} */ ('power-loss'), why: 'it needs root'}];
  const [killed] = kept;
  const page = pageOf([rowOf('2', [killed]), asking('rpc', [faultWith('kill-server', [tryWith(0)])])], {
    notTried,
  });
  assert.deepEqual(tableOf(page, 'What the acknowledgements are worth'), [
    [
      ...['Broker (2)', 'on disk before the acknowledgement', '2.00', '4000', '5300', '1.00'],
      ...['0 of 71', 'n/a', 'not tried', '1.50'],
    ],
    ['Broker (rpc)', 'not stored', 'n/a', 'n/a', 'n/a', 'n/a', 'n/a', '7 of 100', 'n/a', '1.50'],
  ]);
  assert.match(page, /<p>power-loss: not tried \(it needs root\)\.<\/p>/);
  assert.match(page, /<p>power-loss was not tried: it needs root\.<\/p>/);
  assert.match(page, /the page cache survives it/);
  assert.match(page, /<li><strong>Broker \(2\)<\/strong>: survived a crash of the broker\.<\/li>/);
});

test('a load that was lower than that of the run, or late before its fault, is named', () => {
  const own = (/** @type {object} */ some) => {
    const [one, ...others] = kept;
    return [{...one, timeline: {...one.timeline, rate: 500, behindMs: 0, ...some}}, ...others];
  };
  const page = pageOf([
    rowOf('slow', own({rate: 150})),
    rowOf('late', own({behindMs: 1234})),
    rowOf('usual', own({})),
  ]);
  assert.match(
    page,
    /<p>Broker \(slow\): its load was 150 messages per second, half of what it sustained\.<\/p>/,
  );
  assert.match(page, /<p>Broker \(late\), kill-broker: the load of 500\/s was 1\.2 s late before the fault/);
  assert.doesNotMatch(page, /Broker \(usual\)[^<]*load/);
});

test('what was kept, lost and never promised look different', () => {
  const page = pageOf([
    rowOf('0', lost, {evidence: silent}),
    rowOf('1', lost, {evidence: inMemory}),
    rowOf('2', kept),
  ]);
  assert.match(page, /<td class="text">77 of 80<\/td>/);
  assert.match(page, /<td class="text failed">all 71<\/td>/);
  assert.match(page, /<td class="text valid">0 of 71<\/td>/);
});

test('each fault that interrupts the load has a chart whose parts say time, replies, response and fault', () => {
  const page = pageOf([rowOf('2', kept)]);
  assert.equal(page.match(/<figure /g)?.length, 1, 'a power cut interrupts nothing');
  assert.match(
    page,
    /<figure id="row-1-kill-broker" class="main">\n<h3>Broker \(2\), kill-broker: outage 1\.50 s</,
  );
  const [, wide] = /<div class="in-wide">(.*?)<\/div>/s.exec(page) ?? [];
  assert.deepEqual(
    [...wide.matchAll(/<g class="point"><title>([^<]*)</g)].map(([, text]) => text),
    [
      'Broker (2), 0.0 to 0.1 s: 500 good replies/s, worst response time 1.50 ms',
      'Broker (2), 0.1 to 0.2 s: 500 good replies/s, worst response time 1.00 ms',
      'Broker (2), 0.2 to 0.3 s: 0.0 good replies/s, during kill-broker',
      'Broker (2), 0.3 to 0.4 s: 0.0 good replies/s, during kill-broker',
      'Broker (2), 0.4 to 0.5 s: 1000 good replies/s, worst response time 312 ms',
      'Broker (2), 0.5 to 0.6 s: 500 good replies/s, worst response time 2.00 ms',
    ],
  );
  assert.equal(wide.match(/class="band"/g)?.length, 3, 'in the legend and in each of two panels');
  assert.match(
    page,
    /<tr><th class="text" scope="row">0\.4 to 0\.5 s<\/th><td>1000<\/td><td>312<\/td><td><\/td><\/tr>/,
  );
});

test('without confirms the chart has what was sent, and an outage without an end says so', () => {
  const noReplies = {...timeline, isConfirmed: false, worstMs: timeline.worstMs.map(() => null)};
  const endless = {...tryWith(0), outage: {...tryWith(0).outage, ms: null, recoveryMs: null}};
  const page = pageOf([
    rowOf('1', [{...faultWith('kill-broker', [/** @type {Try} */ (endless)]), timeline: noReplies}], {
      evidence: silent,
    }),
  ]);
  assert.match(page, /<h3>Broker \(1\), kill-broker: an outage did not end<\/h3>/);
  assert.match(page, />messages sent per second</);
  assert.doesNotMatch(page, /worst response time, ms/);
});

test('the accounts have every count of each try, and why a queue could not be read', () => {
  const page = pageOf([
    rowOf('2', [
      faultWith('kill-broker', [{...unread, unavailable: null}, tryWith(2)]),
      faultWith('power-loss', [cut, unread]),
    ]),
  ]);
  assert.deepEqual(tableOf(page, 'Accounts'), [
    [
      'Broker (2)',
      'kill-broker',
      '2 of 2',
      'all',
      '100',
      '90',
      '1',
      '9',
      '91',
      '90',
      '9',
      '2',
      '3',
      '7',
      '4',
      '5',
      '6',
    ],
    [
      'Broker (2)',
      'kill-broker',
      '2 of 2',
      'hit',
      '80',
      '71',
      '1',
      '8',
      '72',
      '71',
      '8',
      '2',
      '3',
      '7',
      '4',
      '5',
      '6',
    ],
    [
      'Broker (2)',
      'power-loss',
      '1 of 2',
      'all',
      '100',
      '90',
      '1',
      '9',
      '93',
      '92',
      '7',
      '0',
      '3',
      '7',
      '4',
      '5',
      '6',
    ],
  ]);
  assert.match(page, /<li>Broker \(2\), power-loss, 2 of 2: the broker is gone\.<\/li>/);
});

test('the outages have their parts, and one that did not end is no number', () => {
  assert.deepEqual(tableOf(pageOf([rowOf('2', kept)]), 'Outages'), [
    ['Broker (2)', 'kill-broker', '1 of 1', '1500', '1000', '500', 'no end', '1512'],
  ]);
  const [, cuts] = kept;
  assert.match(pageOf([rowOf('2', [cuts])]), /<p>No fault interrupted the load\.<\/p>/);
});

test('the page says where, when and with what it was measured', () => {
  const page = pageOf([rowOf('2', kept)]);
  assert.match(
    page,
    /<p>Done: kill-broker \(.*\), once; power-loss \(.*\), 2 times\. The load: 500 messages of 1 KB per second, of which at most 64 are outstanding\.<\/p>/,
  );
  assert.match(
    page,
    /<p>Measured on AMD EPYC, 2 cores, with Node\.js 22\.1\.0, from 2026-11-27 21:55 UTC\.<\/p>/,
  );
  assert.match(page, /Run e1f6, seed 7\. perf-battle 0\.1\.0\./);
  for (const [name, value] of [
    ['Seed', '7'],
    ['Window', '64'],
    ['CPU', 'AMD EPYC'],
    ['broker', '3.10.8'],
    ['--rate', '500'],
  ])
    assert.ok(page.includes(`<dt>${name}</dt><dd>${value}</dd>`), name);
  assert.match(page, /a kept message proves nothing for a device that loses its own cache/);
});

test('a chart of its own is named by its row and its fault, and its caption says where it was measured', () => {
  const shown = shownOf([rowOf('1', kept), rowOf('2', kept)]);
  assert.deepEqual(
    faultCharts(shown).map(({id}) => id),
    ['row-1-kill-broker', 'row-2-kill-broker'],
  );
  assert.equal(captionOfFaults(shown), 'AMD EPYC, 2 cores · Node.js 22.1.0 · 2026-11-27 · perf-battle e1f6');
});

test('many charts are drawn once', () => {
  const rows = Array.from({length: 9}, (_, index) => rowOf(String(index), kept));
  const page = pageOf(rows);
  assert.equal(page.match(/<figure /g)?.length, 9);
  assert.doesNotMatch(page, /class="in-wide"/);
});

test('what comes from outside is text without marks that change what is shown, and the page loads nothing', () => {
  const hostile = '</script></title><script>alert(1)</script><img src=x onerror="alert(1)">&\u202e\u001b[2J';
  const labels = {facilitator: hostile, qualifier: hostile, settings: [hostile]};
  const error = {code: 'PB_RUN', message: hostile, exitCode: 1};
  const page = pageOf(
    [
      rowOf('', kept, {}, {labels}),
      rowOf('', [faultWith('power-loss', [{...unread, unavailable: hostile}])], {}, {labels}),
      rowOf('', [], {error}, {labels}),
    ],
    {notTried: [{fault: 'fill-disk', why: hostile}], text: hostile},
  );
  assert.equal(page.match(/<script/g)?.length, 1);
  assert.doesNotMatch(page, /<img|\p{Bidi_Control}|[^\P{Cc}\n]/u);
  assert.doesNotMatch(page.replaceAll('http://www.w3.org/2000/svg', ''), /https?:\/\/|@import|url\(/);
});

test('the same run gives the same characters', () => {
  assert.equal(pageOf([rowOf('2', kept)]), pageOf([rowOf('2', kept)]));
});
