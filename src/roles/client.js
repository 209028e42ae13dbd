import {RunError} from '../errors.js';
import {readPayloadFile} from '../payload/payload-file.js';
import {makePayloadRing} from '../payload/ring.js';
import {summarize} from '../stats/summary.js';
import {joinAddress} from '../transports/address.js';
import {workloads} from '../workloads/index.js';
import {connectPatiently} from './connect-patiently.js';
import {describeResult} from './describe-result.js';
import {runScript} from './script.js';

/**
 * Runs a client's script: connect, wait for the start when under control, run the workload, tell the result.
 *
 * @param {string} scriptUrl
 * @param {import('../transports/index.js').Transport} transport
 * @param {(options: any) => Promise<import('../transports/index.js').Client>} connect
 */
export async function runClientScript(scriptUrl, transport, connect) {
  await runScript(scriptUrl, transport, async (role) => {
    const {options, output, control, signal} = role;
    const ring = await makeRing(options);
    const connection = await openConnection(connect, clientOptions(options), role);
    try {
      output.emit('ready', {pid: process.pid, details: connection.client.details ?? {}});
      if (control) await Promise.race([control.started, rejectWhenAborted(signal)]);
      const measure = await workloads[options.workload].load();
      const {warmUp, samples, durationMs, timeoutMs} = options;
      const onPhase = (/** @type {string} */ phase) => control && output.emit('progress', {phase});
      const context = {connection, ring, warmUp, samples, durationMs, timeoutMs, signal, onPhase};
      emitResult(role, transport, ring, await measure(context));
    } finally {
      await connection.client.close();
    }
  });
}

/** @param {Record<string, any>} options */
function clientOptions(options) {
  const servers = options.servers ?? [joinAddress(options.serverAddress, options.serverPort)];
  return {...options, servers, concurrency: 1};
}

/**
 * @param {(options: any) => Promise<import('../transports/index.js').Client>} connect
 * @param {Record<string, any>} options
 * @param {import('./script.js').Role} role
 */
async function openConnection(connect, options, {output, signal}) {
  const patience = {
    waitMs: options.connectTimeoutMs ?? 0,
    attemptMs: options.timeoutMs,
    signal,
    onWait: (/** @type {string} */ text) => output.warn(text),
  };
  const connection = {
    client: await connectPatiently(() => connect(options), patience),
    async renew() {
      await connection.client.close();
      connection.client = await connectPatiently(() => connect(options), {
        ...patience,
        waitMs: options.timeoutMs,
      });
    },
  };
  return connection;
}

/** @param {Record<string, any>} options */
async function makeRing({payloadBytes, payloadFile, seed}) {
  if (!payloadFile) return makePayloadRing({payloadBytes, seed});
  const content = await readPayloadFile(payloadFile);
  return makePayloadRing({payloadBytes: content.length, seed}, content);
}

/**
 * @param {import('./script.js').Role} role
 * @param {import('../transports/index.js').Transport} transport
 * @param {import('../payload/ring.js').PayloadRing} ring
 * @param {import('../workloads/index.js').WorkloadResult} result
 */
function emitResult({options, output, control}, transport, ring, {histogram, counts, warmUp, usage}) {
  const summary = summarize(histogram);
  const payloadBytes = ring.payloads[0].length;
  const messagesPerSecond = 1000 / summary.meanMs;
  const fields = {
    payloadBytes,
    rtt: summary,
    counts,
    throughput: {messagesPerSecond, bytesPerSecond: messagesPerSecond * payloadBytes},
    discarded: warmUp.discarded,
    warm: warmUp.warm,
    usage,
    encoded: histogram.encode(),
  };
  output.emit('result', fields, describeResult(transport, options, fields));
  if (!control && counts.lost > 0) {
    throw new RunError(`${counts.lost} of ${counts.sent} requests timed out.`, {code: 'PB_LOST'});
  }
}

/** @param {AbortSignal} signal @returns {Promise<never>} */
function rejectWhenAborted(signal) {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), {once: true});
  });
}
