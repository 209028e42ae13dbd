import {addressSettings, pathOf, resultOf} from './harness.js';
import {estimateMedian} from './pairs.js';
import {runNode, startServer} from './processes.js';

/**
 * @import {Bench} from './index.js'
 * @import {Row} from './report.js'
 */

const load = {
  PB_RATE: '5000',
  PB_DURATION: '3s',
  PB_WARMUP: '500ms',
  PB_WORKLOAD: 'rtt',
  PB_OUTPUT: 'ndjson',
};
const transports = ['tcp', 'websocket'];

/**
 * How late an open loop of 5,000 messages per second sends: the 99th percentile of the delay between the scheduled and the actual send time.
 *
 * @param {Bench} bench
 * @returns {AsyncGenerator<Row>}
 */
export async function* measureSendLag({pairs, signal, onPair}) {
  for (const transport of transports) {
    const what = `${transport}, 5,000/s: p99 of the send lag`;
    const server = await startServer(pathOf(`../src/${transport}-server.js`), {settings: {}, signal});
    try {
      const settings = {...load, ...addressSettings(server.address)};
      const lags = [];
      for (let run = 0; run < pairs; run += 1) {
        onPair(what, run);
        lags.push(await runOnce(transport, settings, signal));
      }
      yield {what, bound: {sign: '<=', limit: 1}, estimate: estimateMedian(lags), unit: 'ms', sides: null};
    } finally {
      await server.end();
    }
  }
}

/** @param {string} transport @param {Record<string, string>} settings @param {AbortSignal} signal @returns {Promise<number>} ms */
async function runOnce(transport, settings, signal) {
  const printed = await runNode([pathOf(`../src/${transport}-client.js`)], {settings, signal});
  return resultOf(printed).beside.sendLag.p99Ms;
}
