import {readFileSync} from 'node:fs';
import {commandList, entryOf, givingOptions} from '../src/cli/help.js';
import {helpPages} from '../src/cli/help-pages.js';

/** @import {Option} from '../src/options/contract.js' */

const {version} = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** The exit codes and their meanings, from the table of docs/files-and-exit-codes.md. @returns {[string, string][]} */
function exitCodes() {
  const page = readFileSync(new URL('../docs/files-and-exit-codes.md', import.meta.url), 'utf8');
  const [, section] = page.split('\n## Exit codes\n');
  const rows = section.split('\n## ')[0].matchAll(/^\| (\d[\d, ]*) \| (.*) \|$/gm);
  return [...rows].map(([, code, meaning]) => [code, meaning.replace(/\[(.*?)\]\(.*?\)|`/g, '$1')]);
}

/** The manual page of perf-battle, in the macros of man(7), from the declarations of which --help is made. */
export function manualPage() {
  const {battle, ...commands} = helpPages;
  const known = new Set(battle.options);
  return `${[
    `.TH PERF\\-BATTLE 1 "" "perf\\-battle ${version}" "User Commands"`,
    '.SH NAME',
    'perf\\-battle \\- compares HTTP, WebSocket, RabbitMQ, NATS, Redis, MQTT and others: round-trip times, throughput, response times under load',
    '.SH SYNOPSIS',
    '.B perf\\-battle',
    `[${Object.keys(commands).map(roff).join(' | ')}] [options]`,
    '.SH DESCRIPTION',
    roff(`${battle.about} ${givingOptions}`),
    '.SH COMMANDS',
    ...preformatted(commandList()),
    '.SH EXAMPLES',
    ...preformatted(battle.examples),
    ...groupsOf(battle.options).flatMap(([group, options]) => [
      `.SH ${roff(group.toUpperCase())}`,
      ...options.flatMap(optionLines),
    ]),
    ...Object.entries(commands).flatMap(([name, {about, usage, options, examples}]) => [
      `.SH PERF\\-BATTLE ${roff(name.toUpperCase())}`,
      roff(about),
      '.PP',
      ...preformatted(`${usage}\n\n${examples}`),
      ...options.filter((option) => !known.has(option)).flatMap(optionLines),
    ]),
    '.SH EXIT STATUS',
    ...exitCodes().flatMap(([code, meaning]) => ['.TP', `.B ${code}`, roff(meaning)]),
    '.SH FILES',
    ...['.TP', '.I results.md', 'the table; a battle appends rows to it'],
    ...['.TP', '.I results.ndjson', 'the journal, with everything that was measured'],
    ...['.TP', '.I .env', 'settings by their PB_ names'],
    ...['.TP', '.I perf\\-battle.config.js, perf\\-battle.config.json', 'scenarios'],
  ].join('\n')}\n`;
}

/** @param {readonly Option[]} options @returns {[string, Option[]][]} */
function groupsOf(options) {
  const groups = [...new Set(options.map(({group}) => group))];
  return groups.map((group) => [group, options.filter((option) => option.group === group)]);
}

/** @param {Option} option */
function optionLines(option) {
  const {flag, text} = entryOf(option);
  return ['.TP', `.B ${roff(flag)}`, roff(text)];
}

/** @param {string} text */
function preformatted(text) {
  return ['.nf', ...text.split('\n').map(roff), '.fi'];
}

/** @param {string} text one line */
function roff(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(
      /[^\0-\x7f]/gu,
      (character) => `\\[u${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    )
    .replace(/^([.'])/, '\\&$1');
}
