import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {basename, join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {UsageError} from '../errors.js';
import {importBrought} from '../files/brought-module.js';
import {readGivenText} from '../files/given-file.js';
import {maskPassword, quote, shorten} from '../files/quote.js';
import {camelCase} from '../options/option.js';
import {didYouMean} from '../options/show-option.js';
import {optionsOfBattle, optionsOfFaults} from './index.js';

/**
 * @import {CamelCase, GivenTexts, Option} from '../options/contract.js'
 * @import {faultsOptions} from './command-options.js'
 * @import {BattleOption} from './index.js'
 * @import {GivenValue} from './types.js'
 */

/** The options that only a command line needs. */
const ofCommandLine = /** @type {const} */ ([
  'bands',
  'csv',
  'csv-separator',
  'detail',
  'dry-run',
  'histogram',
  'json',
  'list-presets',
  'print-config',
  'quiet',
  'scenario',
]);

/**
 * The options of a battle by their flags, in camel case: `deliveryMode` for `--delivery-mode`.
 *
 * @typedef {{[One in GivenOption as CamelCase<One['name']>]?: GivenValue | undefined}} GivenSettings
 * @typedef {Exclude<BattleOption, {name: typeof ofCommandLine[number]}>} GivenOption
 * @typedef {{[One in GivenFaultOption as CamelCase<One['name']>]?: GivenValue | undefined}} GivenFaultSettings of a run of faults
 * @typedef {BattleOption | typeof faultsOptions[number]} GivenFaultOption
 */

/** The options that a program may give for a battle. @returns {BattleOption[]} */
export function givenOptions() {
  return optionsOfBattle.filter(
    ({name}) => !(/** @type {readonly string[]} */ (ofCommandLine).includes(name)),
  );
}

/** The options that a program may give for a run of faults. Only the command writes a page and charts. */
export function givenOptionsOfFaults() {
  const ofPage = ['page', 'folder'];
  const all = /** @type {readonly Option[]} */ (optionsOfFaults);
  return all.filter(({name}) => ![...ofCommandLine, ...ofPage].includes(name));
}

/**
 * Turns the settings from a program or a config file into texts of flags.
 * @param {Readonly<Record<string, unknown>>} given @param {string} where names the program or the file in messages
 * @param {readonly Option[]} [options] the options that may be given @returns {Record<string, string[]>} by flag
 * @throws {UsageError} for an unknown name, or a value of a type that no option has
 */
export function textsOf(given, where, options = givenOptions()) {
  const flags = new Map(options.map(({name}) => [camelCase(name), name]));
  const pairs = Object.entries(given).flatMap(([key, value]) => {
    const flag = flags.get(key);
    if (flag === undefined)
      throw new UsageError(
        `${quote(key)} is not a setting of ${where}.${didYouMean(key, [...flags.keys()])} A setting is an option of the command in camel case, such as deliveryMode.`,
      );
    if (value === undefined) return [];
    const values = Array.isArray(value) ? value : [value];
    return [[flag, values.map((one) => textOf(one, `${key} of ${where}`))]];
  });
  return Object.fromEntries(pairs);
}

/** @param {unknown} value @param {string} name */
function textOf(value, name) {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new UsageError(`${name} must be text, a number, true, false, or a list of texts and numbers.`);
}

const fileNames = ['perf-battle.config.js', 'perf-battle.config.json'];
const maxBytes = 1024 ** 2;
const checkTimeoutMs = 5000;
const form =
  'A config file has the form {"scenarios": {"nightly": {"payload": "1kb", "rounds": 10}}, "transports": ["./lines"]}.';

/**
 * Reads the settings of a scenario. A scenario is a name for several settings in the config file of a folder.
 * @param {string} name @param {string} [folder] @returns {Promise<GivenTexts>}
 * @throws {UsageError} when the scenario does not exist, or the file or its settings cannot be used
 */
export async function readScenario(name, folder = '.') {
  const config = await readConfig(folder);
  if (config === null)
    throw new UsageError(`--scenario needs a file ${fileNames.join(' or ')} in this folder; there is none.`);
  const {file} = config;
  const known = asObject(config.scenarios, `"scenarios" in ${file}`);
  const names = Object.keys(known);
  if (!Object.hasOwn(known, name))
    throw new UsageError(
      `${file} has no scenario ${quote(name)}.${didYouMean(name, names)} It has: ${names.join(', ') || 'none'}.`,
    );
  const where = `scenario ${quote(name)} of ${file}`;
  return {
    texts: textsOf(asObject(known[name], where), where),
    originOf: (option) => ({kind: 'scenario', name: `${camelCase(option.name)} in ${where}`}),
  };
}

/**
 * The transports of the config file of a folder. Each is a path, a package, or an object that `defineTransport` returned.
 * @param {string} [folder] @returns {Promise<readonly unknown[]>} empty without a config file @throws {UsageError} when the file cannot be used
 */
export async function transportsOfConfig(folder = '.') {
  const {file, transports = []} = (await readConfig(folder)) ?? {};
  if (!Array.isArray(transports)) throw new UsageError(`"transports" in ${file} must be a list.`);
  return transports;
}

/** The names that a config file may have. */
const configKeys = ['scenarios', 'transports'];

/**
 * Reads the config file of a folder.
 * @param {string} [folder] @param {{mayLoadCode?: boolean}} [how] mayLoadCode: whether a file of code is loaded, by default true
 * @returns {Promise<{file: string, scenarios?: unknown, transports?: unknown} | null>} null without a config file that may be read
 * @throws {UsageError} when the file cannot be used
 */
export async function readConfig(folder = '.', {mayLoadCode = true} = {}) {
  const file = fileNames.find((one) => existsSync(join(folder, one)));
  if (file === undefined || !(mayLoadCode || file.endsWith('.json'))) return null;
  const config = asObject(await contentOf(join(folder, file)), file);
  for (const key of Object.keys(config)) {
    if (configKeys.includes(key)) continue;
    const advice = didYouMean(key, configKeys) || settingAdvice(key);
    throw new UsageError(`${file} may have ${configKeys.join(' and ')}; it has ${quote(key)}.${advice}`);
  }
  return {file, ...config};
}

/** @param {string} key */
function settingAdvice(key) {
  const isSetting = givenOptions().some(({name}) => camelCase(name) === key);
  return isSetting ? ` A setting belongs in a scenario: {"scenarios": {"nightly": {${quote(key)}: …}}}.` : '';
}

/** @param {string} path @returns {Promise<unknown>} */
async function contentOf(path) {
  const text = readGivenText(path, {maxBytes});
  const isJson = path.endsWith('.json');
  try {
    return isJson ? JSON.parse(text) : (await importBrought(pathToFileURL(resolve(path)).href)).default;
  } catch (cause) {
    const line = isJson ? lineOfJsonError(text) : lineOfModuleError(path, text, /** @type {Error} */ (cause));
    // JSON.parse quotes a part of the file, which may contain a password.
    const masked = String(cause).replace(/, (?:\.{3})?".*(?= is not valid JSON)/s, ': the file');
    const reason = maskPassword(masked).replace(/\s+/g, ' ');
    const where = line === null ? path : `${path}, line ${line},`;
    throw new UsageError(`${where} cannot be used: ${shorten(reason)}. ${form}`, {cause});
  }
}

/** Some messages of JSON.parse have no position, so this searches for the shortest beginning that nothing completes. @param {string} text */
function lineOfJsonError(text) {
  let [valid, invalid] = [0, text.length + 1];
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (canContinue(text.slice(0, middle))) valid = middle;
    else invalid = middle;
  }
  return text.slice(0, valid).split('\n').length;
}

/** Whether a text is JSON, or the beginning of JSON: its error, if any, is at its end. @param {string} text */
function canContinue(text) {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const {message} = /** @type {Error} */ (error);
    const at = /at position (\d+)/.exec(message)?.[1];
    return message.startsWith('Unexpected end') || Number(at) >= text.length;
  }
}

