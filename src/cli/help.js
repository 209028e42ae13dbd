import {readFileSync} from 'node:fs';
import {brokerKinds} from '../brokers/index.js';
import {UsageError} from '../errors.js';
import {quote} from '../files/quote.js';
import {canShow, didYouMean, flagText, formatMasked} from '../options/show-option.js';
import {listOf} from '../options/types.js';
import {meaningOf} from '../settings/describe-settings.js';
import {allOptions, ownOptions} from '../settings/index.js';
import {helpWidth, wrapWords} from '../text/lines.js';
import {transportGroups} from '../transports/groups.js';
import {findTransport, transports, transportsOfGroup} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {helpPages} from './help-pages.js';
import {explainWord} from './page-text.js';
import {pageNamed, pages, pagesOfWords, withText} from './pages.js';

/** @import {Option} from '../options/contract.js' */

/** The column in which the text of a flag begins. */
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

export const givingOptions =
  'Options can also be set by their PB_ names in the environment or in .env. Separate the values of a list with commas, or repeat the option.';

/** The help on a command in one screen. @param {string} command @param {number} [width] columns */
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

/** The whole help on a command. @param {string} command */
export function wholeOf(command) {
  const {options, about, usage, examples} = helpPages[command];
  const introduction = wrapWords(`${about} ${givingOptions}`, helpWidth()).join('\n');
  const entries = [...options.map(entryOf), ...entriesOfAll];
  return [introduction, `Usage: ${usage}`, `Examples:\n${examples}`, ...sections(entries)].join('\n\n');
}

/** The full help on options, under the headings of their groups. @param {readonly Option[]} options */
export function groupsOf(options) {
  return sections(options.map(entryOf)).join('\n\n');
}

export function commandList() {
  const lines = Object.values(helpPages).flatMap(({listed}) => (listed === null ? [] : [listed]));
  const indent = Math.max(...lines.map(([command]) => command.length)) + 2;
  return lines.map(([command, summary]) => `  ${command.padEnd(indent)}${summary}`).join('\n');
}

/** @param {Option} option @returns {Entry} */
export function entryOf(option) {
  const {group, environmentName, battleDefault} = option;
  const isShown = battleDefault !== null && canShow(option);
  const shown = isShown ? `; default ${formatMasked(option, battleDefault, {several: true})}` : '';
  return {group, flag: flagText(option), text: `${meaningOf(option)} [${environmentName}${shown}]`};
}

/** @param {Option} option */
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

/** @param {{flag: string, text: string}} entry @param {number} width columns of the whole line */
function show({flag, text}, width) {
  const begin = `  ${flag}`;
  const indent = ' '.repeat(textColumn);
  const lines = wrapWords(text, width - textColumn).map((line) => indent + line);
  if (begin.length + 2 > textColumn) return [begin, ...lines].join('\n');
  return [begin.padEnd(textColumn) + lines[0].slice(textColumn), ...lines.slice(1)].join('\n');
}

/** @returns {string[]} the address in package.json; empty without an address */
function homepage() {
  const file = new URL('../../package.json', import.meta.url);
  const {homepage: address} = JSON.parse(readFileSync(file, 'utf8'));
  return address === undefined ? [] : [address];
}

/**
 * `perf-battle help [TOPIC]`
 * @param {readonly string[]} words
 * @throws {UsageError} when the topic is unknown
 */
export async function help(words) {
  const text = words.length === 0 ? `${screenOf('battle')}\n\n${listOfPages()}` : await helpOnAny(words);
  process.stdout.write(`${text.trimEnd()}\n`);
  return 0;
}

/** A path is a transport of the user. A name is one if nothing else has it. @param {readonly string[]} words */
async function helpOnAny(words) {
  const [topic] = words;
  if (/^(?:\.{0,2}\/|\.{1,2}$)/.test(topic) && !topic.endsWith('.md'))
    return (await helpOnGuest(topic)) ?? helpOnWords(words);
  try {
    return helpOnWords(words);
  } catch (error) {
    // A package of this name need not be a transport.
    const text = words.length === 1 ? await helpOnGuest(topic).catch(() => null) : null;
    if (text === null) throw error;
    return text;
  }
}

