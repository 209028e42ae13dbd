import {UsageError} from '../errors.js';
import {quote} from '../files/given-text.js';
import {camelCase} from '../options/option.js';
import {didYouMean} from '../options/suggest.js';
import {optionsOfBattle, optionsOfFaults} from './index.js';

/**
 * @import {CamelCase, Option} from '../options/option.js'
 * @import {faultsOptions} from './command-options.js'
 * @import {BattleOption} from './index.js'
 */

/** What only a command line needs. */
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
 * @typedef {string | number | boolean | readonly (string | number)[]} GivenValue as on a command line: 2, '10ms', '1kb,2kb', ['http', 'tcp'], true
 */

/** What a program may give. @returns {BattleOption[]} */
export function givenOptions() {
  return optionsOfBattle.filter(
    ({name}) => !(/** @type {readonly string[]} */ (ofCommandLine).includes(name)),
  );
}

/** The same of a run of faults. A page and charts are what its command writes. @returns {Option[]} */
export function givenOptionsOfFaults() {
  const ofPage = ['page', 'folder'];
  const all = /** @type {readonly Option[]} */ (optionsOfFaults);
  return all.filter(({name}) => ![...ofCommandLine, ...ofPage].includes(name));
}

/**
 * What a program or a config file gives, as the texts of flags.
 * @param {Readonly<Record<string, unknown>>} given
 * @param {string} where it was given, for messages
 * @param {readonly Option[]} [options] that may be given
 * @returns {Record<string, string[]>} by flag
 * @throws {UsageError} for an unknown name, or a value of a type that no option has
 */
export function textsOf(given, where, options = givenOptions()) {
  const flags = new Map(options.map(({name}) => [camelCase(name), name]));
  const pairs = Object.entries(given).flatMap(([key, value]) => {
    const flag = flags.get(key);
    if (flag === undefined)
      throw new UsageError(
        `${quote(key)} is not a setting of ${where}.${didYouMean(key, [...flags.keys()])} A setting is an option of a battle in camel case, such as deliveryMode.`,
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
