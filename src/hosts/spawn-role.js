import {spawn} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {heartbeatEveryMs, heartbeatTimeoutMs} from '../ending/heartbeat.js';
import {keptGarbage, keptMemory} from '../measure/kept-memory.js';
import {commandOf} from '../packages/runtimes.js';
import {pinnedTo} from './host.js';

/**
 * @import {ProcessSettings} from './host.js'
 * @import {ChildProcessWithoutNullStreams} from 'node:child_process'
 * @import {Writable} from 'node:stream'
 */

/** How long a beat may be held. */
const maxHeldMs = heartbeatTimeoutMs / 2;

/**
 * Starts the program of a role on the host of this process. It takes its configuration from the control channel, which is its standard input.
 * @param {URL} script
 * @param {ProcessSettings} settings
 * @param {readonly string[]} [into] the words before its command, see `LocalHost`
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

/** The control channels of the roles that run. @type {Set<Writable>} */
const lines = new Set();
/** @type {NodeJS.Timeout | undefined} */
let timer;
const beats = {isHeld: false, isDue: false, sentAt: 0};

/** The script of a role ends if it hears nothing. @param {ChildProcessWithoutNullStreams} role */
function keepAlive({stdin}) {
  // A role that ended reads no more, and may end between two heartbeats.
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
  beats.isDue = beats.isHeld && now - beats.sentAt < maxHeldMs;
  if (beats.isDue) return;
  beats.sentAt = now;
  for (const line of lines) line.write('{"type":"beat"}\n');
}

/** A beat wakes every role. While some are measured, the others are not woken, unless it takes long. */
export function holdHeartbeats() {
  beats.isHeld = true;
}

export function releaseHeartbeats() {
  beats.isHeld = false;
  if (beats.isDue) beat();
}

/** The control channel carries the configuration, so that no variable of the user applies twice. @param {NodeJS.ProcessEnv} environment */
export function withoutOurVariables(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('PB_')));
}
