import {isIP} from 'node:net';
import {UsageError} from '../errors.js';
import {withHome} from '../files/given-file.js';
import {shorten} from '../files/quote.js';
import {formatBytes} from '../payload/bytes.js';

/** @import {FileRule, OptionType} from './contract.js' */

/** @param {{minimum: number, maximum: number}} range @returns {OptionType<number>} */
export function integer({minimum, maximum}) {
  return {
    placeholder: 'N',
    allowed: `a whole number from ${minimum} to ${maximum}`,
    parse: (text) => {
      refuseThousands(text);
      return within(/^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN, minimum, maximum);
    },
    format: String,
  };
}

/** @template {string} Choice @param {readonly Choice[]} choices @returns {OptionType<Choice>} */
export function oneOf(choices) {
  return {
    allowed: orList(choices),
    choices,
    parse: (text) => choices.find((choice) => choice === text.toLowerCase()),
    format: String,
  };
}

/** @param {readonly string[]} words at least one */
export function orList(words) {
  return words.length === 1 ? words[0] : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** @type {OptionType<boolean>} */
export const onOff = {
  allowed: 'on or off (or true, false, yes, no, 1, 0)',
  choices: ['on', 'off'],
  parse: (text) => {
    const word = text.toLowerCase();
    if (['on', 'true', 'yes', '1'].includes(word)) return true;
    if (['off', 'false', 'no', '0'].includes(word)) return false;
    return undefined;
  },
  format: (value) => (value ? 'on' : 'off'),
};

const byteUnits = {'': 1, b: 1, k: 1024, kb: 1024, kib: 1024, m: 1024 ** 2, mb: 1024 ** 2, mib: 1024 ** 2};

/**
 * A number of bytes. `1kb` is 1024 bytes, as in the published tables.
 * @param {{minimum: number, maximum: number}} range bytes @returns {OptionType<number>}
 */
export function bytes({minimum, maximum}) {
  return {
    placeholder: 'SIZE',
    allowed: `a number of bytes such as 1024, 100kb or 1mb (1kb is 1024 bytes), from ${minimum} to ${formatBytes(maximum)}`,
    parse: (text) => {
      const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text);
      const unit = match && byteUnits[/** @type {keyof typeof byteUnits} */ (match[2].toLowerCase())];
      const value = match && unit ? Number(match[1]) * unit : Number.NaN;
      return Number.isInteger(value) ? within(value, minimum, maximum) : undefined;
    },
    format: formatBytes,
  };
}

const durationUnits = {'': 0, ms: 1, s: 1000, m: 60_000, h: 3_600_000};

/** A time in ms. Only 0 needs no unit. @param {{minimumMs: number, maximumMs: number}} range @returns {OptionType<number>} */
export function duration({minimumMs, maximumMs}) {
  return {
    placeholder: 'TIME',
    allowed: `a time with its unit, such as 500ms, 2s or 1m, from ${formatDuration(minimumMs)} to ${formatDuration(maximumMs)}`,
    parse: (text) => {
      const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text) ?? [];
      if (amount === undefined) return undefined;
      if (unit === '' && Number(amount) !== 0)
        throw new UsageError(`A time needs a unit: ${shorten(text)}ms or ${shorten(text)}s, for example.`);
      const unitMs = durationUnits[/** @type {keyof typeof durationUnits} */ (unit.toLowerCase())];
      return within(Number(amount) * unitMs, minimumMs, maximumMs);
    },
    format: formatDuration,
  };
}

/** @param {number} ms */
function formatDuration(ms) {
  if (ms >= 3_600_000 && ms % 3_600_000 === 0) return `${ms / 3_600_000}h`;
  if (ms >= 60_000 && ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms >= 1000 ? `${ms / 1000}s` : `${ms}ms`;
}

/**
 * A share, such as `2%` or `0.02`, as a fraction of one.
 * @param {{minimum: number, maximum: number}} range fractions @returns {OptionType<number>}
 */
export function share({minimum, maximum}) {
  return {
    placeholder: 'SHARE',
    allowed: `a share such as 2% or 0.02, from ${minimum * 100}% to ${maximum * 100}%`,
    parse: (text) => {
      const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text);
      return match ? within(Number(match[1]) / (match[2] ? 100 : 1), minimum, maximum) : undefined;
    },
    format: (value) => `${value * 100}%`,
  };
}

/**
 * A text of 1 to 1000 characters, without control characters: a line break in the name of a queue, for example, is a mistake.
 * @param {string} meaning worded to follow "must be" @returns {OptionType<string>}
 */
export function text(meaning) {
  return {
    placeholder: 'NAME',
    allowed: meaning,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are refused
    parse: (value) => (/^[^\u0000-\u001f\u007f]{1,1000}$/.test(value) ? value : undefined),
    format: String,
  };
}

/**
 * The path of a file or folder. A leading ~/ is replaced by the home directory, because the shell does not expand it everywhere.
 * @param {string} meaning worded to follow "must be" @returns {OptionType<string>}
 */
export function path(meaning) {
  const type = text(meaning);
  return {
    ...type,
    placeholder: 'FILE',
    parse: (value) => {
      const given = type.parse(value);
      return given === undefined ? undefined : withHome(given);
    },
  };
}

