import {setTimeout as sleep} from 'node:timers/promises';
import {RunError, UsageError} from '../errors.js';
import {untilAborted} from '../measure/bounds.js';
import {monotonicMs, originMs} from '../measure/clock.js';
import {smallRequestBytes} from '../measure/warm-up.js';
import {readPayloadFile} from '../payload/bytes.js';
import {makePayloadRing} from '../payload/ring.js';
import {loadRole} from '../workloads/load.js';
import {Connection} from './connection.js';
import {describeResult, makeResult} from './result.js';
import {consumedBy} from './script.js';

/**
 * @import {Result} from '../messages.js'
 * @import {PayloadRing} from '../payload/ring.js'
 * @import {Connect, Transport} from '../transports/transport.js'
 * @import {SliceContext, WorkloadContext, WorkloadRole} from '../workloads/workload.js'
 * @import {ClientRoleSettings} from './connection.js'
 * @import {Role} from './script.js'
 */

/** A server by hand recognizes the start of the measured part by the preceding silence. */
const heartbeatTimeoutByHandMs = 1000;

/**
 * Connects and measures. Under control, it waits for the start, and measures further cells over the same connection.
 * @param {Role<ClientRoleSettings>} role @param {Transport} transport @param {Connect} connect
 */
export async function runClient(role, transport, connect) {
  const {control, signal} = role;
  const connection = new Connection(connect, role);
  try {
    await measureCell(role, transport, connection);
    while (control) {
      // Between two cells the battle may send requests, for example for the time of the clock.
      const {options} = await untilAborted(control.configurations.next(), signal);
      await measureCell({...role, options}, transport, connection);
    }
  } finally {
    await connection.close();
  }
}

/** @param {Role<ClientRoleSettings>} role @param {Transport} transport @param {Connection} connection */
async function measureCell(role, transport, connection) {
  const {options, output, control, signal} = role;
  const workload = await loadRole(options.workload);
  refuseIncapable(transport, options, workload);
  const isNewPair = connection.isNew;
  const ring = await ringOf(workload, options);
  const isGivenServer = Boolean(transport.serverOf?.(options));
  const warmUpRing = isNewPair ? await warmUpRingOf(workload, options, {ring, isGivenServer}) : null;
  await connection.prepareFor(options, workload, ring);
  output.emit({event: 'ready', pid: process.pid, details: connection.client.details ?? {}});
  if (control) await untilAborted(control.starts.next(), signal);
  const measure = await workload.client(options);
  const {points, retransmissions} = makeGate(role, connection);
  const measured = await measure({connection, ring, warmUpRing, options, signal, ...points});
  const result = {...makeResult(measured, ring.payloadBytes), retransmissions: retransmissions()};
  emitResult(role, {transport, workload}, result);
}

/** @param {WorkloadRole} workload @param {ClientRoleSettings} options */
async function ringOf(workload, options) {
  if (workload.requests) return await workload.requests(options);
  const concurrency = workload.concurrency(options);
  return await makeRing(options, {
    inFlight: workload.isPaced?.(options) ? Math.min(concurrency, maxPayloadsInFlight(options)) : concurrency,
    isOneWay: !workload.needs.includes('request'),
  });
}

/**
 * Returns the payloads of the automatic warm-up of a new pair: small ones, or those of the cell if they are not larger. A server given by the
 * user gets only the payloads that the user asked for.
 * @param {WorkloadRole} workload @param {ClientRoleSettings} options
 * @param {{ring: PayloadRing, isGivenServer: boolean}} cell
 */
async function warmUpRingOf(workload, options, {ring, isGivenServer}) {
  const {warmUp, payloadFile} = options;
  if (warmUp.kind !== 'auto') return null;
  if (isGivenServer || workload.requests || payloadFile || ring.payloadBytes <= smallRequestBytes)
    return ring;
  return await ringOf(workload, {...options, payloadBytes: smallRequestBytes});
}

/** Limits the memory of an open loop's payloads in flight, whatever its window. A few payloads are always allowed. */
const maxBytesInFlight = 64 * 1024 * 1024;
const minPayloadsInFlight = 16;

/** @param {{payloadBytes: number}} options */
function maxPayloadsInFlight({payloadBytes}) {
  return Math.max(minPayloadsInFlight, Math.floor(maxBytesInFlight / payloadBytes));
}

