import assert from 'node:assert/strict';
import {test} from 'node:test';
import {concludeFaults, exitOfFaults} from '../../src/faults/conclude.js';

/** @import {Account, Evidence, FoundOfRow, Try} from '../../src/faults/found.js' */

/** @type {Evidence} */
const onDisk = {
  ...{messages: 500, payloadBytes: 1024, isConfirmed: true, rttMs: 2, ratePerSecond: 4000},
  ...{dirtiedBytesPerMessage: 5300, flushesPerMessage: 1},
};

/** @param {Partial<FoundOfRow>} some @param {object} [row] @returns {FoundOfRow} */
function foundOf(some, row = {}) {
  const labels = {facilitator: 'RabbitMQ', qualifier: 'mode 2', settings: [], persistent: 'Yes'};
  const own = {
    number: 1,
    transport: 'x',
    variant: {},
    labels,
    payloadBytes: 1024,
    stores: true,
    broker: 'x',
    ...row,
  };
  return {row: /** @type {any} */ (own), evidence: onDisk, faults: [], error: null, ...some};
}

const nameOf = (/** @type {FoundOfRow['row']} */ {labels}) => `${labels.qualifier}`;

const strikes = [2000, 3000, 4000].map((fromMs) => ({fromMs, untilMs: fromMs + 50}));
const timeline = {partMs: 100, isConfirmed: true, goodPerSecond: [500], worstMs: [1], faults: strikes};

/** @param {number} confirmedLost @returns {Try} */
function tryWith(confirmedLost) {
  const account = {
    ...{
      sent: 100,
      confirmed: 90,
      refused: 0,
      open: 10,
      received: 90 - confirmedLost,
      acknowledged: 90 - confirmedLost,
      lost: 10 + confirmedLost,
    },
    ...{confirmedLost, unconfirmedReceived: 0},
  };
  const arrival = {duplicated: 0, reordered: 0, corrupted: 0};
  const outage = {ms: 1500, restartMs: 1000, recoveryMs: 500, rateBackMs: 600, worstMs: 1500};
  return {account, atRisk: account, outage, unavailable: null, arrival};
}

test('a row that keeps all confirmed messages has the class of its writes', () => {
  const [one] = concludeFaults({
    rows: [
      foundOf({
        faults: [
          {fault: 'kill-broker', tries: [tryWith(0)], timeline},
          {fault: 'power-loss', tries: [tryWith(0), tryWith(0)], timeline},
        ],
      }),
    ],
  });
  assert.equal(one.class, 'on disk before the acknowledgement');
  assert.equal(one.isBroken, false);
  assert.match(one.sentence, /^survived a crash of the broker and a power cut/);
  assert.deepEqual(one.faults[0], {
    ...{fault: 'kill-broker', outcome: 'kept', tries: 1, lost: 0, of: 90, unavailable: 0, why: null},
    ...{
      outageMs: 1500,
      outageEnd: 'ended',
      restartMs: 1000,
      account: tryWith(0).account,
      found: [tryWith(0)],
      timeline,
    },
  });
});

test('the worst of several tries counts, and a confirmed message that a flushed write lost is a broken promise', () => {
  const conclusions = concludeFaults({
    rows: [foundOf({faults: [{fault: 'power-loss', tries: [tryWith(0), tryWith(7), tryWith(2)], timeline}]})],
  });
  assert.equal(conclusions[0].faults[0].lost, 7);
  assert.deepEqual(
    conclusions[0].faults[0].account,
    tryWith(7).account,
    'the account is that of the same try',
  );
  assert.equal(conclusions[0].isBroken, true);
  assert.equal(conclusions[0].class, 'in the page cache');
  assert.match(conclusions[0].sentence, /^broken promise/);
  assert.deepEqual(exitOfFaults(conclusions, nameOf), {
    code: 1,
    sentence: 'Exit code 1: messages confirmed as stored were lost (mode 2).',
  });
});

test('a message in memory that a crash loses breaks no promise', () => {
  const evidence = {...onDisk, dirtiedBytesPerMessage: 3, flushesPerMessage: 0};
  const conclusions = concludeFaults({
    rows: [foundOf({evidence, faults: [{fault: 'kill-broker', tries: [tryWith(90)], timeline}]})],
  });
  assert.equal(conclusions[0].class, 'in memory');
  assert.deepEqual(exitOfFaults(conclusions, nameOf), {code: 0, sentence: null});
  assert.match(conclusions[0].sentence, /^did not survive a crash of the broker/);
});

