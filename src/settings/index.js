import {brokerKinds, brokerOptions} from '../brokers/index.js';
import {recordedExpectationType} from '../expect/expectation.js';
import {explainedFor} from '../options/option.js';
import {oneOf} from '../options/types.js';
import {faultPresetNames} from '../presets/faults.js';
import {allPresets, presetNames} from '../presets/index.js';
import {programsGroup} from '../transports/external/index.js';
import {transportOptions, transports} from '../transports/index.js';
import {workloadOptions, workloadOptionsUnderFaults} from '../workloads/index.js';
import {battleOptions, presetType} from './battle-options.js';
import {
  abOptions,
  chartOptions,
  chooseOptions,
  compareOptions,
  failIfSlower,
  faultFilesOptions,
  faultsOptions,
  initOptions,
  reportOptions,
  tableOptions,
} from './command-options.js';
import {commonOptions} from './common-options.js';
import {afterwardsOptions, creationOptions, hostOptions} from './host-options.js';

/**
 * @import {BrokerOption} from '../brokers/index.js'
 * @import {BrokerKind} from '../brokers/kind.js'
 * @import {BattleValuesOf, Option, OptionType, ScriptValuesOf, Settings} from '../options/contract.js'
 * @import {Programs} from '../transports/external/index.js'
 * @import {Transport} from '../transports/transport.js'
 * @import {Side} from './types.js'
 */

/** All options, in the order of help. */
export const allOptions = [
  ...battleOptions,
  ...commonOptions,
  ...workloadOptions,
  ...transportOptions,
  ...brokerOptions,
  ...tableOptions,
  ...compareOptions,
  ...reportOptions,
  ...chartOptions,
  ...chooseOptions,
  ...abOptions,
  ...faultsOptions,
  ...hostOptions,
  ...creationOptions,
  ...afterwardsOptions,
];

/**
 * @typedef {typeof allOptions[number]} AnyOption
 * @typedef {Extract<AnyOption, {scope: 'battle' | 'both'}>} BattleOption
 * @typedef {Extract<AnyOption, {scope: 'script' | 'both'}>} ScriptOption
 * @typedef {Extract<AnyOption, {scope: 'table'} | {name: 'results' | 'detail' | 'preset' | 'json' | 'csv' | 'csv-separator' | 'expect'}>} TableOption
 * @typedef {Extract<AnyOption, {scope: 'compare'} | {name: 'results' | 'json' | 'csv' | 'csv-separator'}>} CompareOption
 * @typedef {Extract<AnyOption, {scope: 'report'} | {name: 'results' | 'json'}>} ReportOption
 * @typedef {Extract<AnyOption, {scope: 'chart'} | {name: 'results' | 'json'}>} ChartOption
 * @typedef {Extract<AnyOption, {name: 'broker' | 'json' | 'csv' | 'csv-separator'} | {type: OptionType<Programs>}> | BrokerOption} CheckAdapterOption
 * @typedef {Extract<AnyOption, {scope: 'ec2'}>} Ec2Option
 *
 * @typedef {BattleValuesOf<BattleOption>} BattleValues the settings of a battle, by the option's key
 * @typedef {ScriptValuesOf<ScriptOption>} ScriptValues the settings of a script run by hand, without the options of other transports
 * @typedef {BattleValuesOf<Extract<AnyOption, {scope: 'ec2'} | {name: 'ssh-config'}>>} Ec2Values the settings of hosts on EC2
 * @typedef {BattleValuesOf<BattleOption | Ec2Option>} Ec2RunValues
 *
 * @typedef {Settings<BattleValues> & {sides?: readonly Side[]}} BattleSettings sides: the sides that the battle compares
 * @typedef {Settings<BattleValuesOf<BattleOption | typeof failIfSlower | typeof abOptions[number]>>} AbSettings
 * @typedef {Settings<BattleValuesOf<BattleOption | typeof chooseOptions[number]>>} ChooseSettings
 * @typedef {Settings<BattleValuesOf<BattleOption | typeof faultsOptions[number] | typeof faultFilesOptions[number]>>} FaultSettings
 * @typedef {Settings<Ec2RunValues>} Ec2RunSettings
 */

