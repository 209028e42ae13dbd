import {brokerKindNamed, brokerKindOfUrl, brokerKinds} from '../brokers/index.js';
import {UsageError} from '../errors.js';
import {automaticWarmUp} from '../measure/warm-up.js';
import {isAskedFor} from '../options/resolve.js';
import {formatMasked} from '../options/show-option.js';
import {brokerOption} from '../settings/battle-options.js';
import {ownersOf, ownersText} from '../settings/describe-settings.js';
import {optionsOfBattle} from '../settings/index.js';
import {brokerOf, transportNamed} from '../transports/index.js';
import {hasLatencies, workloads} from '../workloads/index.js';

/**
 * @import {BrokerKind} from '../brokers/kind.js'
 * @import {AskedSettings, CellFeatures, Option, Origin, Settings} from '../options/contract.js'
 * @import {AnyVariant, Transport} from '../transports/transport.js'
 * @import {Workload} from '../workloads/workload.js'
 * @import {Cell} from './types.js'
 */

/** The origins of settings that the user gave for one battle. */
const forThisBattle = new Set(['flag', 'scenario']);

/** @typedef {Pick<Cell, 'transport' | 'workload' | 'variant'>} CellSettings */

/**
 * Refuses flags, and settings of a scenario, that have no effect on any cell of the plan. An environment variable only causes a warning, because the
 * user may have set it for other battles or for role scripts.
 * @param {Settings} settings
 * @param {readonly CellSettings[]} cells of the plan
 * @param {(key: string) => boolean} [isChecked] by default every setting is checked
 * @returns {string[]} warnings
 * @throws {UsageError} which names each such setting and what it needs
 */
export function checkEffects(settings, cells, isChecked) {
  return checkEffectsOnAny([{settings, cells}], isChecked);
}

/**
 * Checks several battles of one command like `checkEffects`. A setting needs an effect in one of the battles only.
 * @param {readonly {settings: Settings, cells: readonly CellSettings[]}[]} battles at least one
 * @param {(key: string) => boolean} [isChecked]
 * @returns {string[]} warnings
 * @throws {UsageError} as `checkEffects`
 */
export function checkEffectsOnAny(battles, isChecked = () => true) {
  const [{settings}] = battles;
  const ineffective = optionsOfBattle
    .filter(({key}) => isChecked(key) && isAskedFor(settings.origins[key]))
    .filter((option) => !battles.some((battle) => hasEffect(option, battle.settings, battle.cells)))
    .map((option) => ({origin: settings.origins[option.key], option}));
  const explained = ineffective.map(({option, origin}) => ({
    isRefused: forThisBattle.has(origin.kind),
    sentence: explain(option, origin, settings),
  }));
  const refused = explained.filter(({isRefused}) => isRefused);
  if (refused.length > 0) throw new UsageError(refused.map(({sentence}) => sentence).join('\n'));
  return explained.map(({sentence}) => `${sentence} It is ignored.`);
}

/** @param {Option} option @param {Pick<Settings, 'values' | 'origins'>} settings @param {readonly CellSettings[]} cells */
export function hasEffect(option, {values, origins}, cells) {
  /** @type {AskedSettings} */
  const asked = {
    value: values[option.key],
    read: ({key}) => /** @type {any} */ (values[key]),
    isAskedFor: ({key}) => isAskedFor(origins[key]),
  };
  return cells.some((cell) => matters(option, cell, asked));
}

/**
 * Returns the keys of settings that the transport or the workload of a cell ignores.
 * @param {Pick<Transport, 'ignores'>} transport @param {Pick<Workload, 'ignores'>} workload
 * @param {AnyVariant} variant
 */
export function ignoredKeys(transport, workload, variant) {
  return [transport, workload].flatMap(({ignores}) => ignores?.(variant) ?? []);
}