test('a crash that lost a part of the messages has their count, because the class alone hides it', () => {
  const [one] = concludeFaults({
    rows: [
      foundOf({
        evidence: {...onDisk, flushesPerMessage: 0},
        faults: [
          {fault: 'kill-broker', tries: [tryWith(1)], timeline},
          {fault: 'power-loss', tries: [tryWith(90)], timeline},
        ],
      }),
    ],
  });
  assert.equal(one.class, 'in memory');
  assert.match(
    one.sentence,
    /^did not survive a power cut, a crash of the broker lost 1 of 90 confirmed messages$/,
  );
});

test('the exit code has a sentence: what was lost or unread comes before rows that failed', () => {
  const unread = {account: null, atRisk: null, outage: null, unavailable: 'it is gone', arrival: null};
  const error = {code: 'PB_BROKER_UNAVAILABLE', message: 'No broker.', exitCode: 3};
  const failed = foundOf({error, faults: []});
  const rows = [foundOf({faults: [{fault: 'kill-broker', tries: [unread], timeline}]}), failed];
  assert.deepEqual(exitOfFaults(concludeFaults({rows}), nameOf), {
    code: 1,
    sentence: 'Exit code 1: messages could not be read after a fault, so losses are unknown (mode 2).',
  });
  assert.deepEqual(exitOfFaults(concludeFaults({rows: [failed]}), nameOf), {
    code: 3,
    sentence: 'Exit code 3: not measured (mode 2).',
  });
});

test('without confirms, what was sent and never seen counts', () => {
  const evidence = {...onDisk, isConfirmed: false, rttMs: null};
  const [one] = concludeFaults({
    rows: [foundOf({evidence, faults: [{fault: 'kill-broker', tries: [tryWith(5)], timeline}]})],
  });
  assert.equal(one.class, 'fire and forget');
  assert.deepEqual([one.faults[0].lost, one.faults[0].of], [15, 100]);
});

test('messages that cannot be read are not 0 lost', () => {
  const unread = {
    account: null,
    atRisk: null,
    outage: null,
    unavailable: 'the broker does not return: it crashed',
    arrival: null,
  };
  const [one] = concludeFaults({
    rows: [foundOf({faults: [{fault: 'power-loss', tries: [unread], timeline}]})],
  });
  assert.deepEqual(
    [one.faults[0].outcome, one.faults[0].lost, one.faults[0].why, one.faults[0].account],
    ['unavailable', null, 'the broker does not return: it crashed', null],
  );
});

test('a fault that a person asked for, and that no row had, decides the exit code if nothing else does', () => {
  const conclusions = concludeFaults({
    rows: [foundOf({faults: [{fault: 'kill-broker', tries: [tryWith(0)], timeline}]})],
  });
  assert.equal(exitOfFaults(conclusions, nameOf, ['kill-broker']).code, 0);
  assert.deepEqual(exitOfFaults(conclusions, nameOf, ['kill-broker', 'power-loss']), {
    code: 3,
    sentence: 'Exit code 3: not tried here, although asked for (power-loss).',
  });
  const error = {code: 'PB_ROLE_DIED', message: 'The client died.', exitCode: 1};
  assert.equal(
    exitOfFaults(concludeFaults({rows: [foundOf({error, faults: []})]}), nameOf, ['power-loss']).code,
    1,
  );
});

test('a fault that was not done is not tried', () => {
  const [one] = concludeFaults({rows: [foundOf({})]});
  assert.deepEqual([one.faults, one.isBroken, one.class], [[], false, 'on disk before the acknowledgement']);
  assert.match(one.sentence, /^no fault was tried/);
});

test('the latency of a confirm is compared with the quickest one', () => {
  const conclusions = concludeFaults({
    rows: [foundOf({}), foundOf({evidence: {...onDisk, rttMs: 3.6}}, {number: 2})],
  });
  assert.match(conclusions[0].sentence, /no confirm of this table is quicker$/);
  assert.match(conclusions[1].sentence, /a confirm takes 1\.8 times as long as the quickest of this table$/);
});

