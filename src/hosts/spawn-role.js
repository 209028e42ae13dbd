import {spawn} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {beatEveryMs} from '../ending/silence.js';
import {pinnedTo} from './host.js';
import {keptGarbage, keptMemory} from './kept-memory.js';

/**
 * @import {ProcessSettings} from './host.js'
 * @import {ChildProcessWithoutNullStreams} from 'node:child_process'
 */

/**
 * Starts the script of a role on the host of this process. It takes its configuration from the control line, which is its standard input.
 * @param {URL} script
 * @param {ProcessSettings} settings
 */
export function spawnRole(script, {cores, keepMemory, node = null}) {
  const flags = keepMemory ? keptGarbage : [];
  const [file, ...parameters] = [
    ...pinnedTo(cores),
    node ?? process.execPath,
    ...flags,
    fileURLToPath(script),
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

/** The script of a role ends if it hears nothing. @param {ChildProcessWithoutNullStreams} role */
function keepAlive({stdin}) {
  const beat = setInterval(() => stdin.write('{"type":"beat"}\n'), beatEveryMs);
  for (const event of ['finish', 'close']) stdin.once(event, () => clearInterval(beat));
}

/** The control line carries the configuration, so that no variable of the user applies twice. @param {NodeJS.ProcessEnv} environment */
export function withoutOurVariables(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('PB_')));
}
