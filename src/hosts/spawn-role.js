import {spawn} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {pinnedTo} from './host.js';
import {keptMemory} from './kept-memory.js';

/** @import {ProcessSettings} from './host.js' */

/**
 * Starts the script of a role on the host of this process. It takes its configuration from the control line, which is its standard input.
 * @param {URL} script
 * @param {ProcessSettings} settings
 */
export function spawnRole(script, {cores, keepMemory}) {
  const [file, ...parameters] = [...pinnedTo(cores), process.execPath, fileURLToPath(script)];
  return spawn(file, parameters, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...withoutOurVariables(process.env),
      ...(keepMemory && keptMemory),
      ...{PB_STDIN: 'control', PB_OUTPUT: 'ndjson'},
    },
  });
}

/** The control line carries the configuration, so that no variable of the user applies twice. @param {NodeJS.ProcessEnv} environment */
function withoutOurVariables(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('PB_')));
}
