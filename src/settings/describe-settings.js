import {canShow, formatMasked, maskValue} from '../options/show-option.js';
import {onOff, orList} from '../options/types.js';
import {transports} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {optionsOfBattle, ownsOption} from './index.js';

/**
 * @import {Option, Settings} from '../options/contract.js'
 * @import {Transport} from '../transports/transport.js'
 * @import {Workload} from '../workloads/workload.js'
 */

/**
 * For --print-config: every value and its origin, with secrets masked.
 * @param {Settings} settings @param {readonly Option[]} [options]
 * @returns {string} one line per option
 */
export function describeSettings({values, origins}, options = optionsOfBattle) {
  const rows = options.map((option) => [
    `--${option.name}`,
    option.environmentName,
    formatMasked(option, values[option.key], {several: true}),
    origins[option.key].name,
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) => `${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')}\n`)
    .join('');
}

/**
 * The same for --print-config --json.
 * @param {Settings} settings @param {readonly Option[]} [options]
 * @returns {{settings: Record<string, {value: unknown, origin: string}>}} by the option's name
 */
export function settingsDocument({values, origins}, options = optionsOfBattle) {
  const entries = options.map((option) => [
    option.name,
    {value: maskValue(option, values[option.key]), origin: origins[option.key].name},
  ]);
  return {settings: Object.fromEntries(entries)};
}

/**
 * The settings in force as a person gives them, with secrets masked. Those without a value, and secrets of which nothing may be shown, are left out.
 * @param {Settings} settings @param {readonly Option[]} options @returns {{name: string, text: string}[]}
 */
export function settingsAsGiven({values}, options) {
  return options
    .filter((option) => canShow(option) && values[option.key] !== null)
    .map((option) => ({
      name: `--${option.name}`,
      text: formatMasked(option, values[option.key], {several: true}),
    }));
}

/**
 * The settings that the journal and the records store: plain values by key, with secrets masked. A secret of which nothing may be shown is
 * there only if it was given: the mask then says that it is needed again to resume.
 * @param {Settings} settings @param {readonly Option[]} [options] @returns {Record<string, unknown>}
 */
export function publicSettings({values}, options = optionsOfBattle) {
  return Object.fromEntries(
    options
      .filter((option) => canShow(option) || values[option.key] !== option.battleDefault)
      .map((option) => [option.key, maskValue(option, values[option.key])]),
  );
}

/**
 * A stored setting as a person gives it: `--duration 250ms` for durationMs 250. What is no option stays as it is.
 * @param {string} key
 * @param {unknown} value none: it was not given
 * @returns {{name: string, text: unknown}}
 */
export function settingAsGiven(key, value) {
  const option = optionsOfBattle.find((one) => one.key === key);
  if (!option) return {name: key, text: value};
  const name = `--${option.name}`;
  if (value === 'none' || value === null) return {name, text: value};
  try {
    const several = option.list === true && Array.isArray(value);
    return {name, text: formatMasked(option, value, {several})};
  } catch {
    // Another version may have stored a value of another form.
    return {name, text: value};
  }
}

const allWorkloads = Object.values(workloads);

/**
 * What declares an option: transports, by themselves or by their kind of broker, or workloads.
 * @param {Option} option
 * @returns {(Transport | Workload)[]} empty: it belongs to all
 */
export function ownersOf(option) {
  return [...transportsWith(option), ...workloadsWith(option)];
}

/**
 * The names of what declares an option.
 * @param {Option} option
 * @returns {string} such as: the transport http or websocket
 */
export function ownersText(option) {
  const ofTransports = transportsWith(option);
  const owners = ofTransports.length > 0 ? ofTransports : workloadsWith(option);
  return `the ${ofTransports.length > 0 ? 'transport' : 'workload'} ${orList(owners.map(({name}) => name))}`;
}

/** Whether only some workloads take an option. @param {Option} option */
function isOfSomeWorkloads(option) {
  const {length} = workloadsWith(option);
  return length > 0 && length < allWorkloads.length;
}

/** @param {Option} option */
function transportsWith(option) {
  return transports.filter((transport) => ownsOption(transport, option));
}

/** @param {Option} option */
function workloadsWith(option) {
  return allWorkloads.filter(({options}) => options.includes(option));
}

/**
 * What an option is for, the workloads that take it, and its choices. A plain switch needs no choices.
 * @param {Option} option
 * @returns {string} sentences
 */
export function meaningOf(option) {
  const {help, type, list} = option;
  const owners = isOfSomeWorkloads(option) ? [`For ${ownersText(option)}.`] : [];
  const hasChoices = type.choices !== undefined && (type !== onOff || list);
  const choices = hasChoices ? [`${list ? 'Any' : 'One'} of: ${type.choices?.join(', ')}.`] : [];
  return [help, ...owners, ...choices].join(' ');
}
