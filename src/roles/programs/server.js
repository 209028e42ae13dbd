import {setTimeout as sleep} from 'node:timers/promises';
import {untilAborted} from '../../measure/bounds.js';
import {monotonicMs} from '../../measure/clock.js';
import {placeMainThread} from '../../measure/cores.js';
import {describeReport, quietMs} from '../../workloads/describe-report.js';
import {loadRole} from '../../workloads/load.js';
import {notAllowed} from './contract.js';
import {groupUsageSince, readGroupUsage} from './group-usage.js';
import {refuseImpossibleMark} from './plausible.js';
import {answerByHandMs, folderOf, Program, programsIn, requireReply, sharedOptions} from './program.js';

/**
 * @import {Report, ServerSettings} from '../../messages.js'
 * @import {ServeSettings, Transport} from '../../transports/transport.js'
 * @import {Role} from '../script.js'
 * @import {Arrived} from './contract.js'
 * @import {SharedSettings} from './program.js'
 */

/** @typedef {ServerSettings & ServeSettings & SharedSettings} Settings */

/** Serves with a third-party program until stopped. @param {Role<Settings>} role @param {Transport} transport */
export async function runProgram(role, transport) {
  const {server} = programsIn(role.options, transport);
  const program = new Program(server, 'server', folderOf(role.options, 'server'));
  try {
    await untilAborted(serveCells(program, role, transport), role.signal);
  } finally {
    await program.stop();
  }
}

/** @param {Program<'server'>} program @param {Role<Settings>} role @param {Transport} transport */
async function serveCells(program, role, transport) {
  const {control, signal} = role;
  await configure(program, role, transport);
  if (!control) {
    const isOneWay = (await loadRole(role.options.workload)).needs.includes('send');
    return await Promise.race([program.died, ...(isOneWay ? [reportByHand(program, role)] : [])]);
  }
  const configureAgain = async () => {
    for (;;) {
      const {options} = await untilAborted(control.configurations.next(), signal);
      await configure(program, {...role, options}, transport);
    }
  };
  /** Times of the requests for marks, the first of which is the start. @type {number[]} */
  const askedAt = [monotonicMs()];
  control.onMark = () => {
    askedAt.push(monotonicMs());
    program.send({type: 'mark'});
  };
  control.onCount = () => program.send({type: 'count'});
  await Promise.race([
    ...[program.died, configureAgain()],
    ...[answerMarks(program, role, askedAt), answerCounts(program, role)],
  ]);
}

/** @param {Program<'server'>} program @param {Role<Settings>} role @param {Transport} transport */
async function configure(program, {options, output, control, signal}, transport) {
  const {listenAddress = null, serverPort} = options;
  const given = {...sharedOptions(options), listenAddress, serverPort};
  program.send({type: 'configure', options: given});
  const ready = await program.next('ready', signal, control ? Number.POSITIVE_INFINITY : answerByHandMs);
  requireReply(given, ready, 'server');
  if (options.mainCores) await placeMainThread(options.mainCores, program.group);
  const {address, daemons = [], details} = ready;
  const stranger = daemons.find((/** @type {number} */ pid) => !program.owns(pid));
  if (stranger !== undefined)
    throw notAllowed(
      `The program of the server named the process ${stranger} as its daemon, and has not started it.`,
    );
  const {name} = programsIn(options, transport);
  output.emit(
    {
      event: 'ready',
      ...{address, certificate: null, pid: program.group},
      ...(daemons.length > 0 && {daemons}),
      details: details ? {serverProgram: details} : {},
    },
    `${transport.label} server ready (${name}): ${address ?? 'through its broker'}. It serves until stopped (Ctrl-C).`,
  );
}

/**
 * Adds the used resources to the counts of the program.
 * @param {Program<'server'>} program @param {Role<Settings>} role
 * @param {readonly number[]} askedAt times of the start and of each request for a mark
 */
async function answerMarks(program, {options, output, signal}, askedAt) {
  let before = readGroupUsage(program.group);
  for (let mark = 0; ; mark += 1) {
    const marked = await program.next('mark', signal);
    const {served, arrived} = marked;
    const nowMs = monotonicMs();
    refuseImpossibleMark(marked, nowMs - askedAt[mark]);
    const report = arrived ? reportOf(arrived, {...options, nowMs}) : null;
    const usage = groupUsageSince(before, program.group);
    before = readGroupUsage(program.group);
    output.emit({event: 'progress', phase: 'mark', usage, served, report});
  }
}

/** @param {Program<'server'>} program @param {Role<Settings>} role */
async function answerCounts(program, {output, signal}) {
  for (;;) {
    const {received} = await program.next('count', signal);
    output.emit({event: 'progress', phase: 'count', received});
  }
}

/**
 * Prints the received one-way messages of the program whenever no more messages come. Never resolves.
 * @param {Program<'server'>} program @param {Role<Settings>} role @returns {Promise<void>}
 */
async function reportByHand(program, {options, output, signal}) {
  for (let before = 0; ; ) {
    await sleep(quietMs, undefined, {signal});
    program.send({type: 'count'});
    const {received} = await program.next('count', signal, answerByHandMs);
    const isOver = received > 0 && received === before;
    before = isOver ? 0 : received;
    if (!isOver) continue;
    program.send({type: 'mark'});
    const {arrived} = await program.next('mark', signal, answerByHandMs);
    if (!arrived) continue;
    const report = reportOf(arrived, {...options, nowMs: monotonicMs()});
    output.emit({event: 'progress', phase: 'received', ...report}, describeReport(report));
  }
}

/**
 * Converts the counts of a program to the report of a perf-battle server.
 * @param {Arrived} arrived
 * @param {{payloadBytes: number, nowMs: number}} options nowMs: time of the report, by this host's clock
 * @returns {Report}
 */
export function reportOf({sinceFirstMs, sinceLastMs, ...counts}, {payloadBytes, nowMs}) {
  const {messages, duplicated} = counts;
  return {
    ...counts,
    ...{bytes: messages * payloadBytes, distinct: messages - duplicated},
    ...{firstMs: nowMs - sinceFirstMs, lastMs: nowMs - sinceLastMs},
    ...{response: null, service: null},
  };
}
