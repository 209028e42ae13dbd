import {canShow, formatMasked, maskValue} from '../options/show-option.js';
import {onOff, orList} from '../options/types.js';
import {transports} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {chooseOptions} from './command-options.js';
import {optionsOfBattle, optionsOfChoose, optionsOfFaults, ownsOption} from './index.js';
import {outputGroup} from './output-options.js';

/**
 * @import {Option, Settings} from '../options/contract.js'
 * @import {Transport} from '../transports/transport.js'
 * @import {Workload} from '../workloads/workload.js'
 */

/**
 * A value of an option that holds in a part of a run only.
 * @typedef {object} Exception
 * @property {string} key of the option
 * @property {unknown} value
 * @property {string} origin where the value comes from
 * @property {string} for the part
 */

/**
 * The text of --print-config: all values and their origins, with secrets masked.
 * @param {Settings} settings @param {readonly Option[]} [options] @param {readonly Exception[]} [exceptions]
 * @returns {string} a line per option, and per exception
 */
export function describeSettings({values, origins}, options = optionsOfBattle, exceptions = []) {
  const rows = options.flatMap((option) => {
    const line = (/** @type {unknown} */ value, /** @type {string} */ origin) => [
      `--${option.name}`,
      option.environmentName,
      formatMasked(option, value, {several: true}),
      origin,
    ];
    return [
      line(values[option.key], origins[option.key].name),
      ...exceptionsOf(option, exceptions).map((one) => line(one.value, `${one.origin}, for ${one.for}`)),
    ];
  });
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) => `${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')}\n`)
    .join('');
}

/** @param {Option} option @param {readonly Exception[]} exceptions */
function exceptionsOf(option, exceptions) {
  return exceptions.filter(({key}) => key === option.key);
}

/**
 * The document of --print-config --json.
 * @param {Settings} settings @param {readonly Option[]} [options] @param {readonly Exception[]} [exceptions]
 * @returns {{settings: Record<string, {value: unknown, origin: string, exceptions?: Omit<Exception, 'key'>[]}>}} by the option's name
 */
export function settingsDocument({values, origins}, options = optionsOfBattle, exceptions = []) {
  const entries = options.map((option) => {
    const own = exceptionsOf(option, exceptions).map(({key: _, ...one}) => ({
      ...one,
      value: maskValue(option, one.value),
    }));
    const {name} = origins[option.key];
    return [
      option.name,
      {value: maskValue(option, values[option.key]), origin: name, ...(own.length > 0 && {exceptions: own})},
    ];
  });
  return {settings: Object.fromEntries(entries)};
}

/**
 * The settings in force, as on a command line, with secrets masked. Unset settings, and secrets that must not be shown, are omitted.
 * @param {Settings} settings @param {readonly Option[]} options @param {readonly Exception[]} [exceptions]
 * @returns {{name: string, text: string}[]}
 */
export function settingsAsGiven({values}, options, exceptions = []) {
  return options
    .filter((option) => canShow(option) && values[option.key] !== null)
    .map((option) => ({
      name: `--${option.name}`,
      text: withExceptions(option, values[option.key], {several: true, exceptions}),
    }));
}

/** @param {Option} option @param {unknown} value @param {{several: boolean, exceptions: readonly Exception[]}} how several: as in `formatMasked` */
function withExceptions(option, value, {several, exceptions}) {
  const shown = (/** @type {unknown} */ one) => formatMasked(option, one, {several});
  const own = exceptionsOf(option, exceptions).map((one) => `${shown(one.value)} for ${one.for}`);
  return [shown(value), ...own].join('; ');
}

/**
 * The settings that the journal and the records store: plain values by key, with secrets masked. A secret that must not be shown is included
 * only if it was given: its mask shows that the secret must be given again to resume.
 * @param {Settings} settings @param {readonly Option[]} [options] @returns {Record<string, unknown>}
 */
export function publicSettings({values}, options = optionsOf(values)) {
  return Object.fromEntries(
    options
      .filter((option) => canShow(option) || values[option.key] !== option.battleDefault)
      .map((option) => [option.key, maskValue(option, values[option.key])]),
  );
}

/** The options of a battle; with the question of choose, if its values have one. @param {Readonly<Record<string, unknown>>} values */
export function optionsOf(values) {
  return [...chooseOptions.filter(({key}) => key in values), ...optionsOfBattle];
}

/**
 * A stored setting, as on a command line: `--duration 250ms` for durationMs 250. A key that is no option stays as it is.
 * @param {string} key @param {unknown} value 'none' or null if the setting was not given @param {readonly Exception[]} [exceptions]
 */
export function settingAsGiven(key, value, exceptions = []) {
  const option = [...optionsOfChoose, ...optionsOfFaults].find((one) => one.key === key);
  if (!option) return {name: key, text: value};
  const name = `--${option.name}`;
  if (value === 'none' || value === null) return {name, text: value};
  try {
    const several = option.list === true && Array.isArray(value);
    return {name, text: withExceptions(option, value, {several, exceptions})};
  } catch {
    // Another version may have stored a value of another type.
    return {name, text: value};
  }
}

/**
 * The stored settings of a battle that concern its measurements, as on a command line: none of its output, and none of transports and workloads that
 * it did not have.
 * @param {Readonly<Record<string, unknown>>} config @param {readonly {transport: string, workload: string}[]} measured
 */
export function settingsOfMeasurements(config, measured) {
  const names = new Set(measured.flatMap(({transport, workload}) => [transport, workload]));
  const isOfOthers = (/** @type {Option} */ option) => {
    const owners = ownersOf(option);
    return owners.length > 0 && !owners.some(({name}) => names.has(name));
  };
  const others = optionsOfChoose.filter((option) => option.group === outputGroup || isOfOthers(option));
  const left = new Set(others.map(({key}) => String(key)));
  return Object.entries(config)
    .filter(([key, value]) => value !== null && !left.has(key))
    .map(([key, value]) => settingAsGiven(key, value));
}

const allWorkloads = Object.values(workloads);

/**
 * The transports (or their kinds of brokers) and the workloads that declare an option.
 * @param {Option} option @returns {(Transport | Workload)[]} empty if the option belongs to all
 */
export function ownersOf(option) {
  return [...transportsWith(option), ...workloadsWith(option)];
}

/** @param {Option} option @returns {string} for example: the transport http or websocket */
export function ownersText(option) {
  const ofTransports = transportsWith(option);
  const owners = ofTransports.length > 0 ? ofTransports : workloadsWith(option);
  return `the ${ofTransports.length > 0 ? 'transport' : 'workload'} ${orList(owners.map(({name}) => name))}`;
}

/** @param {Option} option */
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

/** The help of an option, its workloads, and its choices unless it is a switch. @param {Option} option */
export function meaningOf(option) {
  const {help, type, list} = option;
  const owners = isOfSomeWorkloads(option) ? [`For ${ownersText(option)}.`] : [];
  const hasChoices = type.choices !== undefined && (type !== onOff || list);
  const choices = hasChoices ? [`${list ? 'Any' : 'One'} of: ${type.choices?.join(', ')}.`] : [];
  return [help, ...owners, ...choices].join(' ');
}
