import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {RunError} from '../../../src/errors.js';
import {accountOf} from '../../../src/faults/account.js';
import {decodeLog} from '../../../src/measure/message-log.js';
import {makePayloadRing} from '../../../src/payload/ring.js';
import {sequenceOf} from '../../../src/payload/stamp.js';
import {requestCachedSteadily} from '../../../src/workloads/account/cached/role.js';
import {requestRowsSteadily} from '../../../src/workloads/account/recordset/role.js';
import {requestSteadily} from '../../../src/workloads/account/requests/role.js';
import {storeSteadily} from '../../../src/workloads/account/store/role.js';
import {makeRequestRing, readRequest} from '../../../src/workloads/recordset/request.js';
import {encodeInChunks, makeRows} from '../../../src/workloads/recordset/rows.js';

/**
 * @import {Client} from '../../../src/transports/transport.js'
 * @import {WorkloadContext} from '../../../src/workloads/workload.js'
 */

const runMs = 250;

/**
 * A transport that does with each message what a script says, and loses its connection when the script says so.
 * @typedef {'keep and confirm' | 'keep only' | 'confirm only' | 'refuse' | 'forget' | 'lose the connection'} Act
 */

/** @param {Buffer} request */
function echo(request) {
  return Buffer.from(request);
}

/**
 * @param {readonly Act[]} script is repeated
 * @param {{answer?: (request: Buffer) => Buffer, refusal?: Error}} [how] answer: the right reply; refusal: why a request is refused
 */
function scripted(script, {answer = echo, refusal = new Error('scripted')} = {}) {
  /** @type {Set<number>} */
  const kept = new Set();
  const counts = {sent: 0, connections: 0};
  /** @returns {Client} */
  const open = () => {
    counts.connections += 1;
    /** @type {(error: Error) => void} */
    let lose = () => {};
    const closed = new Promise((_, reject) => {
      lose = reject;
    });
    closed.catch(() => {});
    const act = (/** @type {Buffer} */ payload, /** @type {{yes: () => void, no: () => void}} */ answer) => {
      const what = script[counts.sent % script.length];
      counts.sent += 1;
      if (what === 'keep and confirm' || what === 'keep only') kept.add(sequenceOf(payload));
      if (what === 'keep and confirm' || what === 'confirm only') setImmediate(answer.yes);
      if (what === 'refuse') setImmediate(answer.no);
      if (what === 'lose the connection') lose(new Error('scripted'));
    };
    return /** @type {any} */ ({
      closed,
      store: {
        put: (/** @type {Buffer} */ payload, /** @type {any} */ {confirmed, refused}) => {
          act(payload, {yes: confirmed, no: refused});
          return true;
        },
        drained: async () => {},
        awaitsConfirms: true,
      },
      ask: (/** @type {Buffer} */ payload, /** @type {any} */ {resolve, reject}) => {
        const reply = answer(payload);
        act(payload, {yes: () => resolve(reply), no: () => reject(refusal)});
      },
      close: async () => {},
    });
  };
  const connection = {
    client: open(),
    renew: async () => {
      connection.client = open();
      return true;
    },
  };
  return {connection, kept, counts};
}

/** It counts as acknowledged by a consumer what it kept. @param {ReturnType<typeof scripted>} transport */
function seenOf({kept}) {
  return {received: kept, acknowledged: kept};
}

/**
 * @param {ReturnType<typeof scripted>} transport
 * @param {{resend: boolean, run?: (context: any) => Promise<any>, timeoutMs?: number, window?: number, own?: object,
 *   ring?: ReturnType<typeof makePayloadRing>}} how own: settings of the workload
 */
async function load({connection}, how) {
  const {resend, run = storeSteadily, timeoutMs = 60, window = 16, own = {}} = how;
  const {ring = makePayloadRing({payloadBytes: 64, seed: 1})} = how;
  const options = {rate: 4000, window, resend, timeoutMs, ...own};
  /** @type {Partial<WorkloadContext<typeof options>>} */
  const context = {
    ...{connection, ring, options: /** @type {any} */ (options), signal: new AbortController().signal},
    warmedUp: async () => {},
    slices: () => /** @type {any} */ (endAfter(runMs)),
    onMeasured: () => {},
  };
  const {account} = await run(/** @type {any} */ (context));
  return decodeLog(account.log);
}