test('one-way messages that did not arrive are counted, and have no class', () => {
  const concluded = (/** @type {number} */ lost, duplicated = 0) => {
    const some = {...tryWith(0), arrival: {duplicated, reordered: 0, corrupted: 0}};
    const account = {.../** @type {Account} */ (some.account), lost, received: 100 - lost};
    const [one] = concludeFaults({
      rows: [
        foundOf(
          {evidence: null, faults: [{fault: 'kill-server', tries: [{...some, account}], timeline}]},
          {stores: false, isOneWay: true, broker: null},
        ),
      ],
    });
    return one;
  };
  assert.equal(concluded(0).sentence, 'each message arrived');
  assert.equal(concluded(0, 5).sentence, 'each message arrived; kill-server: 5 messages arrived again');
  const {sentence, class: found, guarantee, isBroken} = concluded(10);
  assert.equal(sentence, 'kill-server: 10 of 100 messages did not arrive');
  assert.deepEqual([found, guarantee, isBroken], [null, null, false]);
});

test('requests are not stored: those without a reply are counted', () => {
  const [one] = concludeFaults({
    rows: [
      foundOf(
        {evidence: null, faults: [{fault: 'kill-server', tries: [tryWith(0)], timeline}]},
        {stores: false, broker: null},
      ),
    ],
  });
  assert.equal(one.class, 'not stored');
  assert.equal(one.sentence, 'kill-server: 10 of 100 requests had no reply');
});

test('a row that failed says why', () => {
  const [one] = concludeFaults({
    rows: [foundOf({error: {code: 'PB_RUN', message: 'No room.\nMore', exitCode: 1}})],
  });
  assert.equal(one.sentence, 'failed: No room');
});

test('where nothing was confirmed, nothing was tried, and nothing is kept', () => {
  const none = {
    ...{sent: 5, confirmed: 0, refused: 0, open: 5, received: 0, lost: 5},
    ...{confirmedLost: 0, unconfirmedReceived: 0, acknowledged: null},
  };
  const tries = [{...tryWith(0), account: none, atRisk: none}];
  const [one] = concludeFaults({
    rows: [
      foundOf({
        evidence: null,
        faults: [
          {fault: 'kill-broker', tries, timeline},
          {fault: 'power-loss', tries, timeline},
        ],
      }),
    ],
  });
  assert.deepEqual([one.class, one.faults.map(({outcome}) => outcome)], [null, ['not tried', 'not tried']]);
  assert.equal(one.sentence, 'no fault was tried');
});

test('a fault that only stops a broker shows in the sentence, and breaks a promise if it loses messages', () => {
  const [kept, lost] = concludeFaults({
    rows: [
      foundOf({faults: [{fault: 'stop-broker', tries: [tryWith(0)], timeline}]}),
      foundOf({faults: [{fault: 'stop-broker', tries: [tryWith(3)], timeline}]}),
    ],
  });
  assert.match(kept.sentence, /^survived stop-broker/);
  assert.deepEqual([kept.isBroken, lost.isBroken], [false, true]);
});

test('the longest of several outages counts: a fault may hit a server that nobody uses', () => {
  const short = {...tryWith(0), outage: {...tryWith(0).outage, ms: 10}};
  const [one] = concludeFaults({
    rows: [
      foundOf(
        {faults: [{fault: 'pause-server', tries: [tryWith(0), /** @type {Try} */ (short)], timeline}]},
        {stores: false},
      ),
    ],
  });
  assert.equal(one.faults[0].outageMs, 1500);
});

for (const [what, lost, duplicated, expected] of /** @type {const} */ ([
  ['loses', 3, 0, /^survived a crash of the broker; what its consumer held was lost with it$/],
  [
    'gets again',
    0,
    12,
    /^survived a crash of the broker; what its consumer held was delivered again, 12 messages$/,
  ],
]))
  test(`what a killed consumer ${what} says nothing about what the broker promised`, () => {
    const own = {...tryWith(lost), arrival: {duplicated, reordered: 0, corrupted: 0}};
    const faults = [
      {fault: /** @type {const} */ ('kill-broker'), tries: [tryWith(0)], timeline},
      {fault: /** @type {const} */ ('kill-consumer'), tries: [own], timeline},
    ];
    const [one] = concludeFaults({rows: [foundOf({faults})]});
    assert.deepEqual([one.class, one.isBroken], ['on disk before the acknowledgement', false]);
    assert.match(one.sentence, expected);
    assert.equal(one.faults[1].outcome, lost > 0 ? 'lost' : 'kept');
    const silent = {...onDisk, isConfirmed: false, rttMs: null};
    const [unconfirmed] = concludeFaults({rows: [foundOf({evidence: silent, faults: [faults[1]]})]});
    assert.match(
      unconfirmed.sentence,
      /^nothing is confirmed, so nothing is promised; what its consumer held/,
    );
  });

