import {untilAborted} from '../measure/until-aborted.js';
import {runScript} from '../roles/script.js';
import {contractVersion} from './contract.js';
import {groupUsageSince, readGroupUsage} from './group-usage.js';
import {Program} from './program.js';
import {brokerOptions, programsIn} from './programs-in.js';

/**
 * @import {ServerSettings} from '../protocol.js'
 * @import {Role} from '../roles/script.js'
 * @import {ServeSettings, Transport} from '../transports/transport.js'
 * @import {ServerOptions} from './contract.js'
 */

/** @typedef {ServerSettings & ServeSettings & {queue?: string, deliveryMode?: number}} Settings */

/**
 * Runs the script of a server whose work a program of another author does.
 * @param {string} scriptUrl
 * @param {Transport} transport
 */
export async function runServerProgram(scriptUrl, transport) {
  await runScript(scriptUrl, transport, (role) => serve(role, transport));
}

/**
 * Serves until stopped, and passes the battle's questions on to the program.
 * @param {Role<Settings>} role
 * @param {Transport} transport
 */
async function serve({options, output, control, signal}, transport) {
  const {name, server} = programsIn(options, transport);
  const program = new Program(server, 'server');
  const configure = async (/** @type {Settings} */ settings) => {
    program.send({type: 'configure', options: optionsFor(settings)});
    const {address, details} = await program.next('ready', signal);
    output.emit(
      {
        event: 'ready',
        ...{address, certificate: null, pid: program.group},
        details: details ? {serverProgram: details} : {},
      },
      `${transport.label} server ready (${name}): ${address ?? 'through its broker'}. It serves until stopped (Ctrl-C).`,
    );
  };
  const serveCells = async () => {
    await configure(options);
    if (!control) return await program.died;
    let before = readGroupUsage(program.group);
    control.onMark = () => program.send({type: 'mark'});
    const answerMarks = async () => {
      for (;;) {
        const {served} = await program.next('mark', signal);
        const usage = groupUsageSince(before, program.group);
        before = readGroupUsage(program.group);
        output.emit({event: 'progress', phase: 'mark', usage, served, report: null});
      }
    };
    const configureAgain = async () => {
      for (;;) {
        const {options: next} = /** @type {any} */ (
          await untilAborted(control.configurations.next(), signal)
        );
        await configure(next);
      }
    };
    await Promise.race([answerMarks(), configureAgain(), program.died]);
  };
  try {
    await untilAborted(serveCells(), signal);
  } finally {
    await program.stop();
  }
}

/**
 * What the program is told: no more than the contract names.
 * @param {Settings} settings
 * @returns {ServerOptions}
 */
function optionsFor({
  workload,
  payloadBytes,
  seed,
  timeoutMs,
  noDelay,
  listenAddress,
  serverPort,
  ...settings
}) {
  const shared = {contract: contractVersion, workload, payloadBytes, seed, timeoutMs, noDelay};
  return /** @type {ServerOptions} */ ({
    ...shared,
    ...brokerOptions(settings),
    listenAddress: listenAddress ?? null,
    serverPort,
  });
}
