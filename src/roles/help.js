import {basename} from 'node:path';
import {canShow, formatMasked} from '../options/mask.js';
import {optionsOfTransport} from '../settings/index.js';
import {meaningOf} from '../settings/meaning.js';

/**
 * @import {ScriptOption} from '../settings/index.js'
 * @import {Transport} from '../transports/transport.js'
 */

/**
 * What `--help` prints for a script of a pair by hand.
 * @param {Transport} transport
 * @param {string} script its path, as it was started
 */
export function helpOfScript(transport, script) {
  const isClient = basename(script).endsWith('-client.js');
  const other = script.replace(/-(?:client|server)\.js$/, isClient ? '-server.js' : '-client.js');
  const [what, example] = isClient
    ? ['Sends requests to the server and prints their round-trip times', `PB_SAMPLES=2000 node ${script}`]
    : ['Answers the requests of clients until it is stopped (Ctrl-C)', `node ${script}`];
  const options = optionsOfTransport(transport);
  const groups = [...new Set(options.map(({group}) => group))];
  return `${transport.label}: ${what}.
The ${isClient ? 'server' : 'client'} is ${other}. npx perf-battle --transport ${transport.name} starts and measures both, and says how far to trust the figures.

Example:
  ${example}

Variables, also in a file .env in this folder. Each has a flag of its name: PB_SAMPLES is --samples (docs/options.md).

${groups.map((group) => `${group}:\n${options.flatMap((option) => (option.group === group ? describe(option) : [])).join('\n')}`).join('\n\n')}
`;
}

/** @param {ScriptOption} option */
function describe(option) {
  const {environmentName} = option;
  const initial = option.default;
  const isShown = initial !== null && canShow(option);
  const shown = isShown ? ` (default ${formatMasked(option, initial, {several: false})})` : '';
  return `  ${environmentName}${shown}\n${meaningOf(option).replaceAll(/(.{1,90})(?: |$)/g, '      $1\n')}`.trimEnd();
}
