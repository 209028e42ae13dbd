import {listOf} from '../options/types.js';
import {optionsOfBattle} from '../settings/index.js';

/**
 * @import {Option} from '../options/option.js'
 * @import {Settings} from '../options/resolve.js'
 * @import {OptionType} from '../options/types.js'
 */

/**
 * Every value and where it comes from, for --print-config; secrets masked.
 * @param {Settings} settings
 * @returns {string} a line an option
 */
export function describeSettings({values, origins}) {
  const rows = optionsOfBattle.map((option) => [
    `--${option.name}`,
    option.environmentName,
    formatValue(option, values[option.key]),
    origins[option.key].name,
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) => `${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')}\n`)
    .join('');
}

/**
 * The settings as the journal and the records keep them: by key, as plain values, secrets left out.
 * @param {Settings} settings
 * @returns {Record<string, unknown>}
 */
export function publicSettings({values}) {
  const kept = optionsOfBattle.filter(({secret}) => !secret);
  return Object.fromEntries(kept.map(({key, type}) => [key, withoutPassword(key, values[key], type)]));
}

/** @param {string} key @param {unknown} value @param {OptionType<any>} type */
function withoutPassword(key, value, type) {
  return ['broker', 'rabbitmqUrl'].includes(key) && value !== null ? type.format(value) : value;
}

/** @param {Option} option @param {any} value */
function formatValue({type, list, secret}, value) {
  if (value === null) return '(unset)';
  if (secret) return '***';
  return (list ? listOf(type) : type).format(value);
}