/** @param {number} ms */
async function* endAfter(ms) {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** @type {Act[]} */
const acts = ['keep and confirm', 'keep only', 'confirm only', 'refuse', 'forget', 'lose the connection'];

test('the account adds up, whatever a broker does with messages and connections', async () => {
  const script = fc.array(fc.constantFrom(...acts), {minLength: 1, maxLength: 12});
  await fc.assert(
    fc.asyncProperty(script, fc.boolean(), async (own, resend) => {
      const transport = scripted([...own, 'keep and confirm']);
      const log = await load(transport, {resend});
      const found = accountOf(log, seenOf(transport));
      assert.equal(found.sent, log.messages);
      assert.equal(found.sent, found.received + found.lost);
      assert.equal(found.sent, found.confirmed + found.refused + found.open);
      assert.equal(found.received, transport.kept.size, 'nothing was kept that was not sent');
      assert.equal(found.acknowledged, found.received);
      assert.equal(transport.counts.sent, log.messages + log.resent, 'each send is counted');
      if (!own.includes('confirm only')) assert.equal(found.confirmedLost, 0);
      const retried = Number(found.retried);
      assert.ok(retried <= log.resent && retried > 0 === log.resent > 0, `${retried} of ${log.resent}`);
      if (!resend) assert.equal(log.resent, 0);
    }),
    {numRuns: 12},
  );
});

test('a message that was confirmed and not kept is lost, although it was confirmed', async () => {
  const transport = scripted(['keep and confirm', 'confirm only']);
  const {confirmed, confirmedLost, received} = accountOf(
    await load(transport, {resend: false}),
    seenOf(transport),
  );
  assert.ok(confirmed > 100, `${confirmed}`);
  assert.ok(Math.abs(confirmedLost - confirmed / 2) <= 1, `${confirmedLost} of ${confirmed}`);
  assert.ok(Math.abs(received - confirmed / 2) <= 1);
});

test('a message without an outcome ends its connection after the timeout, and the load goes on', async () => {
  const transport = scripted([...Array(30).fill('keep and confirm'), 'forget']);
  const log = await load(transport, {resend: true});
  assert.ok(transport.counts.connections > 1);
  assert.match(log.outages[0].reason, /no outcome within 60 ms/);
  const {open, sent} = accountOf(log, seenOf(transport));
  assert.ok(open < sent / 4, `${open} of ${sent} are open`);
});

test('requests that fail are sent again with growing waits, if that is asked for', async () => {
  const transport = scripted([...Array(9).fill('keep and confirm'), 'refuse']);
  const once = await load(transport, {resend: false, run: requestSteadily});
  assert.ok(accountOf(once, null).lost > 0);
  const again = await load(scripted([...Array(9).fill('keep and confirm'), 'refuse']), {
    resend: true,
    run: requestSteadily,
  });
  const {lost, sent} = accountOf(again, null);
  assert.ok(again.resent > 0);
  // What is due to be sent again at the end stays open.
  assert.ok(lost <= 16, `${lost} of ${sent}`);
});

test('requests that a broker refuses count as refused, and are sent again if that is asked for', async () => {
  for (const code of /** @type {const} */ (['PB_NACK', 'PB_RETURNED'])) {
    const refusing = () =>
      scripted([...Array(9).fill('keep and confirm'), 'refuse'], {
        refusal: new RunError('scripted', {code}),
      });
    const once = accountOf(await load(refusing(), {resend: false, run: requestSteadily}), null);
    assert.ok(once.refused > 0 && once.open === 0, JSON.stringify(once));
    assert.equal(once.sent, once.confirmed + once.refused);
    const again = await load(refusing(), {resend: true, run: requestSteadily});
    const {refused, lost, sent} = accountOf(again, null);
    assert.ok(again.resent > 0 && refused === 0 && lost <= 16, `${lost} of ${sent}`);
  }
});

test('requests that a dead server took do not hold up the next one, which shows that another serves', async () => {
  const rest = Array(5000).fill('keep and confirm');
  const transport = scripted([...Array(5).fill('forget'), 'refuse', ...rest]);
  const log = await load(transport, {resend: false, run: requestSteadily, timeoutMs: 1500, window: 6});
  const {confirmed, open} = accountOf(log, null);
  assert.ok(confirmed > 5, `${confirmed} replies, although one server of two answers`);
  assert.equal(open, 6);
});

const cachedSettings = {hitRatio: 0.5, cacheIn: 'memory', seed: 1};

test('the account of requests through a cache adds up, and half of the replies come from the cache', async () => {
  const transport = scripted([...Array(40).fill('keep and confirm'), 'forget', 'lose the connection']);
  const log = await load(transport, {resend: false, run: requestCachedSteadily, own: cachedSettings});
  const {sent, confirmed, open, refused, received} = accountOf(log, null);
  assert.deepEqual([sent, received, refused], [confirmed + open, confirmed, 0]);
  const hits = sent - transport.counts.sent;
  assert.ok(Math.abs(hits - sent / 2) <= sent / 10 + 50, `${hits} hits of ${sent}`);
  assert.ok(open > 0 && confirmed > hits, `${open} without a reply`);
});

test('a cache answers while its server does not, up to the first request that has no place in the window', async () => {
  const transport = scripted([...Array(20).fill('keep and confirm'), ...Array(100_000).fill('forget')]);
  const how = {resend: false, run: requestCachedSteadily, own: cachedSettings, timeoutMs: 5000, window: 8};
  const log = await load(transport, {...how, timeoutMs: 300});
  const {sent, open} = accountOf(log, null);
  assert.equal(open, 8, 'a window of requests waits');
  assert.ok(sent > 28 + 4, `${sent - 28} hits`);
});

const rowsSettings = {rows: 3, delivery: 'preloaded', seed: 1};

/** @param {Buffer} request @returns {Buffer} */
function answerRows(request) {
  const {stamp, rows} = /** @type {NonNullable<ReturnType<typeof readRequest>>} */ (readRequest(request));
  return Buffer.concat([...encodeInChunks(stamp, makeRows(rows, 1), rows)]);
}

test('a request for rows has the right reply only if its rows have the right values', async () => {
  const makeRing = () => makeRequestRing(/** @type {any} */ ({...rowsSettings, window: 16}));
  const how = {resend: false, run: requestRowsSteadily, own: rowsSettings};
  const right = await load(scripted(['keep and confirm'], {answer: answerRows}), {...how, ring: makeRing()});
  const {sent, confirmed, open} = accountOf(right, null);
  assert.ok(confirmed > 50 && sent === confirmed + open && open <= 16, `${confirmed} of ${sent}`);
  const others = (/** @type {Buffer} */ request) => {
    const answer = answerRows(request);
    answer[answer.length - 1] ^= 1;
    return answer;
  };
  const wrong = await load(scripted(['keep and confirm'], {answer: others}), {...how, ring: makeRing()});
  const found = accountOf(wrong, null);
  assert.deepEqual([found.confirmed, found.received, found.refused > 50], [0, 0, true]);
});
