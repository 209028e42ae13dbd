import {canShow, formatMasked} from '../options/mask.js';
import {wrapWords} from '../report/terminal.js';
import {meaningOf} from '../settings/meaning.js';
import {helpPages} from './help-pages.js';

/** @import {Option} from '../options/option.js' */

const maxWidth = 110;
const minWidth = 60;

/** @typedef {{group: string, flag: string, text: string}} Entry */

/** @type {readonly Entry[]} */
const entriesOfAll = [
  {group: 'Other', flag: '-h, --help', text: 'Show this text.'},
  {group: 'Other', flag: '-V, --version', text: 'Show the version.'},
];

/**
 * Prints a command's help, made from the declarations of its options.
 * @param {string} command
 */
export function printHelp(command) {
  const {options, usage} = helpPages[command];
  const entries = [...options.map(entryOf), ...entriesOfAll];
  const width = Math.max(minWidth, Math.min(maxWidth, process.stdout.columns ?? maxWidth));
  const indent = Math.max(...entries.map(({flag}) => flag.length)) + 4;
  const groups = [...new Set(entries.map(({group}) => group))];
  const sections = groups.map((group) => {
    const lines = entries.filter((entry) => entry.group === group).map((entry) => show(entry, indent, width));
    return `${group}:\n${lines.join('\n')}`;
  });
  process.stdout.write(`${[usage, ...sections].join('\n\n')}\n`);
}

/** What help says of an option. @param {Option} option @returns {Entry} */
export function entryOf(option) {
  const {name, short, group, environmentName, battleDefault} = option;
  const isShown = battleDefault !== null && canShow(option);
  const shown = isShown ? `; default ${formatMasked(option, battleDefault, {several: true})}` : '';
  const flag = short === null ? `--${name}` : `-${short}, --${name}`;
  return {group, flag, text: `${meaningOf(option)} [${environmentName}${shown}]`};
}

/**
 * A flag and its text, with line breaks between words.
 * @param {Entry} entry
 * @param {number} indent column of the text
 * @param {number} width of the whole line
 */
function show({flag, text}, indent, width) {
  const [first, ...rest] = wrapWords(text, width - indent);
  return [`  ${flag}`.padEnd(indent) + first, ...rest.map((line) => ' '.repeat(indent) + line)].join('\n');
}