/** The options of a transport and of the kinds of brokers that it may need. @param {Transport} transport */
export function ownOptions(transport) {
  return [...new Set([...transport.options, ...kindsOf(transport).flatMap(({options}) => options)])];
}

/** Whether `ownOptions` includes an option. @param {Transport} transport @param {Option} option */
export function ownsOption(transport, option) {
  return [transport, ...kindsOf(transport)].some(({options}) => options.includes(option));
}

/** @param {Transport} transport */
function kindsOf({broker, brokersOf, brokers}) {
  if (brokersOf && !brokers) return brokerKinds;
  const names = brokers ?? [broker];
  return brokerKinds.filter(({name}) => names.includes(name));
}

/** The options of a transport's scripts. @param {Transport} transport */
export function optionsOfTransport(transport) {
  const options = [...commonOptions, ...workloadOptions, ...ownOptions(transport)];
  return /** @type {ScriptOption[]} */ (options.filter(({scope}) => scope !== 'battle'));
}

const ofBattle = /** @type {BattleOption[]} */ (
  allOptions.filter(({scope}) => scope === 'battle' || scope === 'both')
);
/** @type {readonly BattleOption[]} */
export const optionsOfBattle = ofBattle;

/** The options for the format of standard output. */
const forms = ['json', 'csv', 'csv-separator'];

export const optionsOfTable = /** @type {readonly TableOption[]} */ (
  ofCommand('table', ['results', ...forms, 'detail', 'preset', 'expect'])
    .map((one) => (one.name === 'expect' ? {...one, type: recordedExpectationType} : one))
    .map((one) => (one.name === 'preset' ? {...one, type: presetType([...presetNames, allPresets])} : one))
);

export const optionsOfCompare = /** @type {readonly CompareOption[]} */ (
  ofCommand('compare', ['results', ...forms])
);

export const optionsOfReport = /** @type {readonly ReportOption[]} */ (
  ofCommand('report', ['results', 'json'])
);

export const optionsOfChart = /** @type {readonly ChartOption[]} */ (ofCommand('chart', ['results', 'json']));

/**
 * The options with the scope of a command, and further options that the command takes.
 * @param {string} command @param {readonly string[]} names the names of further options
 * @param {(option: Option) => boolean} [isTaken] selects further options
 */
function ofCommand(command, names, isTaken = () => false) {
  const mine = allOptions.filter((one) => one.scope === command || names.includes(one.name) || isTaken(one));
  return explainedFor(command, mine);
}

/** @template {string} Name @param {...Name} names */
function named(...names) {
  return /** @type {Extract<AnyOption, {name: Name}>[]} */ (
    allOptions.filter(({name}) => names.some((one) => one === name))
  );
}

/** The options that name the objects that a run creates on a broker. @type {readonly Option[]} */
const namesOnBrokers = brokerKinds.flatMap(({nameOptions}) => nameOptions);

/** All other options of brokers. @type {readonly Option[]} */
const addressesOfBrokers = brokerKinds
  .flatMap(({options}) => options)
  .filter((option) => !namesOnBrokers.includes(option));

/** Whether a role needs an option to reach a broker. @param {Option} option */
function isAddress(option) {
  return option.scope !== 'battle' && addressesOfBrokers.includes(option);
}

/** `perf-battle doctor` starts no broker, and creates nothing on a broker. */
export const optionsOfDoctor = ofCommand('doctor', ['transport', ...forms], isAddress);

export const optionsOfChoose = explainedFor('choose', [...chooseOptions, ...optionsOfBattle]);

export const optionsOfAb = explainedFor('ab', [...abOptions, failIfSlower, ...optionsOfBattle]);

