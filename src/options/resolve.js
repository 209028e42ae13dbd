import {parseEnv} from 'node:util';
import {UsageError} from '../errors.js';
import {readGivenText} from '../files/given-file.js';
import {maskPassword, shorten} from '../files/quote.js';
import {variableOf} from './option.js';
import {didYouMean, maskRefused} from './show-option.js';
import {listOf} from './types.js';

/** @import {BattleValuesOf, GivenTexts, Option, Origin, ScriptValuesOf, Settings} from './contract.js' */

/**
 * Resolves options by precedence: flag, environment, .env file, given settings, default. An empty variable counts as unset.
 * @template {Option} One @template {'battle' | 'script'} In
 * @param {readonly Option[]} options all options of perf-battle; only their PB_ names are known
 * @param {{
 *   scope: In, mine: readonly One[], flags?: Record<string, string[]>, environment?: Record<string, string | undefined>,
 *   envFile?: Record<string, string>, given?: GivenTexts | null, guestVariables?: readonly string[],
 * }} sources mine: the options to resolve; flags: lists of texts by the flag without dashes; guestVariables: further names that .env may have
 * @returns {Settings<In extends 'battle' ? BattleValuesOf<One> : ScriptValuesOf<One>>}
 * @throws {UsageError} for an unknown flag, an unknown PB_ name in .env, or a value that is not allowed
 */
export function resolveOptions(
  options,
  {scope, mine, flags = {}, environment = {}, envFile = {}, given = null, guestVariables = []},
) {
  refuseUnknownFlags(mine, flags, {scope, all: options});
  refuseUnknownNames(options, envFile, guestVariables);
  const resolved = mine.map((option) => ({
    key: option.key,
    ...resolveOne(option, {scope, flags, environment, envFile, given}),
  }));
  return /** @type {any} */ ({
    values: Object.fromEntries(resolved.map(({key, value}) => [key, value])),
    origins: Object.fromEntries(resolved.map(({key, origin}) => [key, origin])),
    warnings: warnOfUnknownNames(options, environment),
  });
}

/** Whether the user gave a value, now or when a resumed battle began. Such a value overrides presets and defaults. @param {Origin} origin */
export function isAskedFor({kind}) {
  return kind !== 'default' && kind !== 'preset';
}

/**
 * @param {Option} option
 * @param {{scope: string, flags: Record<string, string[]>, environment: Record<string, string | undefined>,
 *   envFile: Record<string, string>, given: GivenTexts | null}} sources
 * @returns {{value: unknown, origin: Origin}}
 */
function resolveOne(option, {scope, flags, environment, envFile, given}) {
  const several = scope === 'battle' && option.list;
  const flag = flags[option.name];
  if (flag) return parseAll(option, several, flag, {kind: 'flag', name: `--${option.name}`});
  const name = option.environmentName;
  if (environment[name]) return parse(option, several, environment[name], {kind: 'environment', name});
  if (envFile[name]) return parse(option, several, envFile[name], {kind: '.env', name: `${name} in .env`});
  const texts = given?.texts[option.name];
  if (given && texts) return parseAll(option, several, texts, given.originOf(option));
  const value = scope === 'battle' ? option.battleDefault : option.default;
  return {value, origin: {kind: 'default', name: 'default'}};
}

/** @param {Option} option @param {boolean} several @param {readonly string[]} texts @param {Origin} origin */
function parseAll(option, several, texts, origin) {
  if (!several && texts.length > 1)
    throw new UsageError(`${origin.name} takes one value; it was given ${texts.length} times.`);
  return parse(option, several, texts.join(option.type.separator ?? ','), origin);
}

/** @param {Option} option @param {boolean} several @param {string} text @param {Origin} origin */
function parse(option, several, text, origin) {
  const type = several ? listOf(option.type) : option.type;
  let cause;
  try {
    const value = type.parse(text.trim());
    if (value !== undefined) return {value, origin};
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    cause = error;
  }
  if (text.trim() === '') throw new UsageError(`${origin.name} needs a value: ${type.allowed}.`, {cause});
  const masked = maskRefused(option, text);
  const shown = masked === null ? 'another value' : JSON.stringify(shorten(masked));
  // The reason may quote a part of the text. Only the types of secret options mask passwords in a reason.
  if (!option.secret && masked !== text) cause = undefined;
  const reason = cause ? ` ${cause.message}` : '';
  throw new UsageError(
    `${origin.name} must be ${type.allowed}; it is ${shown}.${nearestChoice(option, several, text)}${reason}`,
    {cause},
  );
}

/** @param {Option} option @param {boolean} several @param {string} text a text with a part that is not allowed */
function nearestChoice({type}, several, text) {
  const parts = several ? text.split(type.separator ?? ',') : [text];
  const refused = parts
    .map((part) => part.trim().toLowerCase())
    .find((part) => !type.choices?.includes(part));
  return refused === undefined ? '' : didYouMean(refused, type.choices ?? []);
}

/**
 * @param {readonly Option[]} options @param {Record<string, string[]>} flags
 * @param {{scope: 'battle' | 'script', all: readonly Option[]}} known all: the options of all commands
 */
function refuseUnknownFlags(options, flags, {scope, all}) {
  const names = options.map((option) => option.name);
  const [what, list] = scope === 'battle' ? ['this command', '--help all'] : ['this script', '--help'];
  const suggested = [...names, 'help', ...(scope === 'battle' ? ['version'] : [])];
  for (const flag of Object.keys(flags)) {
    if (names.includes(flag)) continue;
    const dashes = flag.length === 1 ? '-' : '--';
    throw new UsageError(
      `${dashes}${shorten(maskPassword(flag))} is not an option of ${what}.${ownerOf(flag, all) || adviceOnFlag(flag, suggested)} See ${list} for all of them.`,
    );
  }
}