/** @param {string} specifier @returns {Promise<string | null>} null: there is no such transport */
async function helpOnGuest(specifier) {
  const {bringTransports} = await import('../settings/bring-transports.js');
  const [guest] = await bringTransports([specifier]);
  return guest === undefined ? null : partNamed(guest.name);
}

/** A topic may have several words: `help Rounds and time`, `help ec2 run`, `help table --into`. @param {readonly string[]} words */
function helpOnWords([first, ...rest]) {
  const page = Object.hasOwn(helpPages, first) && rest.length > 0 ? helpPages[first] : null;
  if (page === null) return helpOn([first, ...rest].join(' '), 'battle');
  return page.words?.includes(rest[0]) ? screenOf(first) : helpOn(rest.join(' '), first);
}

/** Prints the text for `--help`. @param {string} command @param {string | undefined} topic @throws {UsageError} when the topic is unknown */
export function printHelp(command, topic) {
  // Transports of the user, named together with --help, follow the first screen.
  const brought = transports.filter(({module}) => module).map(({name}) => partNamed(name));
  const text = topic === undefined ? [screenOf(command), ...brought].join('\n\n') : helpOn(topic, command);
  process.stdout.write(`${text.trimEnd()}\n`);
}

/**
 * The text on a topic. If a name is ambiguous, a command precedes a part, a part precedes an option, and an option precedes a page.
 * @param {string} topic @param {string} command the command whose options are searched first @throws {UsageError}
 */
export function helpOn(topic, command) {
  const name = topic.trim().toLowerCase();
  const slug = slugOf(name);
  const isPage = name.startsWith('docs/') || name.endsWith('.md') || name.includes('#');
  const text = isPage
    ? pageNamed(name)
    : name.startsWith('-')
      ? optionNamed(name, command)
      : (allOf(name, command) ??
        partNamed(slug) ??
        optionNamed(name, command) ??
        pageNamed(name) ??
        partNamed(singularOf(slug)));
  if (text !== null) return text;
  const explained = explainWord(name, pagesOfWords(), pages().map(withText), helpWidth());
  if (explained !== null) return explained;
  const names = name.startsWith('-') ? allOptions.map((option) => option.name) : topicNames();
  throw new UsageError(
    `There is no help on ${quote(topic)}.${didYouMean(slug, names, name.startsWith('-') ? '--' : '')} perf-battle help lists the commands and the pages.`,
  );
}

export function topicNames() {
  return [
    ...new Set([
      'all',
      ...Object.keys(helpPages),
      ...partNames(),
      ...allOptions.map(({name}) => name),
      ...pages().map(({name}) => name),
    ]),
  ];
}

/** @param {string} name @param {string} command */
function allOf(name, command) {
  if (name === 'all') return wholeOf(command);
  if (!Object.hasOwn(helpPages, name)) return null;
  const hasPage = pages().some((page) => page.name === name);
  return hasPage ? `${screenOf(name)}\n\nThe page: perf-battle help ${name}.md` : screenOf(name);
}