/** The options of a battle that `perf-battle faults` takes, in addition to the settings of transports. */
const ofBattlesUnderFaults = [
  ...[
    'preset',
    'transport',
    'payload',
    'workload',
    'rate',
    'window',
    'servers',
    'subscribers',
    'broker-nodes',
    'timeout',
  ],
  ...['server-on', 'broker-on', 'server-address', 'broker-address', 'ssh-config'],
  ...['seed', 'results', ...forms, 'quiet', 'dry-run', 'print-config'],
];

export const optionsOfFaults = explainedFor('faults', [
  ...faultsOptions,
  ...faultFilesOptions,
  ...optionsOfBattle.filter(
    (option) =>
      ofBattlesUnderFaults.includes(option.name) ||
      workloadOptionsUnderFaults.some((one) => one === option) ||
      (isOfVariant(option) && transports.some(({options}) => options.includes(option))),
  ),
]).map((one) => (one.name === 'preset' ? {...one, type: oneOf(faultPresetNames)} : one));

/** A plan of faults also needs the options of a battle that `perf-battle faults` does not take. */
export function optionsOfFaultPlan() {
  const others = optionsOfBattle.filter((option) => !optionsOfFaults.some(({name}) => name === option.name));
  return {all: [...optionsOfFaults, ...others], others};
}

/**
 * Adds the options of a transport of the user, and of its kind of broker, for the rest of this process.
 * @param {readonly Option[]} ofTransport @param {BrokerKind | null} kind
 */
export function addOptions(ofTransport, kind) {
  const {options = [], nameOptions = []} = kind ?? {};
  const all = [...ofTransport, ...options];
  for (const list of [allOptions, ofBattle, optionsOfChoose, optionsOfAb, optionsOfFaults]) append(list, all);
  const addresses = options.filter((one) => one.scope !== 'battle' && !nameOptions.includes(one));
  for (const list of [optionsOfDoctor, optionsOfCheckTransport]) append(list, addresses);
}

/** @param {readonly Option[]} list @param {readonly Option[]} added those that it has already stay as they are */
function append(list, added) {
  /** @type {Option[]} */ (list).push(...added.filter((one) => !list.includes(one)));
}

/** Whether an option makes variants: a setting of a transport or of a load. @param {Option} option */
export function isOfVariant({list, label}) {
  return list && label !== null;
}

export const transportsOfPrograms = transports.filter(({runsPrograms}) => runsPrograms);

/** `perf-battle check-adapter` chooses the names of queues itself. */
export const optionsOfCheckAdapter = /** @type {readonly CheckAdapterOption[]} */ (
  ofCommand(
    'check-adapter',
    ['broker', ...forms],
    (option) => option.group === programsGroup || addressesOfBrokers.includes(option),
  )
);

/** `perf-battle check-transport` chooses the names of objects on a broker itself. */
export const optionsOfCheckTransport = ofCommand('check-transport', ['broker', ...forms], isAddress);

const json = named('json');
const [jsonOfEc2] = explainedFor('ec2', json);
const csvOfEc2 = explainedFor('ec2', named('csv', 'csv-separator'));

export const optionsOfInit = explainedFor('init', [...initOptions, ...json]);

export const optionsOfInstall = explainedFor('install', json);

export const optionsOfCompletion = explainedFor('completion', named('transport', 'json'));

/** By action of `perf-battle ec2`. `run` also takes the options of a battle. */
export const optionsOfEc2 = /** @type {const} */ ({
  up: [...hostOptions, ...creationOptions, ...named('ssh-config'), jsonOfEc2],
  run: [...hostOptions, ...creationOptions, ...afterwardsOptions],
  status: [...hostOptions, jsonOfEc2, ...csvOfEc2],
  down: [...hostOptions, jsonOfEc2],
});

/** The options that make variants of a transport, including the options of all transports. @param {Transport} transport */
export function variantOptions(transport) {
  return [...commonOptions, ...ownOptions(transport)].filter(({label}) => label !== null);
}
