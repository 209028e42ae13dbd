import {readFileSync} from 'node:fs';
import {canShow, flagText, formatMasked} from '../options/show-option.js';
import {widthOf, wrapWords} from '../report/terminal.js';
import {meaningOf} from '../settings/describe-settings.js';
import {helpPages} from './help-pages.js';

/** @import {Option} from '../options/contract.js' */

const maxWidth = 110;
/** The column in which the text on a flag begins. */
const textColumn = 30;

/** @typedef {{group: string, flag: string, text: string}} Entry */

/** @type {readonly Entry[]} */
const entriesOfAll = [
  {
    group: 'Other',
    flag: '-h, --help [TOPIC]',
    text: 'Show the first screen, or one topic: perf-battle help.',
  },
  {group: 'Other', flag: '-V, --version', text: 'Show the version.'},
];

/** The width of help, in columns. */
export function helpWidth() {
  return Math.min(maxWidth, widthOf(process.stdout));
}

/** How options are given, whichever they are. */
export const givingOptions =
  'Options can also be set by their PB_ names in the environment or in .env. Separate the values of a list with commas, or repeat the option.';

/** What a person needs first of a command: at most one screen. @param {string} command @param {number} [width] */
export function screenOf(command, width = helpWidth()) {
  const {options, first, about, usage, examples} = helpPages[command];
  const shown =
    first === undefined
      ? options
      : first.flatMap((name) => options.find((option) => option.name === name) ?? []);
  const lines = shown.map((option) => show({flag: flagText(option), text: briefOf(option)}, width));
  const isBattle = command === 'battle';
  const isWhole = shown.length === options.length;
  const pointer = `perf-battle ${isBattle ? 'help all' : `${command} --help all`}`;
  return [
    wrapWords(about, width).join('\n'),
    isBattle ? `Usage: ${usage}, or perf-battle COMMAND:\n${commandList()}` : `Usage: ${usage}`,
    ...(lines.length > 0
      ? [`Options${isWhole ? '' : ` (all ${options.length}: ${pointer})`}:\n${lines.join('\n')}`]
      : []),
    `Examples:\n${examples}`,
    ...(isBattle ? homepage() : []),
  ].join('\n\n');
}

/** All that help has on a command. @param {string} command */
export function wholeOf(command) {
  const {options, about, usage, examples} = helpPages[command];
  const introduction = wrapWords(`${about} ${givingOptions}`, helpWidth()).join('\n');
  const entries = [...options.map(entryOf), ...entriesOfAll];
  return [introduction, `Usage: ${usage}`, `Examples:\n${examples}`, ...sections(entries)].join('\n\n');
}

/** Options in full, under the headings of their groups. @param {readonly Option[]} options */
export function groupsOf(options) {
  return sections(options.map(entryOf)).join('\n\n');
}

/** The commands, a line each. */
export function commandList() {
  const lines = Object.values(helpPages).flatMap(({listed}) => (listed === null ? [] : [listed]));
  const indent = Math.max(...lines.map(([command]) => command.length)) + 2;
  return lines.map(([command, summary]) => `  ${command.padEnd(indent)}${summary}`).join('\n');
}

/** What help says of an option. @param {Option} option @returns {Entry} */
export function entryOf(option) {
  const {group, environmentName, battleDefault} = option;
  const isShown = battleDefault !== null && canShow(option);
  const shown = isShown ? `; default ${formatMasked(option, battleDefault, {several: true})}` : '';
  return {group, flag: flagText(option), text: `${meaningOf(option)} [${environmentName}${shown}]`};
}

/** What an option is for, in a few words. @param {Option} option */
function briefOf({brief, help}) {
  if (brief) return brief;
  const [sentence] = /^.*?(?=[.?](?: |$))/.exec(help) ?? [help];
  return sentence.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}

/** @param {readonly Entry[]} entries */
function sections(entries) {
  const width = helpWidth();
  return [...new Set(entries.map(({group}) => group))].map((group) => {
    const own = entries.filter((entry) => entry.group === group);
    return `${group}:\n${own.map((entry) => show(entry, width)).join('\n')}`;
  });
}

/**
 * A flag and its text, with line breaks between words.
 * @param {{flag: string, text: string}} entry @param {number} width of the whole line
 */
function show({flag, text}, width) {
  const begin = `  ${flag}`;
  const indent = ' '.repeat(textColumn);
  const lines = wrapWords(text, width - textColumn).map((line) => indent + line);
  if (begin.length + 2 > textColumn) return [begin, ...lines].join('\n');
  return [begin.padEnd(textColumn) + lines[0].slice(textColumn), ...lines.slice(1)].join('\n');
}

/** The address of the project, if the package names it. @returns {string[]} */
function homepage() {
  const file = new URL('../../package.json', import.meta.url);
  const {homepage: address} = JSON.parse(readFileSync(file, 'utf8'));
  return address === undefined ? [] : [address];
}
