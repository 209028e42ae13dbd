import {brokerKindOfUrl} from '../brokers/index.js';
import {UsageError} from '../errors.js';
import {maskPassword, quote} from '../files/quote.js';
import {readCommandLine} from '../options/command-line.js';
import {readEnvFile, resolveOptions} from '../options/resolve.js';
import {didYouMean} from '../options/show-option.js';
import {printText} from '../report/terminal.js';
import {safeText} from '../safe-text.js';
import {
  bringTransports,
  namesIn,
  variablesOfGuests,
  warnOfHiddenPackages,
} from '../settings/bring-transports.js';
import {describeSettings, settingsDocument} from '../settings/describe-settings.js';
import {readConfig, readScenario} from '../settings/given.js';
import {allOptions, optionsOfBattle} from '../settings/index.js';
import {completeSettings} from '../settings/resolve-battle.js';
import {transportGroups} from '../transports/groups.js';
import {transportNames} from '../transports/index.js';
import {workloadNames} from '../workloads/index.js';

/**
 * @import {Side} from '../compare/types.js'
 * @import {BattleValuesOf, GivenTexts, Option, Origin, Settings} from '../options/contract.js'
 * @import {Exception} from '../settings/describe-settings.js'
 * @import {BattleSettings} from '../settings/index.js'
 */

/**
 * Reads the settings of a command that runs battles, and prints their warnings.
 * @template {Option} One @param {readonly string[]} commandLine
 * @param {readonly One[]} mine the options that may be given: those of a battle and those of the command
 * @returns {Promise<Settings<BattleValuesOf<One>>>} @throws {UsageError}
 */
export async function readBattleSettings(commandLine, mine) {
  const settings = await withDerived(await readGiven(commandLine, mine), mine);
  for (const warning of settings.warnings) printWarning(warning);
  return /** @type {any} */ (settings);
}

/**
 * Reads the settings as given, with defaults, without settings that are derived from others.
 * @param {readonly string[]} commandLine @param {readonly Option[]} mine @throws {UsageError}
 */
export async function readGiven(commandLine, mine) {
  const guestVariables = await variablesOfGuests(readEnvFile('.env'));
  const first = readAsBattle(commandLine, mine, {scenario: null, guestVariables});
  const {scenario} = first.values;
  if (scenario === null) {
    // A mistake in the file must not wait until a battle needs it. Code is loaded only when a setting names what it has.
    await readConfig('.', {mayLoadCode: false});
    return first;
  }
  return readAsBattle(commandLine, mine, {scenario: await readScenario(scenario), guestVariables});
}

/** Adds the settings that are derived from the given settings. @param {BattleSettings} given @param {readonly Option[]} mine @throws {UsageError} */
export async function withDerived(given, mine) {
  const settings = completeSettings(given, mine);
  if (settings.values.scale !== 'auto') return settings;
  // The code that plans a battle is two thirds of the program, so it is loaded after the settings are checked.
  const {withScale} = await import('../battle/estimate.js');
  return withScale(settings);
}

/** @param {readonly string[]} commandLine @param {readonly Option[]} mine @param {FurtherSources} further */
function readAsBattle(commandLine, mine, further) {
  const {words, ...asked} = readAll(commandLine, mine, further);
  refuseWords(words, 'A battle', commandLine);
  const settings = /** @type {BattleSettings} */ (/** @type {unknown} */ (asked));
  const {values, origins} = settings;
  const instead = /** @type {const} */ (['dryRun', 'printConfig', 'listPresets']).find((key) => values[key]);
  if (instead !== undefined && values.csv && origins.csv.kind === 'flag')
    throw new UsageError(
      `--csv prints figures, and with ${origins[instead].name} nothing is measured. Use --json.`,
    );
  return settings;
}

/**
 * Reads the settings of a command from the command line, the environment, .env and defaults, and prints their warnings.
 * @template {Option} One @param {readonly string[]} commandLine @param {readonly One[]} mine the command's options
 * @param {string} command its name, for messages @throws {UsageError}
 */
