import {addressSettings, halfOf, resultOf} from './harness.js';
import {estimateMedian, repeat, requireFigure, scaled} from './pairs.js';
import {runNode, startServer} from './processes.js';

/** @import {Bench, Part} from './part.js' */

const load = {PB_RATE: '5000', PB_WORKLOAD: 'rtt', PB_OUTPUT: 'ndjson'};
const durationMs = 3000;
const warmUpMs = 500;
const transports = ['tcp', 'websocket'];

/** @type {Part} */
export const openLoop = {
  name: 'open-loop',
  title: 'an open loop sends on time',
  measure: measureSendLag,
};

/**
 * Measures the send lag of an open loop of 5,000 messages per second: the 99th percentile of the delay from the scheduled to the actual send.
 * @param {Bench} bench
 */
async function* measureSendLag(bench) {
  const {signal} = bench;
  const lengths = {
    PB_DURATION: `${scaled(bench, durationMs)}ms`,
    PB_WARMUP: `${scaled(bench, warmUpMs)}ms`,
  };
  for (const transport of transports) {
    const what = `${transport}, 5,000/s: p99 of send lag`;
    const server = await startServer(halfOf(transport, 'server'), {settings: {}, signal});
    try {
      const settings = {...load, ...lengths, ...addressSettings(server.address)};
      const lags = await repeat(bench, what, async () =>
        requireFigure(await sendLagOf(transport, settings, signal), what),
      );
      yield {what, bound: {max: 1}, estimate: estimateMedian(lags), unit: 'ms', sides: null};
    } finally {
      await server.end();
    }
  }
}

/** @param {string} transport @param {Record<string, string>} settings @param {AbortSignal} signal @returns {Promise<number | null>} ms */
async function sendLagOf(transport, settings, signal) {
  const printed = await runNode(halfOf(transport, 'client'), {settings, signal});
  return resultOf(printed).beside.sendLag.p99Ms;
}
