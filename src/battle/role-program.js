import {existsSync} from 'node:fs';

/**
 * @import {RoleName} from '../protocol.js'
 * @import {Transport} from '../transports/transport.js'
 */

/**
 * The program of a role, and the words that follow it. Folders of perf-battle of other versions have a script for each transport and role.
 * @param {URL} source the folder src
 * @param {Pick<Transport, 'name' | 'module'>} transport
 * @param {RoleName} role
 * @returns {{script: URL, words: string[]}}
 */
export function roleProgramIn(source, {name: transport, module}, role) {
  const name = `${transport}-${role}`;
  const program = new URL('roles/program.js', source);
  if (module) return {script: program, words: [name, module.url]};
  const isThere = [program, new URL(`transports/${transport}/index.js`, source)].every((file) =>
    existsSync(file),
  );
  return isThere ? {script: program, words: [name]} : {script: new URL(`${name}.js`, source), words: []};
}