export async function readOptions(commandLine, mine, command) {
  const {words, ...settings} = await readOptionsAndWords(commandLine, mine);
  refuseWords(words, command, commandLine);
  return settings;
}

/**
 * As `readOptions`, for a command that takes arguments.
 * @template {Option} One @param {readonly string[]} commandLine @param {readonly One[]} mine the command's options
 * @throws {UsageError}
 */
export async function readOptionsAndWords(commandLine, mine) {
  const guestVariables = await variablesOfGuests(readEnvFile('.env'));
  const settings = readAll(commandLine, mine, {scenario: null, guestVariables});
  for (const warning of settings.warnings) printWarning(warning);
  return settings;
}

/** @typedef {{scenario: GivenTexts | null, guestVariables: readonly string[]}} FurtherSources */

/**
 * @template {Option} One @param {readonly string[]} commandLine @param {readonly One[]} mine @param {FurtherSources} further
 */
function readAll(commandLine, mine, {scenario, guestVariables}) {
  const {flags, words} = readCommandLine(mine, commandLine);
  const sources = {flags, environment: process.env, envFile: readEnvFile('.env'), given: scenario};
  const resolved = resolveOptions(allOptions, {scope: 'battle', mine, ...sources, guestVariables});
  const settings = withOneFormat(resolved);
  const {values, origins} = /** @type {Settings} */ (settings);
  if (origins.csvSeparator?.kind === 'flag' && !values.csv)
    throw new UsageError(`${origins.csvSeparator.name} has no effect here: it needs --csv.`);
  return {...settings, words};
}

/** @param {readonly string[]} words @param {string} command @param {readonly string[]} commandLine */
function refuseWords([word], command, commandLine) {
  if (word !== undefined)
    throw new UsageError(
      `${command} takes no arguments; it was given ${quote(word)}.${adviceOnUnit(word, commandLine) || adviceOnUrl(word)} See --help.`,
    );
}

/**
 * As `readOptionsAndWords`, for a command whose output is a script or a file: neither a variable nor .env changes the output.
 * @template {Option} One @param {readonly string[]} commandLine @param {readonly One[]} mine the command's options @throws {UsageError}
 */
export function readFlagsAndWords(commandLine, mine) {
  const {flags, words} = readCommandLine(mine, commandLine);
  return {...resolveOptions(allOptions, {scope: 'battle', mine, flags}), words};
}

const formats = ['json', 'csv', 'markdown'];

const precedence = ['flag', 'environment', '.env', 'scenario'];

/**
 * If several formats are given, the format whose origin has the highest precedence is used.
 * @template {Settings} Whole @param {Whole} settings @returns {Whole}
 */
function withOneFormat(settings) {
  const {values, origins} = settings;
  const asked = formats.filter((key) => values[key] === true);
  const kinds = asked.map((key) => origins[key].kind);
  const strongest = precedence.find((kind) => kinds.some((one) => one === kind));
  const [one, another] = asked.filter((key) => origins[key].kind === strongest);
  if (another !== undefined)
    throw new UsageError(`${origins[one].name} and ${origins[another].name} exclude each other.`);
  const others = asked.filter((key) => key !== one);
  const off = Object.fromEntries(others.map((key) => [key, false]));
  const because = Object.fromEntries(others.map((key) => [key, origins[one]]));
  return {...settings, values: {...values, ...off}, origins: {...origins, ...because}};
}

/** A space may separate a value and its unit: --payload 10 KB. @param {string} word @param {readonly string[]} commandLine */
function adviceOnUnit(word, commandLine) {
  const at = commandLine.indexOf(word);
  const [flag, amount] = [commandLine[at - 2], commandLine[at - 1]];
  if (!/^[a-z]{1,3}$/i.test(word) || !flag?.startsWith('-') || !/^[\d.,]+$/.test(amount ?? '')) return '';
  return ` Write the value in one word: ${flag} ${amount}${word}.`;
}

/**
 * Prints every setting, for --print-config.
 * @param {Settings} settings @param {readonly Option[]} [options] by default those of a battle @param {readonly Exception[]} [exceptions]
 * @returns {number} the exit code
 */