/** @param {Transport} transport @param {ClientRoleSettings} options @param {WorkloadRole} role the workload to run */
function refuseIncapable({name, capabilities, answersInClient}, {workload, answer}, {needs}) {
  if (answersInClient && answer === undefined)
    throw new UsageError(
      `The workload ${workload} needs a server of its own, and the thread of ${name} only answers.`,
    );
  const missing = needs.find((need) => !capabilities.includes(need));
  if (missing)
    throw new UsageError(`The workload ${workload} is not supported by ${name}, which cannot ${missing}.`);
}

/** @param {ClientRoleSettings} options @param {{inFlight: number, isOneWay: boolean}} load */
async function makeRing({payloadBytes, payloadFile, seed, client = 0}, load) {
  if (!payloadFile) return makePayloadRing({payloadBytes, seed, client, ...load});
  const content = readPayloadFile(payloadFile);
  return makePayloadRing({payloadBytes: content.length, seed, client, ...load}, content);
}

/**
 * Returns the points at which a client waits for the other clients of a battle. Between them, it counts retransmissions of the transport.
 * @param {Role<ClientRoleSettings>} role @param {Connection} connection
 */
function makeGate({output, control, signal}, connection) {
  const {strays} = connection;
  /** Readings at the beginning and at the end. @type {(number | null)[]} */
  const retransmissions = [];
  let isInSlices = false;
  /** @type {Pick<WorkloadContext, 'takeStrays' | 'warmedUp' | 'slices' | 'onConsumed' | 'onMeasured'>} */
  const points = {
    takeStrays() {
      const {count} = strays;
      strays.count = 0;
      return count;
    },
    async warmedUp(sent = 0, typicalMs = null) {
      if (control) {
        output.emit({event: 'progress', phase: 'warm', sent, typicalMs});
        ({inSlices: isInSlices = false} = await untilAborted(control.releases.next(), signal));
        output.emit({event: 'progress', phase: 'measuring', atMs: monotonicMs()});
      } else if (sent > 0) await sleep(heartbeatTimeoutByHandMs, undefined, {signal});
      strays.count = 0;
      retransmissions[0] = connection.retransmissions;
    },
    slices: () => (control && isInSlices ? slicesOf({output, control, signal}) : null),
    onConsumed: consumedBy(output),
    onMeasured(sent = 0) {
      retransmissions[1] = connection.retransmissions;
      if (control && !isInSlices)
        output.emit({event: 'progress', phase: 'measured', sent, atMs: monotonicMs()});
    },
  };
  return {points, retransmissions: () => difference(retransmissions)};
}

/**
 * @param {Pick<Role<ClientRoleSettings>, 'output' | 'signal'> & {control: NonNullable<Role<ClientRoleSettings>['control']>}} role
 * @returns {AsyncGenerator<SliceContext>}
 */
async function* slicesOf({output, control, signal}) {
  for (;;) {
    const message = await untilAborted(control.slices.next(), signal);
    if (message.type === 'end') return;
    const span = {fromMs: monotonicMs(), toMs: Number.NaN};
    const counted = (/** @type {number} */ fromMs, toMs = Number.NaN) => {
      span.fromMs = fromMs + originMs;
      span.toMs = toMs + originMs;
    };
    yield {...message.slice, counted};
    const {fromMs, toMs} = span;
    const atMs = Number.isNaN(toMs) ? monotonicMs() : toMs;
    output.emit({event: 'progress', phase: 'measured', sent: 0, fromMs, atMs});
  }
}

/** @param {readonly (number | null)[]} readings */
function difference([before = null, after = null]) {
  return before === null || after === null ? null : after - before;
}

/**
 * Reports the result to the battle, or to the user by hand.
 * @param {Pick<Role<ClientRoleSettings>, 'options' | 'output' | 'control'>} role
 * @param {{transport: Transport, workload: WorkloadRole}} what @param {Result} result
 * @throws {RunError} by hand: PB_LOST when requests had no reply, PB_WRONG_REPLY when replies had wrong content
 */
export function emitResult({options, output, control}, what, result) {
  output.emit(result, describeResult(what, options, result));
  if (control) return;
  const {lost, sent, corrupted} = result.counts;
  if (lost > 0) throw new RunError(`${lost} of ${sent} requests timed out.`, {code: 'PB_LOST'});
  if (corrupted > 0)
    throw new RunError(`${corrupted} of ${sent} messages had wrong content.`, {code: 'PB_WRONG_REPLY'});
}
