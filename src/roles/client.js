import {setTimeout as sleep} from 'node:timers/promises';
import {RunError, UsageError} from '../errors.js';
import {monotonicMs} from '../measure/clock.js';
import {untilAborted} from '../measure/until-aborted.js';
import {readPayloadFile} from '../payload/payload-file.js';
import {makePayloadRing} from '../payload/ring.js';
import {joinAddress} from '../transports/address.js';
import {workloads} from '../workloads/index.js';
import {connectPatiently, isUnanswered} from './connect-patiently.js';
import {makeCorrelation} from './correlation.js';
import {describeResult} from './describe-result.js';
import {makeResult} from './make-result.js';
import {runScript} from './script.js';

/**
 * @import {ClientSettings, Result} from '../protocol.js'
 * @import {Client, ConnectSettings, Transport} from '../transports/transport.js'
 * @import {Workload, WorkloadContext} from '../workloads/workload.js'
 * @import {Role} from './script.js'
 */

/**
 * @typedef {ClientSettings & ByHand} ClientRoleSettings
 *
 * @typedef {object} ByHand
 * @property {string} serverAddress host of the server, of a client by hand
 * @property {number} serverPort
 * @property {number} [connectTimeoutMs] how long to wait for a server that is not up yet
 * @property {'echo' | 'increment'} [answer] what the server replies
 */

/**
 * @template Own the settings of the transport
 * @typedef {(options: ConnectSettings & Own) => Promise<Client>} Connect
 */

/** A server by hand recognizes the start of the measured part by the silence before it. */
const silenceByHandMs = 1000;

/**
 * Runs a client's script.
 *
 * @template Own
 * @param {string} scriptUrl
 * @param {Transport<NoInfer<Own>>} transport
 * @param {Connect<Own>} connect
 */
export async function runClientScript(scriptUrl, transport, connect) {
  await runScript(scriptUrl, transport, (role) => runClient(role, transport, connect));
}

/**
 * Connects, waits for the start when under control, runs the workload and reports the result.
 *
 * @template Own
 * @param {Role<ClientRoleSettings & Own>} role
 * @param {Transport<NoInfer<Own>>} transport
 * @param {Connect<Own>} connect
 */
export async function runClient(role, transport, connect) {
  const {options, output, control, signal} = role;
  const workload = workloads[options.workload];
  refuseIncapable(transport, workload);
  const concurrency = workload.concurrency(options);
  const ring = workload.requests
    ? await workload.requests(options)
    : await makeRing(options, {
        inFlight: workload.isPaced?.(options)
          ? Math.min(concurrency, maxPayloadsInFlight(options))
          : concurrency,
        isOneWay: !workload.needs.includes('request'),
      });
  const strays = {count: 0};
  const correlation = makeCorrelation({ring, concurrency, answer: options.answer, strays});
  const servers = options.servers ?? [joinAddress(options.serverAddress, options.serverPort)];
  const own = {...options, servers, concurrency, correlation, hasServer: workload.hasServer};
  const connection = await openConnection((greetingMs) => connect({...own, greetingMs}), role);
  try {
    output.emit({event: 'ready', pid: process.pid, details: connection.client.details ?? {}});
    if (control) await untilAborted(control.started, signal);
    const measure = await workload.client(options);
    const context = {
      connection,
      ring,
      options,
      signal,
      ...makeGate(role, strays),
    };
    emitResult(role, transport, makeResult(await measure(context), ring.payloadBytes));
    // The battle still has questions, for example about the clock.
    if (control) await untilAborted(new Promise(() => {}), signal);
  } finally {
    await connection.client.close();
  }
}

/** The payloads in flight of an open loop take at most this much memory, whatever its window. A few are always allowed. */
const maxBytesInFlight = 64 * 1024 * 1024;
const minPayloadsInFlight = 16;

/** @param {{payloadBytes: number}} options */
function maxPayloadsInFlight({payloadBytes}) {
  return Math.max(minPayloadsInFlight, Math.floor(maxBytesInFlight / payloadBytes));
}

/**
 * @param {Transport} transport
 * @param {Workload} workload
 */
function refuseIncapable({name, capabilities}, workload) {
  const missing = workload.needs.find((need) => !capabilities.includes(need));
  if (missing)
    throw new UsageError(
      `The workload ${workload.name} is not supported by ${name}, which cannot ${missing}.`,
    );
}

/** `--timeout` bounds requests. On a busy host, accepting a connection may take longer; nothing is measured yet. */
const greetingMs = 10_000;

/**
 * @param {(greetingMs: number) => Promise<Client>} connect
 * @param {Role<ClientRoleSettings>} role
 * @returns {Promise<WorkloadContext['connection']>}
 */
async function openConnection(connect, {options, output, signal}) {
  const {timeoutMs, connectTimeoutMs} = options;
  const onWait = (/** @type {string} */ text) => output.warn(text);
  const open = (/** @type {{waitMs: number, attemptMs: number, option: string}} */ patience) =>
    connectPatiently(() => connect(patience.attemptMs), {
      ...patience,
      signal,
      onWait,
    });
  const connection = {
    client: await open({
      waitMs: connectTimeoutMs ?? 0,
      attemptMs: Math.max(timeoutMs, Math.min(greetingMs, connectTimeoutMs ?? greetingMs)),
      option: '--connect-timeout',
    }),
    async renew() {
      await connection.client.close();
      try {
        connection.client = await open({waitMs: timeoutMs, attemptMs: timeoutMs, option: '--timeout'});
        return true;
      } catch (error) {
        if (isUnanswered(error)) return false;
        throw error;
      }
    },
  };
  return connection;
}

/**
 * @param {ClientRoleSettings} options
 * @param {{inFlight: number, isOneWay: boolean}} load
 */
async function makeRing({payloadBytes, payloadFile, seed, client = 0}, load) {
  if (!payloadFile) return makePayloadRing({payloadBytes, seed, client, ...load});
  const content = await readPayloadFile(payloadFile);
  return makePayloadRing({payloadBytes: content.length, seed, client, ...load}, content);
}

/**
 * The points at which a client of a battle waits for the other clients.
 * @param {Role<ClientRoleSettings>} role
 * @param {{count: number}} strays
 * @returns {Pick<WorkloadContext, 'takeStrays' | 'warmedUp' | 'onMeasured'>}
 */
function makeGate({output, control, signal}, strays) {
  return {
    takeStrays() {
      const {count} = strays;
      strays.count = 0;
      return count;
    },
    async warmedUp(sent = 0) {
      if (control) {
        output.emit({event: 'progress', phase: 'warm', sent});
        await untilAborted(control.released, signal);
        output.emit({event: 'progress', phase: 'measuring', atMs: monotonicMs()});
      } else if (sent > 0) await sleep(silenceByHandMs, undefined, {signal});
      strays.count = 0;
    },
    onMeasured(sent = 0) {
      if (control) output.emit({event: 'progress', phase: 'measured', sent, atMs: monotonicMs()});
    },
  };
}

/**
 * @param {Role<ClientRoleSettings>} role
 * @param {Transport} transport
 * @param {Result} result
 */
function emitResult({options, output, control}, transport, result) {
  output.emit(result, describeResult(transport, options, result));
  const {lost, sent} = result.counts;
  if (!control && lost > 0) throw new RunError(`${lost} of ${sent} requests timed out.`, {code: 'PB_LOST'});
}
