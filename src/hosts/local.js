import {execFile, spawn} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {heartbeatEveryMs, heartbeatTimeoutMs} from '../ending/heartbeat.js';
import {loopbackAddress} from '../measure/network.js';
import {joinAddress, splitAddress} from '../net/address.js';
import {packagesFolder, packagesVariable} from '../packages/load.js';
import {commandOf} from '../packages/runtimes.js';
import {apart, inOwnGroup, keptGarbage, keptMemory, pinnedTo, withoutOurVariables} from './host.js';
import {RoleProcess} from './role-process.js';

/**
 * @import {ChildProcessWithoutNullStreams} from 'node:child_process'
 * @import {Writable} from 'node:stream'
 * @import {LineName} from '../messages.js'
 * @import {Host, ProcessSettings} from './types.js'
 */

const execute = promisify(execFile);

/** This host: roles run as child processes and communicate over loopback, unless other hosts must reach them. @implements {Host} */
export class LocalHost {
  name = 'this host';
  isRemote = false;
  report = null;

  /**
   * @param {{address: string, listenAddress: string} | null} [reachable] how other hosts reach this host
   * @param {readonly string[]} [into] a command prefix for each process, such as one that enters a network namespace
   */
  constructor(reachable = null, into = []) {
    this.reachable = reachable;
    this.into = into;
    this.listenAddress = reachable?.listenAddress ?? loopbackAddress();
    this.brokerAddress = reachable?.address ?? null;
  }

  /** @param {string | null} bound */
  addressFor(bound) {
    if (!this.reachable) return bound;
    return bound && joinAddress(this.reachable.address, splitAddress(bound).port);
  }

  /** @template {LineName} Role @param {URL} script @param {Role} role @param {ProcessSettings} settings */
  async start(script, role, settings) {
    return new RoleProcess(spawnRole(script, settings, this.into), role);
  }

  /** @param {URL} script */
  async startBesideRoles(script) {
    return spawnRole(script, {cores: null, keepMemory: false}, this.into);
  }

  /**
   * Uses a separate process group, so that Ctrl-C in a terminal does not reach the supervisor, in the session of the roles where that is possible.
   * @param {URL} script @param {number[] | null} cores @param {readonly string[]} [words]
   * @param {{hasOwnMounts: boolean}} [how]
   */
  async startSupervisor(script, cores, words = [], {hasOwnMounts} = {hasOwnMounts: false}) {
    const node = [process.execPath, fileURLToPath(script), ...words];
    const prefixes = [...pinnedTo(cores), ...this.into, ...(hasOwnMounts ? apart : [])];
    const [shell, ...parameters] = [...inOwnGroup, ...prefixes, ...node];
    return spawn(shell, parameters, {
      // The current folder may be unmounted later, and variables of the user may change how Node.js runs.
      cwd: '/',
      env: {PATH: process.env.PATH ?? '', [packagesVariable]: packagesFolder()},
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  /** @param {string} script @returns {Promise<string>} the standard output; empty if the host has no shell */
  async runShell(script) {
    return await execute('sh', ['-c', script]).then(
      ({stdout}) => stdout,
      ({stdout}) => stdout ?? '',
    );
  }

  async close() {}
}

/** The maximum time for which a heartbeat may be delayed. */
const maxHeldMs = heartbeatTimeoutMs / 2;

/**
 * Starts the program of a role on this host. The program reads its configuration from the control channel, which is its standard input.
 * @param {URL} script @param {ProcessSettings} settings
 * @param {readonly string[]} [into] the command prefix of `LocalHost`
 */
export function spawnRole(
  script,
  {words = [], cores, keepMemory, setpriv = null, runtime = null},
  into = [],
) {
  const [file, ...parameters] = [
    ...pinnedTo(cores),
    ...into,
    ...(setpriv === null ? [] : [setpriv, '--pdeathsig', 'KILL', '--']),
    ...commandOf(runtime, keepMemory ? keptGarbage : []),
    fileURLToPath(script),
    ...words,
  ];
  const role = spawn(file, parameters, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...withoutOurVariables(process.env),
      ...(keepMemory && keptMemory),
      ...{PB_STDIN: 'control', PB_OUTPUT: 'ndjson'},
    },
  });
  keepAlive(role);
  return role;
}

/** The control channels of the running roles. @type {Set<Writable>} */
const lines = new Set();
/** @type {NodeJS.Timeout | undefined} */
let timer;
const heartbeats = {isHeld: false, isDue: false, sentAt: 0};

/** The script of a role ends if it receives no heartbeat. @param {ChildProcessWithoutNullStreams} role */
function keepAlive({stdin}) {
  // Writing fails if the role ended since the last heartbeat.
  stdin.on('error', () => {});
  lines.add(stdin);
  timer ??= setInterval(beat, heartbeatEveryMs);
  const leave = () => {
    lines.delete(stdin);
    if (lines.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  for (const event of ['finish', 'close']) stdin.once(event, leave);
}

function beat() {
  const now = performance.now();
  heartbeats.isDue = heartbeats.isHeld && now - heartbeats.sentAt < maxHeldMs;
  if (heartbeats.isDue) return;
  heartbeats.sentAt = now;
  for (const line of lines) line.write('{"type":"beat"}\n');
}

/** Delays heartbeats while some roles are measured, because a heartbeat wakes all roles. The delay is at most `maxHeldMs`. */
export function holdHeartbeats() {
  heartbeats.isHeld = true;
}

export function releaseHeartbeats() {
  heartbeats.isHeld = false;
  if (heartbeats.isDue) beat();
}
