import assert from 'node:assert/strict';
import {test} from 'node:test';
import {quantileSorted} from 'simple-statistics';
import {eachInAWorkplace} from './support/each-in-a-workplace.js';
import {faulty, stalling, startScriptedServer} from './support/scripted-servers.js';

/** @import {Script} from './support/scripted-servers.js' */

const place = eachInAWorkplace();

/**
 * A client by hand against a server of the test; its result.
 * @param {'tcp' | 'websocket' | 'http'} transport
 * @param {Script} script
 * @param {Record<string, string>} settings PB_ names without PB_
 */
async function measure(transport, script, settings) {
  const server = await startScriptedServer(transport, script);
  try {
    const environment = Object.fromEntries(
      Object.entries({
        SERVER_PORT: String(server.port),
        SERVER_HOST: '127.0.0.1',
        OUTPUT: 'ndjson',
        ...settings,
      }).map(([name, value]) => [`PB_${name}`, value]),
    );
    const client = place().start(`${transport}-client`, [], environment);
    const {stdout, stderr} = await client.ended;
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const result = events.find(({event}) => event === 'result');
    assert.ok(result, `${stdout}${stderr}`);
    return result;
  } finally {
    server.close();
  }
}

const stall = {everyMs: 10_000, forMs: 1000};

// What the client measured is compared with what the server did, by the server's own clock readings: a host that is busy delays both alike.
test('at a rate, the response times behind a server that stalls 1 s in every 10 s count from the intended time', async () => {
  const rate = 1000;
  const {script, answers} = stalling(stall);
  const {rtt, beside, counts} = await measure('tcp', script, {
    WORKLOAD: 'rtt',
    RATE: String(rate),
    DURATION: '10s',
    WARMUP: '50',
  });
  const {sent, received, lost} = counts;
  assert.deepEqual([sent, received, lost], [rate * 10, rate * 10, 0]);

  const measured = answers.slice(-rate * 10);
  const offsetMs = (/** @type {number} */ index) => (index * 1000) / rate;
  const beginMs = Math.min(...measured.map(({arrivedMs}, index) => arrivedMs - offsetMs(index)));
  const responses = measured.map(({answeredMs}, index) => answeredMs - beginMs - offsetMs(index));
  // A client that the host delays sends and reads late, and its response times count that.
  for (const [figure, share] of /** @type {const} */ ([
    ['p99Ms', 0.99],
    ['p999Ms', 0.999],
    ['maxMs', 1],
  ])) {
    const scripted = quantile(responses, share);
    const most = 1.05 * scripted + beside.sendLag.maxMs;
    assert.ok(
      rtt[figure] >= 0.95 * scripted && rtt[figure] <= most,
      `${figure} ${rtt[figure]}: ${scripted} to ${most}`,
    );
    // A tenth of the requests fall into a stall and wait for its end, each time between 0 and 1 s equally often.
    const least = stall.forMs * (1 - (1 - share) * (stall.everyMs / stall.forMs));
    assert.ok(scripted >= 0.98 * least, `${scripted} is less than ${least}`);
  }
  // Nine in ten wait for no stall, neither before they are sent nor for their answers.
  assert.ok(rtt.p75Ms < stall.forMs / 4, `p75 ${rtt.p75Ms} ms`);
  assert.ok(beside.sendLag.p90Ms < stall.forMs / 4, `${beside.sendLag.p90Ms} ms late`);
});

test('in a closed loop the same stalls are in as they were seen, one request each, and nothing is filled in', async () => {
  const {script, answers} = stalling({everyMs: 1000, forMs: 200});
  const {rtt, counts} = await measure('tcp', script, {WORKLOAD: 'rtt', DURATION: '3s', WARMUP: '50'});
  assert.equal(counts.sent, rtt.samples);
  const last = answers.length - 1;
  const measured = answers.slice(50, last);
  // A request left after the reply before it was sent, and its own reply was there before the next request came.
  const least = measured.map(({arrivedMs, answeredMs}) => answeredMs - arrivedMs);
  const most = measured.map((_, index) => answers[51 + index].arrivedMs - answers[49 + index].answeredMs);
  assert.ok(Math.max(...least) >= 190, 'the server did stall');
  for (const [figure, share] of /** @type {const} */ ([
    ['p999Ms', 0.999],
    ['maxMs', 1],
  ])) {
    // A busy host has too few samples for it.
    if (rtt[figure] === null && rtt.samples < 10_000) continue;
    const [from, to] = [quantile(least, share), quantile(most, share)];
    assert.ok(rtt[figure] >= 0.99 * from && rtt[figure] <= 1.01 * to, `${rtt[figure]}: ${from} to ${to}`);
  }
});

/** @param {readonly number[]} values @param {number} share */
function quantile(values, share) {
  return quantileSorted(
    values.toSorted((one, other) => one - other),
    share,
  );
}

const samples = 2000;
const warmUp = 100;
const k = 50;
const chosen = samples / k;
/** Longer than a busy host keeps any other request waiting. */
const timeout = '1s';

for (const transport of /** @type {const} */ (['tcp', 'websocket', 'http'])) {
  const run = (
    /** @type {'lose' | 'duplicate' | 'reorder' | 'corrupt'} */ fault,
    /** @type {Record<string, string>} */ settings = {},
  ) =>
    measure(transport, faulty({k, after: warmUp, fault}), {
      WORKLOAD: 'pipeline',
      WINDOW: '16',
      SAMPLES: String(samples),
      WARMUP: String(warmUp),
      PAYLOAD_BYTES: '256',
      VERIFY: 'all',
      ...settings,
    });

  test(`${transport}: replies that are lost are counted, each at no less than the timeout`, async () => {
    const {counts, rtt} = await run('lose', {TIMEOUT: timeout});
    assert.deepEqual(
      [counts.sent, counts.received, counts.lost, counts.timedOut, counts.retried],
      [samples, samples - chosen, chosen, chosen, 0],
    );
    assert.ok(rtt.maxMs >= 1000);
    assert.equal(counts.verified, samples - chosen);
  });

  test(`${transport}: with a retry, what was lost is sent again and counted as retried`, async () => {
    const {counts} = await run('lose', {RETRIES: '3', TIMEOUT: timeout});
    assert.deepEqual([counts.sent, counts.received, counts.lost], [samples, samples, 0]);
    assert.equal(counts.retried, counts.timedOut);
    // Of the replies to those sent again every k-th is lost too.
    assert.ok(counts.retried >= chosen && counts.retried <= chosen + 2, String(counts.retried));
  });

  test(`${transport}: replies that are corrupted are counted, and the first is named`, async () => {
    const {counts} = await run('corrupt');
    assert.deepEqual(
      [counts.received, counts.corrupted, counts.verified],
      [samples, chosen, samples - chosen],
    );
  });

  if (transport === 'http') continue;

  test(`${transport}: replies that come twice are counted`, async () => {
    const {counts} = await run('duplicate');
    assert.deepEqual([counts.received, counts.duplicated, counts.corrupted], [samples, chosen, 0]);
  });

  test(`${transport}: replies that come after a later one are counted, and answer their own request`, async () => {
    const {counts} = await run('reorder');
    assert.deepEqual(
      [counts.received, counts.reordered, counts.corrupted, counts.lost],
      [samples, chosen, 0, 0],
    );
  });
}