/** The path of an input file. @param {string} meaning worded to follow "must be" @param {FileRule} rule @returns {OptionType<string>} */
export function file(meaning, rule) {
  return {...path(meaning), file: rule};
}

/** @param {{minimum: number, maximum: number}} range @returns {OptionType<number>} */
export function decimal({minimum, maximum}) {
  return {
    placeholder: 'N',
    allowed: `a number from ${minimum} to ${maximum}`,
    parse: (text) => {
      refuseThousands(text);
      return within(/^\d+(?:\.\d+)?(?:e\d+)?$/i.test(text) ? Number(text) : Number.NaN, minimum, maximum);
    },
    format: String,
  };
}

/** @param {string} text */
function refuseThousands(text) {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([km])$/i.exec(text) ?? [];
  if (amount === undefined) return;
  throw new UsageError(`Write ${Number(amount) * (unit.toLowerCase() === 'k' ? 1000 : 1_000_000)}.`);
}

/** A host is checked here, because a wrong host causes many different errors later. @type {OptionType<string>} */
export const hostName = {
  allowed: 'a host name or an address, without a port',
  placeholder: 'HOST',
  parse: (text) => (isHost(text) ? withoutBrackets(text) : undefined),
  format: String,
  maskRefused: maskUser,
};

/** Several hosts, separated by commas. @type {OptionType<string>} */
export const hostNames = {
  ...hostName,
  parse: (text) => {
    const hosts = text.split(',');
    return hosts.every(isHost) ? hosts.map(withoutBrackets).join(',') : undefined;
  },
};

/** @param {string} text */
function isHost(text) {
  const name = /^[\p{L}\p{N}_][\p{L}\p{N}_-]{0,62}(?:\.[\p{L}\p{N}_][\p{L}\p{N}_-]{0,62})*\.?$/u;
  return isIP(withoutBrackets(text)) !== 0 || (text.length <= 255 && name.test(text));
}

/** Removes the brackets of an IPv6 address, which are needed only before a port. @param {string} text */
function withoutBrackets(text) {
  return text.replace(/^\[(.*)\]$/, '$1');
}

/** Masks the text before an @, which may be a user name and a password. @param {string} text */
export function maskUser(text) {
  return text.replace(/^.*@/s, '***@');
}

/**
 * A type with a given parser.
 * @template Value @param {string} allowed @param {(text: string) => Value | undefined} parse may throw if the text is not allowed
 * @param {(value: Value) => string} [format] @returns {OptionType<Value>}
 */
export function custom(allowed, parse, format = String) {
  return {
    allowed,
    parse: (value) => {
      try {
        return parse(value);
      } catch {
        return undefined;
      }
    },
    format,
  };
}

/** Repeated values of a list are removed. @template Value @param {OptionType<Value>} type @returns {OptionType<Value[]>} */
export function listOf(type) {
  const {separator = ',', split = (text) => text.split(separator)} = type;
  return {
    allowed: `a ${separator === ',' ? 'comma' : 'semicolon'}-separated list of: ${type.allowed}`,
    parse: (value) => {
      const parsed = split(value).flatMap((part) => type.expand?.(part.trim()) ?? [type.parse(part.trim())]);
      return parsed.includes(undefined) ? undefined : [.../** @type {Set<Value>} */ (new Set(parsed))];
    },
    format: (values) => values.map(type.format).join(separator),
  };
}

/** @param {number} value @param {number} minimum @param {number} maximum */
function within(value, minimum, maximum) {
  return value >= minimum && value <= maximum ? value : undefined;
}

/** Each value makes additional cells, so a longer range is a mistake. */
const maxValues = 10_000;

/**
 * A type whose lists may contain ranges: `32..4064+32` is 32, 64, … 4064. The default step is 1.
 * @param {OptionType<number>} type the type of a single value @returns {OptionType<number>}
 */
export function withRanges(type) {
  return {
    ...type,
    allowed: `${type.allowed}, or in a list a range such as 32..4064+32`,
    expand: (text) => {
      const [, from, to, step = '1'] = /^(.+?)\.\.([^+]+)(?:\+(.+))?$/.exec(text) ?? [];
      if (from === undefined) return [type.parse(text)];
      return valuesBetween(text, [type.parse(from), type.parse(to), parseStep(type, step)]);
    },
  };
}

/** The type may not allow 0, but a step of 0 gets a separate message. @param {OptionType<number>} type @param {string} step */
function parseStep(type, step) {
  return /^0+(?:\.0+)?\s*[a-z]*$/i.test(step) ? 0 : type.parse(step);
}

/** @param {string} text @param {(number | undefined)[]} bounds from, to, step */
function valuesBetween(text, [from, to, step]) {
  if (from === undefined || to === undefined || step === undefined) return [undefined];
  if (step <= 0) throw new UsageError(`The step of the range ${shorten(text)} must be greater than 0.`);
  if (to < from) throw new UsageError(`The range ${shorten(text)} is empty: its end is below its start.`);
  const count = Math.floor((to - from) / step) + 1;
  if (count > maxValues)
    throw new UsageError(`The range ${shorten(text)} has ${count} values; at most ${maxValues} are allowed.`);
  return Array.from({length: count}, (_, index) => from + index * step);
}