test('where only a consumer was killed, no fault was tried on the broker, and the sentence is about the consumer', () => {
  const [one] = concludeFaults({
    rows: [foundOf({faults: [{fault: 'kill-consumer', tries: [tryWith(2)], timeline}]})],
  });
  assert.equal(one.sentence, 'what its consumer held was lost with it');
});

test('a row that failed has no class, although its writes were seen', () => {
  const error = {code: 'PB_RUN', message: 'The client ended.', exitCode: 1};
  const faults = [{fault: /** @type {const} */ ('power-loss'), tries: [tryWith(0)], timeline}];
  const [one] = concludeFaults({rows: [foundOf({error, faults})]});
  assert.deepEqual([one.class, one.guarantee, one.isBroken], [null, null, false]);
  assert.equal(one.sentence, 'failed: The client ended');
});

for (const [what, outages, expected] of /** @type {const} */ ([
  ['no outage', [], {outageMs: null, outageEnd: 'none'}],
  ['an outage that ended', [300, 200], {outageMs: 300, outageEnd: 'ended'}],
  ['an outage without an end', [300, null], {outageMs: null, outageEnd: 'open'}],
]))
  test(`a program tells ${what} from the others`, () => {
    const known = tryWith(0);
    const tries = outages.map((ms) => ({...known, outage: {.../** @type {any} */ (known.outage), ms}}));
    const all = tries.length > 0 ? tries : [{...known, outage: null}];
    const requests = {stores: false, broker: null};
    const found = foundOf({evidence: null, faults: [{fault: 'kill-server', tries: all, timeline}]}, requests);
    const [{faults: own, sentence}] = concludeFaults({rows: [found]});
    assert.deepEqual({outageMs: own[0].outageMs, outageEnd: own[0].outageEnd}, expected);
    assert.equal(sentence.includes('the outage of kill-server has no end'), expected.outageEnd === 'open');
  });

test('a row says what its consumer held when it was killed, and when its queue could not be read', () => {
  const sentenceWith = (/** @type {Partial<Try>} */ some) =>
    concludeFaults({
      rows: [foundOf({faults: [{fault: 'kill-consumer', tries: [{...tryWith(0), ...some}], timeline}]})],
    })[0].sentence;
  assert.match(sentenceWith({}), /its consumer held nothing when it was killed/);
  assert.match(
    sentenceWith({arrival: {duplicated: 4, reordered: 0, corrupted: 0}}),
    /was delivered again, 4 messages/,
  );
  const unread = sentenceWith({account: null, atRisk: null, unavailable: 'no leader', arrival: null});
  assert.match(unread, /its queue could not be read after its consumer was killed/);
  assert.doesNotMatch(unread, /no fault was tried/);
});

test('a broken promise counts, also if the row fails later', () => {
  const error = {code: 'PB_BROKER_UNAVAILABLE', message: 'The second broker did not start.', exitCode: 3};
  const faults = [{fault: /** @type {const} */ ('kill-broker'), tries: [tryWith(3)], timeline}];
  const [one] = concludeFaults({rows: [foundOf({faults, error})]});
  assert.deepEqual([one.isBroken, one.class, one.guarantee], [true, null, null]);
  assert.match(one.sentence, /^failed: The second broker did not start; broken promise/);
  const [whole] = concludeFaults({rows: [foundOf({faults: [], error})]});
  assert.deepEqual([whole.isBroken, whole.sentence], [false, 'failed: The second broker did not start']);
});

test('what a late power cut leaves may be what the kernel wrote by itself, and shows no batches', () => {
  const cached = {...onDisk, dirtiedBytesPerMessage: 1100, flushesPerMessage: 0};
  const classOf = (/** @type {[atMs: number, lost: number][]} */ ...cuts) => {
    const faults = cuts.map(([fromMs]) => ({fromMs, untilMs: fromMs + 50}));
    const tries = cuts.map(([, lost]) => tryWith(lost));
    const powerLoss = {fault: /** @type {const} */ ('power-loss'), tries, timeline: {...timeline, faults}};
    const [one] = concludeFaults({rows: [foundOf({evidence: cached, faults: [powerLoss]})]});
    return one.class;
  };
  assert.equal(classOf([2000, 10], [4000, 20]), 'batched on disk');
  assert.equal(classOf([2000, 10], [4000, 90]), 'in the page cache');
  assert.equal(classOf([2000, 90], [40_000, 89]), 'in the page cache');
  assert.equal(classOf([35_000, 40], [40_000, 60]), 'in the page cache');
  assert.equal(classOf([2000, 10], [40_000, 90]), 'batched on disk');
});
