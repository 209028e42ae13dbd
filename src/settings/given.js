import {UsageError} from '../errors.js';
import {camelCase} from '../options/option.js';
import {quote} from '../options/shorten.js';
import {didYouMean} from '../options/suggest.js';
import {optionsOfBattle} from './index.js';

/**
 * @import {CamelCase} from '../options/option.js'
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
 * @typedef {string | number | boolean | readonly (string | number)[]} GivenValue as on a command line: 2, '10ms', '1kb,2kb', ['http', 'tcp'], true
 */

/** What a program may give. @returns {BattleOption[]} */
export function givenOptions() {
  return optionsOfBattle.filter(
    ({name}) => !(/** @type {readonly string[]} */ (ofCommandLine).includes(name)),
  );
}

/**
 * What a program or a config file gives, as the texts of flags.
 * @param {Readonly<Record<string, unknown>>} given
 * @param {string} where it was given, for messages
 * @returns {Record<string, string[]>} by flag
 * @throws {UsageError} for an unknown name, or a value of a type that no option has
 */
export function textsOf(given, where) {
  const flags = new Map(givenOptions().map(({name}) => [camelCase(name), name]));
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
