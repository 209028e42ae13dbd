import {UsageError} from '../../errors.js';
import {untilAborted} from '../../measure/bounds.js';
import {monotonicMs} from '../../measure/clock.js';
import {placeMainThread} from '../../measure/cores.js';
import {phasesOf, smallRequestBytes} from '../../measure/warm-up.js';
import {joinAddress} from '../../net/address.js';
import {loadRole} from '../../workloads/load.js';
import {emitResult} from '../client.js';
import {makeResult} from '../result.js';
import {groupUsageSince, readGroupUsage} from './group-usage.js';
import {refuseImpossible} from './plausible.js';
import {answerByHandMs, folderOf, Program, programsIn, requireReply, sharedOptions} from './program.js';
import {logOfRoundTrips} from './round-trip-log.js';
import {workloadResultOf} from './workload-result.js';

/**
 * @import {Transport} from '../../transports/transport.js'
 * @import {WorkloadRole} from '../../workloads/workload.js'
 * @import {ClientRoleSettings} from '../connection.js'
 * @import {Role} from '../script.js'
 * @import {ClientOptions} from './contract.js'
 * @import {SharedSettings} from './program.js'
 */

/**
 * @typedef {ClientRoleSettings & SharedSettings & {window?: number | null, closingCall?: boolean, pairwise?: boolean, hitRatio?: number, isAccounted?: boolean}} Settings
 *   isAccounted: whether the outcome of each request is reported, for faults
 */

/** Measures with a third-party program. @param {Role<Settings>} role @param {Transport} transport */
export async function runProgram(role, transport) {
  const {control, signal} = role;
  const {name, client} = programsIn(role.options, transport);
  const program = new Program(client, 'client', folderOf(role.options, 'client'));
  const named = {...transport, label: name};
  try {
    await untilAborted(measureCell(role, named, program, {isNewPair: true}), signal);
    while (control) {
      const {options} = await untilAborted(control.configurations.next(), signal);
      await untilAborted(measureCell({...role, options}, named, program, {isNewPair: false}), signal);
    }
  } finally {
    await program.stop();
  }
}

/**
 * @param {Role<Settings>} role @param {Transport} transport @param {Program<'client'>} program
 * @param {{isNewPair: boolean}} cell isNewPair: whether the program has measured nothing yet
 */
async function measureCell(role, transport, program, cell) {
  const {options, output, control, signal} = role;
  if (options.payloadFile) throw new UsageError('--payload-file is not supported with --external.');
  const workload = await loadRole(options.workload);
  const given = optionsFor(options, workload, cell);
  program.send({type: 'configure', options: given});
  const ms = control ? Number.POSITIVE_INFINITY : answerByHandMs;
  const ready = await program.next('ready', signal, ms);
  requireReply(given, ready, 'client');
  if (options.mainCores) await placeMainThread(options.mainCores, program.group);
  const {details} = ready;
  output.emit({event: 'ready', pid: program.group, details: details ? {clientProgram: details} : {}});
  if (control) await untilAborted(control.starts.next(), signal);
  program.send({type: 'start'});
  const {sent: sentBefore = 0} = await program.next('warm', signal);
  if (control) {
    output.emit({event: 'progress', phase: 'warm', sent: sentBefore});
    await untilAborted(control.releases.next(), signal);
  }
  const before = readGroupUsage(program.group);
  const begunMs = monotonicMs();
  if (control) output.emit({event: 'progress', phase: 'measuring', atMs: begunMs});
  program.send({type: 'go'});
  const {sent} = await program.next('measured', signal);
  const atMs = monotonicMs();
  const usage = groupUsageSince(before, program.group);
  if (control) output.emit({event: 'progress', phase: 'measured', sent: sent ?? 0, atMs});
  const measured = await program.next('result', signal, ms);
  refuseImpossible(measured, {wallMs: atMs - begunMs, sent, options: given});
  const result = workloadResultOf(measured, {...options, workload}, usage);
  if (options.isAccounted)
    result.account = {log: logOfRoundTrips(measured, {startMs: begunMs, wallMs: atMs - begunMs})};
  emitResult(role, {transport, workload}, makeResult(result, options.payloadBytes));
}

/**
 * @param {Settings} settings @param {WorkloadRole} workload @param {{isNewPair: boolean}} cell
 * @returns {ClientOptions}
 */
function optionsFor(settings, {defaultSamples}, {isNewPair}) {
  const {payloadBytes, serverAddress, serverPort} = settings;
  const length = defaultSamples
    ? {samples: settings.samples ?? defaultSamples, durationMs: null}
    : {samples: settings.samples, durationMs: settings.durationMs};
  const warmUp = phasesOf(settings.warmUp, {payloadBytes, isNewPair}).map((phase) => ({
    payloadBytes: phase.isOfPair ? Math.min(smallRequestBytes, payloadBytes) : payloadBytes,
    samples: finiteOrNull(phase.samples),
    durationMs: finiteOrNull(phase.durationMs),
  }));
  return {
    ...sharedOptions(settings),
    servers: [...(settings.servers ?? [joinAddress(serverAddress, serverPort)])],
    client: settings.client ?? 0,
    window: settings.window ?? 1,
    closingCall: settings.closingCall ?? false,
    pairwise: settings.pairwise ?? false,
    ...(settings.hitRatio !== undefined && {hitRatio: settings.hitRatio}),
    warmUp,
    ...length,
  };
}

/** @param {number} bound */
function finiteOrNull(bound) {
  return Number.isFinite(bound) ? bound : null;
}