/** Turns a heading such as "Rounds and time" into one word. @param {string} text */
function slugOf(text) {
  return text
    .toLowerCase()
    .replaceAll('/', '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}

/** Turns the slug of a plural, or of a label in two words, into the name of a transport or another part. @param {string} slug */
function singularOf(slug) {
  const joined = slug.replaceAll('-', '').replace(/s$/, '');
  return partNames().find((name) => name.replaceAll('-', '') === joined) ?? slug;
}

/** The transports and their groups, the workloads, the kinds of brokers and the groups of options. */
export function partNames() {
  const named = [...transports, ...Object.values(workloads), ...brokerKinds].map(({name}) => name);
  return [...new Set([...named, ...transportGroups, ...allOptions.map(({group}) => slugOf(group))])];
}

/** The text on the transport, workload, kind of broker and group of options that have this name. @param {string} slug */
function partNamed(slug) {
  if (!partNames().includes(slug)) return null;
  const members = transportsOfGroup(slug);
  if (members !== null)
    return wrap(
      `A group of transports: --transport ${slug} runs ${members.join(', ')}. perf-battle install ${slug} installs what they need.`,
    );
  const transport = findTransport(slug);
  const workload = Object.hasOwn(workloads, slug) ? workloads[slug] : undefined;
  const kind = brokerKinds.find(({name}) => name === slug);
  const options = new Set([
    ...(transport ? ownOptions(transport) : []),
    ...(workload?.options ?? []),
    ...(kind?.options ?? []),
    ...allOptions.filter(({group}) => slugOf(group) === slug),
  ]);
  return [
    ...(transport ? [`${transport.label}: --transport ${slug}`] : []),
    ...(workload
      ? [wrap(`${workload.summary}: --workload ${slug}. Its figure: ${workload.figureNote}.`)]
      : []),
    options.size > 0 ? groupsOf([...options]) : 'It has no options of its own. See perf-battle help all.',
  ].join('\n\n');
}

/** @param {string} given a flag, with or without its dashes, or a variable @param {string} command the command whose options are searched first */
function optionNamed(given, command) {
  const name = given.replace(/^-+/, '');
  const isMeant = (/** @type {Option} */ option) =>
    option.name === name || option.environmentName.toLowerCase() === name || option.short === name;
  const option = helpPages[command].options.find(isMeant) ?? allOptions.find(isMeant);
  return option === undefined ? null : explain(option);
}

/** @param {Option} option */
function explain(option) {
  const {name, type, list, scope, environmentName, needs, helpFor} = option;
  const takers = Object.keys(helpPages).filter((command) =>
    helpPages[command].options.some((one) => one.name === name),
  );
  const allowed = list ? listOf(type).allowed : type.allowed;
  const facts = {
    Values: `${allowed}.`,
    Default: defaultsOf(option),
    Variable: environmentName,
    Commands: [...takers, ...(scope === 'script' || scope === 'both' ? ['serve', 'call'] : [])].join(', '),
    Needs: needs,
  };
  const lines = Object.entries(facts).flatMap(([key, value]) =>
    value ? [wrap(`${key}: ${value}`, '  ')] : [],
  );
  const others = Object.entries(helpFor).map(([command, text]) =>
    wrap(`perf-battle ${command}: ${text}`, '  '),
  );
  return [flagText(option), wrap(meaningOf(option)), lines.join('\n'), others.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** @param {Option} option */
function defaultsOf(option) {
  const {scope, battleDefault, default: ofScript} = option;
  if (!canShow(option)) return null;
  const shown = (/** @type {unknown} */ value, several = false) =>
    value === null ? '' : formatMasked(option, value, {several});
  if (scope === 'script') return shown(ofScript);
  const ofBattle = shown(battleDefault, true);
  const byHand = shown(ofScript);
  return scope === 'both' && byHand !== ofBattle
    ? `${ofBattle || 'none'}; by hand ${byHand || 'none'}`
    : ofBattle;
}

/** @param {string} text @param {string} [hanging] prefix of each line except the first */
function wrap(text, hanging = '') {
  return wrapWords(text, helpWidth() - hanging.length).join(`\n${hanging}`);
}

function listOfPages() {
  const all = pages();
  const named = all.map((page) => ({page, name: topicOf(page, all)}));
  const indent = Math.max(...named.map(({name}) => name.length)) + 2;
  const lines = named.map(({page, name}) => {
    const [, title = ''] = /^# (.+)$/m.exec(withText(page).text) ?? [];
    return `  ${name.padEnd(indent)}${title}`;
  });
  return `Pages, for perf-battle help PAGE:\n${lines.join('\n')}`;
}

/**
 * Returns the shortest topic that opens a page: a command, part or option precedes a page of the same name, and a page of a user precedes one with
 * evidence.
 * @param {{name: string, path: string}} page @param {readonly {name: string, path: string}[]} all
 */
function topicOf(page, all) {
  const {name, path} = page;
  if (all.find((one) => one.name === name) !== page) return path.slice(0, -'.md'.length);
  const isOther =
    Object.hasOwn(helpPages, name) || partNames().includes(name) || optionNamed(name, 'battle') !== null;
  return isOther ? `${name}.md` : name;
}
