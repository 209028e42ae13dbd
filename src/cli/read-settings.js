import {UsageError} from '../errors.js';
import {quote} from '../files/given-text.js';
import {readCommandLine} from '../options/command-line.js';
import {readEnvFile, resolveOptions} from '../options/resolve.js';
import {readScenario} from '../settings/given.js';
import {allOptions} from '../settings/index.js';
import {completeSettings} from '../settings/resolve-battle.js';
import {adviceOnUrl} from './unknown-word.js';

/**
 * @import {BattleValuesOf, Option} from '../options/option.js'
 * @import {GivenTexts, Settings} from '../options/resolve.js'
 * @import {BattleSettings} from '../settings/index.js'
 */

/**
 * The settings of a command that runs battles.
 * @template {Option} One
 * @param {readonly string[]} commandLine
 * @param {readonly One[]} mine what may be given: the options of the battle, and the command's own
 * @returns {Promise<Settings<BattleValuesOf<One>>>}
 * @throws {UsageError}
 */
export async function readBattleSettings(commandLine, mine) {
  return /** @type {any} */ (settled(await readGiven(commandLine, mine), mine));
}

/**
 * The settings as given, with defaults, before the others are derived from them.
 * @param {readonly string[]} commandLine
 * @param {readonly Option[]} mine
 * @returns {Promise<BattleSettings>}
 * @throws {UsageError}
 */
export async function readGiven(commandLine, mine) {
  const first = readAsBattle(commandLine, mine);
  const {scenario} = first.values;
  return scenario === null ? first : readAsBattle(commandLine, mine, await readScenario(scenario));
}

/**
 * The settings that follow from those given.
 * @param {BattleSettings} given
 * @param {readonly Option[]} mine
 * @returns {Promise<BattleSettings>}
 * @throws {UsageError}
 */
export async function settled(given, mine) {
  const settings = completeSettings(given, mine);
  if (settings.values.scale !== 'auto') return settings;
  // What plans a battle is two thirds of the program. Settings that are refused are reported without it.
  const {withScale} = await import('../battle/estimate.js');
  return withScale(settings);
}

/** @param {readonly string[]} commandLine @param {readonly Option[]} mine @param {GivenTexts | null} [given] */
function readAsBattle(commandLine, mine, given = null) {
  const asked = readOptions(commandLine, mine, 'A battle', given);
  const settings = /** @type {BattleSettings} */ (/** @type {unknown} */ (asked));
  refuseCsvWithoutFigures(settings);
  return settings;
}

/** @param {BattleSettings} settings @throws {UsageError} */
function refuseCsvWithoutFigures({values, origins}) {
  const instead = /** @type {const} */ (['dryRun', 'printConfig', 'listPresets']).find((key) => values[key]);
  if (instead !== undefined && values.csv && origins.csv.kind === 'flag')
    throw new UsageError(
      `--csv prints figures, and with ${origins[instead].name} nothing is measured. Use --json.`,
    );
}

/**
 * What a command was asked for, from the command line, the environment, .env and defaults.
 * @template {Option} One
 * @param {readonly string[]} commandLine
 * @param {readonly One[]} mine what the command takes
 * @param {string} command for messages
 * @param {GivenTexts | null} [given] settings of a scenario
 * @throws {UsageError}
 */
export function readOptions(commandLine, mine, command, given = null) {
  const {words, ...settings} = readOptionsAndWords(commandLine, mine, given);
  if (words.length > 0)
    throw new UsageError(
      `${command} takes no arguments; it was given ${quote(words[0])}.${adviceOn(words[0], commandLine) || adviceOnUrl(words[0])} See --help.`,
    );
  return settings;
}

/**
 * The same for a command that takes arguments.
 * @template {Option} One
 * @param {readonly string[]} commandLine
 * @param {readonly One[]} mine what the command takes
 * @param {GivenTexts | null} [given]
 * @throws {UsageError}
 */
export function readOptionsAndWords(commandLine, mine, given = null) {
  const {flags, words} = readCommandLine(mine, commandLine);
  const sources = {flags, environment: process.env, envFile: readEnvFile('.env'), given};
  const settings = withOneFormat(resolveOptions(allOptions, {scope: 'battle', mine, ...sources}));
  refuseSeparatorAlone(settings);
  return {...settings, words};
}

/**
 * The same for a command whose output is a script or a file: neither a variable nor .env changes it.
 * @template {Option} One
 * @param {readonly string[]} commandLine
 * @param {readonly One[]} mine what the command takes
 * @throws {UsageError}
 */
export function readFlagsAndWords(commandLine, mine) {
  const {flags, words} = readCommandLine(mine, commandLine);
  return {...resolveOptions(allOptions, {scope: 'battle', mine, flags}), words};
}

/** @param {Settings} settings @throws {UsageError} */
function refuseSeparatorAlone({values, origins}) {
  if (origins.csvSeparator?.kind === 'flag' && !values.csv)
    throw new UsageError(`${origins.csvSeparator.name} has no effect here: it needs --csv.`);
}

/** What standard output may be for a program. */
const formats = ['json', 'csv', 'markdown'];

/** Which of two origins is meant. */
const precedence = ['flag', 'environment', '.env', 'scenario'];

/**
 * Of two formats, the one with the higher precedence is meant.
 * @template {Settings} Whole
 * @param {Whole} settings
 * @returns {Whole}
 * @throws {UsageError}
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

/**
 * A value and its unit may have come apart: --payload 10 KB.
 * @param {string} word
 * @param {readonly string[]} commandLine
 */
function adviceOn(word, commandLine) {
  const at = commandLine.indexOf(word);
  const [flag, amount] = [commandLine[at - 2], commandLine[at - 1]];
  if (!/^[a-z]{1,3}$/i.test(word) || !flag?.startsWith('-') || !/^[\d.,]+$/.test(amount ?? '')) return '';
  return ` Write the value in one word: ${flag} ${amount}${word}.`;
}