const commandsOfOneScope = ['table', 'compare', 'report', 'chart', 'choose', 'ab', 'faults'];

/** Names the command whose option a flag is. @param {string} flag @param {readonly Option[]} options @returns {string} empty if there is none */
function ownerOf(flag, options) {
  const owner = options.find(({name}) => name === flag)?.scope ?? '';
  return commandsOfOneScope.includes(owner) ? ` perf-battle ${owner} has it.` : '';
}

/** @param {string} flag @param {readonly string[]} names */
function adviceOnFlag(flag, names) {
  // The letter of --version is a capital.
  if (flag === 'v' && names.includes('version')) return ' Did you mean --version?';
  return didYouMean(flag, names, '--');
}

/** @param {readonly Option[]} options @param {Record<string, string>} envFile @param {readonly string[]} guestVariables */
function refuseUnknownNames(options, envFile, guestVariables) {
  const unknown = unknownNames(options, envFile).find((name) => !guestVariables.includes(name));
  if (unknown === undefined) return;
  const advice =
    nearest(options, unknown) || ' If a transport of yours has it, name that transport in PB_TRANSPORT.';
  throw new UsageError(
    `${shorten(maskPassword(unknown))} in .env is not a variable of perf-battle.${advice} perf-battle help options lists all of them.`,
  );
}

/** @param {readonly Option[]} options @param {Record<string, string | undefined>} environment */
function warnOfUnknownNames(options, environment) {
  return unknownNames(options, environment).map(
    (name) =>
      `${shorten(maskPassword(name))} in the environment is not a variable of perf-battle and is ignored.${nearest(options, name)}`,
  );
}

/** The names of variables that are not those of options. @param {readonly Option[]} options @param {Record<string, string | undefined>} names */
export function unknownNames(options, names) {
  const known = new Set(options.map((option) => option.environmentName));
  return Object.keys(names).filter((name) => name.startsWith('PB_') && !known.has(name));
}

/** @param {readonly Option[]} options @param {string} name */
function nearest(options, name) {
  // The variable of a flag may have more words than the flag, such as its unit.
  const named = options.flatMap((option) =>
    [option.environmentName, variableOf(option.name)].map((one) => /** @type {const} */ ([one, option])),
  );
  const byName = new Map(named);
  return didYouMean(name, [...byName.keys()]).replace(
    /PB_\w+/,
    (one) => byName.get(one)?.environmentName ?? one,
  );
}

/**
 * Replaces values that the user did not give. An origin of kind `default` replaces only defaults; an origin of kind `preset` also replaces
 * values of presets.
 * @template {Settings} Whole @param {Whole} settings not modified @param {Partial<Whole['values']>} values by key
 * @param {Origin} origin the origin of the new values, of kind default or preset @returns {Whole}
 */
export function overlay(settings, values, origin) {
  const gives = (/** @type {string} */ key) => {
    const current = settings.origins[key];
    return !isAskedFor(current) && (current.kind === 'default' || origin.kind === 'preset');
  };
  const taken = Object.entries(values).filter(([key]) => gives(key));
  return {
    ...settings,
    values: {...settings.values, ...Object.fromEntries(taken)},
    origins: {...settings.origins, ...Object.fromEntries(taken.map(([key]) => [key, origin]))},
  };
}

/**
 * Replaces values, including values that the user gave. Their origins stay.
 * @template {Settings} Whole @param {Whole} settings not modified @param {Partial<Whole['values']>} values by key @returns {Whole}
 */
export function withValues(settings, values) {
  return {...settings, values: {...settings.values, ...values}};
}

const maxBytes = 1024 ** 2;

/**
 * Reads the PB_ lines of a .env file, and ignores all other lines. A missing file counts as empty.
 * @param {string} path @returns {Record<string, string>}
 * @throws {UsageError} when the file exists but cannot be read, or a PB_ line has no value
 */
export function readEnvFile(path) {
  const text = assignmentsIn(path, readOrEmpty(path));
  const entries = Object.entries(parseEnv(text)).filter(([name]) => name.startsWith('PB_'));
  return /** @type {Record<string, string>} */ (Object.fromEntries(entries));
}

/** A value in quotation marks, which may have several lines. */
const quotedValue = /^([^#=\n]*=)[ \t]*(["'`])[\s\S]*?\2/gm;

/**
 * Removes the lines without =, because `parseEnv` takes such a line and the next one for one name.
 * @param {string} path @param {string} text @throws {UsageError} for a PB_ line without =
 */
function assignmentsIn(path, text) {
  const outsideQuotes = text
    .replace(quotedValue, (all, name) => name + all.replace(/[^\n]/g, ''))
    .split('\n');
  const lines = text.split('\n').filter((_, index) => {
    const line = outsideQuotes[index].trim();
    if (line === '' || /[=#]/.test(line)) return true;
    const name = /^(?:export\s+)?(PB_\w*)/.exec(line)?.[1];
    if (name === undefined) return false;
    // The rest of the line may be a password.
    throw new UsageError(
      `${path}, line ${index + 1}, must be NAME=VALUE, such as PB_ROUNDS=10, or a comment that begins with #; it has ${name} without =.`,
    );
  });
  return lines.join('\n');
}

/** @param {string} path */
function readOrEmpty(path) {
  try {
    return readGivenText(path, {maxBytes});
  } catch (error) {
    const {cause, message} = /** @type {UsageError} */ (error);
    if (/** @type {NodeJS.ErrnoException | undefined} */ (cause)?.code === 'ENOENT') return '';
    throw new UsageError(`The settings file in this folder cannot be used: ${message}`, {cause: error});
  }
}