export function printSettings(settings, options, exceptions) {
  const {json} = settings.values;
  process.stdout.write(
    json
      ? `${JSON.stringify(settingsDocument(settings, options, exceptions))}\n`
      : safeText(describeSettings(settings, options, exceptions)),
  );
  return 0;
}

/** @param {string} warning */
export function printWarning(warning) {
  printText(`Warning: ${warning}`);
}

/** How a running server is measured, by the scheme of its URL. At first, with few bytes: the user may not know what the server does with more. */
const serverUrls = /** @type {const} */ ([
  {
    ...{scheme: /^https?:/i, option: '--url http=', how: '--url-method GET'},
    note: ' Without --url-method GET, each request is a POST of --payload bytes, such as --payload 1kb.',
  },
  {scheme: /^wss?:/i, option: '--url websocket=', how: '--payload 1kb', note: ''},
  {scheme: /^grpcs?:/i, option: '--url grpc=', how: '--payload 1kb', note: ''},
]);
const hostAndPort = /^[a-z\d.-]+:\d{1,5}(?:\/\S*)?$/i;

/**
 * Suggests what a word that is no command may mean.
 * @param {string} word @param {readonly string[]} commands @returns {string} sentences after a space; empty if no name is similar
 */
export function adviceOnWord(word, commands) {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(word)) return adviceOnUrl(word);
  if (hostAndPort.test(word)) return adviceOnUrl(`http://${word}`);
  /** @type {readonly [prefix: string, names: readonly string[]][]} */
  const parts = [
    ['--transport ', [...transportNames, ...transportGroups]],
    ['--workload ', workloadNames],
    ['--', optionsOfBattle.map(({name}) => name)],
  ];
  const [exact] = parts.filter(([, names]) => names.includes(word));
  if (exact) return didYouMean(word, exact[1], exact[0]);
  return parts.reduce(
    (advice, [prefix, names]) => advice || didYouMean(word, names, prefix),
    didYouMean(word, commands),
  );
}

/** @param {string} word a URL @returns {string} as `adviceOnWord` */
function adviceOnUrl(word) {
  const shown = maskPassword(word);
  if (brokerKindOfUrl(word)) return ` perf-battle --broker ${shown} uses that broker.`;
  const found = serverUrls.find(({scheme}) => scheme.test(word));
  if (found === undefined) return '';
  const {option, how, note} = found;
  return ` perf-battle ${option}${shown} ${how} --transport tcp measures that server, and raw TCP for comparison.${note}`;
}

/**
 * Loads the transports that are named, before the options are read: a transport of the user may add options.
 * @param {readonly string[]} commandLine @throws {UsageError} for a scenario that cannot be read, or a transport that cannot be loaded
 */
export async function bringNamed(commandLine) {
  const {flags} = readCommandLine(optionsOfBattle, commandLine);
  const envFile = readEnvFile('.env');
  const given = (/** @type {string} */ flag, /** @type {string} */ variable) =>
    flags[flag] ?? [process.env[variable] || envFile[variable] || ''];
  const [scenario] = given('scenario', 'PB_SCENARIO');
  const named = given('transport', 'PB_TRANSPORT');
  const texts = named.every((text) => text === '') && scenario ? await ofScenario(scenario) : named;
  const names = namesIn(texts);
  for (const warning of warnOfHiddenPackages(names)) printWarning(warning);
  await bringTransports(names);
}

/** @param {string} name */
async function ofScenario(name) {
  const {texts} = await readScenario(name);
  return texts.transport ?? [];
}

/**
 * Refuses a flag --results whose journal was not read. A variable is accepted, because it may be set for battles.
 * @param {{values: {results: string}, origins: {results: Origin}}} settings
 * @param {readonly Pick<Side, 'isOfResults'>[]} sides the sides that were read @throws {UsageError}
 */
export function refuseUnusedResults({values, origins}, sides) {
  if (origins.results.kind !== 'flag' || sides.some(({isOfResults}) => isOfResults)) return;
  throw new UsageError(
    `--results ${values.results} has no effect here: it needs a battle of that file, by the beginning of its id, latest or previous.`,
  );
}
