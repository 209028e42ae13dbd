import {basename, dirname, join, relative} from 'node:path';
import {canShow, formatMasked} from '../options/show-option.js';
import {optionsOfTransport} from '../settings/index.js';
import {meaningOf} from '../settings/owners.js';

/**
 * @import {RoleName} from '../protocol.js'
 * @import {ScriptOption} from '../settings/index.js'
 * @import {Transport} from '../transports/transport.js'
 */

/**
 * What `--help` prints for a half of a transport by hand.
 * @param {Transport} transport
 * @param {RoleName} role
 * @param {string} program the path of the script that was started
 */
export function helpOfRole(transport, role, program) {
  const isClient = role === 'client';
  const [mine, other] = commandsFor(transport, role, program);
  const [what, example] = isClient
    ? ['Sends requests to the server and prints their round-trip times', `PB_SAMPLES=2000 ${mine}`]
    : ['Answers the requests of clients until it is stopped (Ctrl-C)', mine];
  const options = optionsOfTransport(transport);
  const groups = [...new Set(options.map(({group}) => group))];
  return `${transport.label}: ${what}.
The ${isClient ? 'server' : 'client'} is ${other}. npx perf-battle --transport ${transport.name} starts and measures both, and says how far to trust the figures.

Example:
  ${example}

Variables, also in a file .env in this folder. Each has a flag of its name: PB_SAMPLES is --samples (perf-battle help options).

${groups.map((group) => `${group}:\n${options.flatMap((option) => (option.group === group ? describe(option) : [])).join('\n')}`).join('\n\n')}
`;
}

/**
 * How each half is started.
 * @param {Transport} transport
 * @param {RoleName} role
 * @param {string} program
 * @returns {[mine: string, other: string]}
 */
function commandsFor({name}, role, program) {
  const isScript = basename(program) === `${name}-${role}.js`;
  const commandOf = (/** @type {RoleName} */ one) =>
    isScript
      ? `node ${relative('', join(dirname(program), `${name}-${one}.js`))}`
      : `npx perf-battle ${halves[one]} ${name}`;
  return [commandOf(role), commandOf(role === 'client' ? 'server' : 'client')];
}

/** The command for each half. */
const halves = {server: 'serve', client: 'call'};

/** @param {ScriptOption} option */
function describe(option) {
  const {environmentName} = option;
  const initial = option.default;
  const isShown = initial !== null && canShow(option);
  const shown = isShown ? ` (default ${formatMasked(option, initial, {several: false})})` : '';
  return `  ${environmentName}${shown}\n${meaningOf(option).replaceAll(/(.{1,90})(?: |$)/g, '      $1\n')}`.trimEnd();
}