/**
 * An error of syntax in an ES module does not say its line, but `node --check` does.
 * @param {string} path @param {string} text @param {Error} error
 */
function lineOfModuleError(path, text, {name, stack = ''}) {
  const line = lineAfter(basename(path), stack);
  if (line !== null || name !== 'SyntaxError') return line;
  const words = ['--check', '--input-type=module', '-'];
  const {stderr} = spawnSync(process.execPath, words, {
    input: text,
    encoding: 'utf8',
    timeout: checkTimeoutMs,
  });
  return lineAfter('[stdin]', stderr);
}

/** @param {string} name of a file @param {string} text the stack of an error, or what Node.js prints of it */
function lineAfter(name, text) {
  const [, rest] = text.split(name);
  return /^:(\d+)/.exec(rest ?? '')?.[1] ?? null;
}

/** @param {unknown} value @param {string} what */
function asObject(value, what) {
  if (isObject(value)) return value;
  throw new UsageError(`${what} must be an object. ${form}`);
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * @template Given @param {Given} given the argument of a function @param {string} where the function's name @returns {Given}
 * @throws {UsageError} when the argument is no object
 */
export function settingsIn(given, where) {
  if (isObject(given)) return given;
  throw new UsageError(
    `${where} takes an object of settings, such as {payload: '1kb'}; it is ${given === null ? 'null' : Array.isArray(given) ? 'a list' : `a ${typeof given}`}.`,
  );
}