/** @param {Option} option @param {CellSettings} cell @param {AskedSettings} settings */
function matters(option, {variant, ...cell}, settings) {
  const transport = transportNamed(cell.transport);
  const workload = workloads[cell.workload];
  const owners = ownersOf(option);
  if (owners.length > 0 && !owners.includes(transport) && !owners.includes(workload)) return false;
  if (ignoredKeys(transport, workload, variant).includes(option.key)) return false;
  if (option.list && option.label && !(option.key in variant)) return false;
  const broker = brokerOf({transport: cell.transport, variant});
  const kind = broker === null ? null : brokerKindNamed(broker);
  const isOfKinds = brokerKinds.some(({options}) => options.includes(option));
  if (isOfKinds && !transport.options.includes(option) && !kind?.options.includes(option)) return false;
  if (kind?.addressOptions.includes(option) && !findsBroker(option, kind, settings)) return false;
  const mayStartBroker = kind !== null && !isGiven(kind, settings);
  const brokerUrl = kind && urlOf(kind, settings);
  const features = {...featuresOf({variant, ...cell}), brokerUrl, mayStartBroker};
  return option.appliesTo?.(features, settings) ?? true;
}

/**
 * Returns whether an option that names a broker determines which broker is used.
 * @param {Option} option @param {BrokerKind} kind @param {AskedSettings} settings
 */
function findsBroker(option, kind, {read}) {
  const chosen = read(brokerOption);
  if (chosen === 'private' || brokerKindOfUrl(chosen) === kind) return false;
  return option === kind.urlOption || read(kind.urlOption) === null;
}

/** Returns the URL that the user gave for the broker. @param {BrokerKind} kind @param {AskedSettings} settings @returns {string | null} */
function urlOf(kind, {read}) {
  const chosen = read(brokerOption);
  if (chosen === 'private') return null;
  return brokerKindOfUrl(chosen) === kind ? chosen : read(kind.urlOption);
}

/** Returns whether the user named a running broker. @param {BrokerKind} kind @param {AskedSettings} settings */
function isGiven(kind, {read, isAskedFor: isAsked}) {
  const chosen = read(brokerOption);
  if (chosen === 'private') return false;
  return brokerKindOfUrl(chosen) === kind || kind.addressOptions.some(isAsked);
}

/** @param {Option} option @param {Origin} origin @param {Settings} settings */
function explain(option, {kind, name}, {values}) {
  const value = formatMasked(option, values[option.key], {several: true});
  const given = kind === 'flag' ? `${name} ${value}` : `${name} (${value})`;
  return `${given} has no effect here: it needs ${option.needs ?? needsOfAddress(option) ?? [ownersText(option), option.alsoNeeds].filter(Boolean).join(', ')}.`;
}

/** Describes what an option that names a broker needs. @param {Option} option */
function needsOfAddress(option) {
  const kind = brokerKinds.find(({addressOptions}) => addressOptions.includes(option));
  if (!kind) return null;
  const instead = option === kind.urlOption ? '' : ` and no --${kind.urlOption.name}`;
  return `a transport that uses ${kind.label}, with --broker auto${instead}`;
}

/**
 * Returns the features of a cell that determine which options have an effect on it.
 * @param {Pick<Cell, 'transport' | 'workload' | 'variant'>} cell
 * @returns {Omit<CellFeatures, 'brokerUrl' | 'mayStartBroker'>}
 */
function featuresOf({variant, ...cell}) {
  const {runsPrograms = false, serverOf} = transportNamed(cell.transport);
  const isGivenServer = Boolean(serverOf?.(variant));
  const broker = brokerOf({variant, ...cell});
  const workload = workloads[cell.workload];
  const {clients = 1, servers = 1} = variant;
  return {
    broker,
    hasServer: workload.hasServer && !isGivenServer,
    isGivenServer,
    servers,
    // A client connects to one server, unless a broker is between them. The contract gives a program the addresses of all servers.
    usesAllServers: broker !== null || runsPrograms || servers <= clients,
    hasReplies: workload.hasReplies?.(variant) ?? workload.needs.includes('request'),
    hasLatencies: hasLatencies({workload: cell.workload, variant}),
    sendsOneWay: workload.needs.includes('send'),
    isSliced: workload.isSliced?.(variant, {samples: null, warmUp: automaticWarmUp}) ?? false,
    sharesPair: workload.sharesPair?.(variant) ?? false,
  };
}
