import {brokerKindOfUrl, brokerKinds, givenBroker} from '../brokers/index.js';
import {counted} from '../columns/names.js';
import {UsageError} from '../errors.js';
import {checkGivenFile, readGivenFile} from '../files/given-file.js';
import {isAskedFor, overlay} from '../options/resolve.js';
import {brokerKindsFor, transports} from '../transports/index.js';

/**
 * @import {BrokerKind} from '../brokers/kind.js'
 * @import {Option, Origin, Settings} from '../options/contract.js'
 * @import {BattleSettings, BattleValues} from './index.js'
 */

/**
 * Adds the settings in the parameters of a broker's URL: `heartbeat=5` stands for `--rabbitmq-heartbeat 5`.
 * @template {Settings<any>} Whole @param {Whole} settings the resolved settings of a battle or of a script
 * @throws {UsageError} when the user gave another value for such a setting, or a flag for a part of the URL
 */
export function withSettingsOfUrls(settings) {
  let whole = settings;
  for (const kind of kindsIn(settings)) {
    const named = urlOf(kind, settings);
    if (named === null) continue;
    refuseFlagsBeside(kind, settings, named.origin);
    const given = kind.settingsOfUrl?.(named.url) ?? {};
    for (const [key, value] of Object.entries(given)) whole = withSetting(whole, {key, value}, named.origin);
  }
  return whole;
}

/** The kinds of brokers that a battle or a script may use. @param {Pick<Settings<any>, 'values'>} settings */
function kindsIn({values}) {
  const kinds = Array.isArray(values.transport) ? brokerKindsFor(values) : brokerKinds;
  return kinds.filter(({urlOption}) => urlOption.key in values);
}

/** @param {BrokerKind} kind @param {Settings<any>} settings @returns {{url: string, origin: Origin} | null} */
function urlOf({name, urlOption: {key}}, {values, origins}) {
  const {broker = 'auto'} = values;
  if (broker === 'private') return null;
  if (brokerKindOfUrl(broker)?.name === name) return {url: broker, origin: origins.broker};
  return values[key] === null ? null : {url: values[key], origin: origins[key]};
}

/**
 * Refuses flags for parts of an address, for scripts. A battle refuses them with all other flags that have no effect.
 * @param {BrokerKind} kind @param {Settings<any>} settings @param {Origin} origin
 */
function refuseFlagsBeside({addressOptions, urlOption}, {values, origins}, origin) {
  if ('broker' in values) return;
  const flag = addressOptions.find((one) => one !== urlOption && origins[one.key].kind === 'flag');
  if (flag)
    throw new UsageError(
      `${origins[flag.key].name} has no effect here: ${origin.name} names the whole address. Give only one of them.`,
    );
}

/**
 * @template {Settings<any>} Whole @param {Whole} settings @param {{key: string, value: unknown}} setting a parameter of the URL
 * @param {Origin} origin the origin of the URL
 */
function withSetting(settings, {key, value}, origin) {
  const current = settings.values[key];
  if (current === undefined) return settings;
  const whole = Array.isArray(current) ? [value] : value;
  if (!isAskedFor(settings.origins[key]))
    return overlay(settings, /** @type {any} */ ({[key]: whole}), {
      kind: 'preset',
      name: `a parameter of ${origin.name}`,
    });
  if (String(current) === String(whole)) return settings;
  throw new UsageError(
    `${settings.origins[key].name} (${current}) contradicts the URL in ${origin.name}, which has ${value}. Give only one of them.`,
  );
}

/**
 * Determines the broker and the number of its nodes.
 * @param {BattleSettings} asked @throws {UsageError} when the settings of the broker contradict each other, or its nodes do not fit the given hosts
 */
export function resolveBroker(asked) {
  const settings = withANodeOnEachHost(asked);
  refuseSeveralHostsOfOneNode(settings);
  refuseTwoBrokers(settings);
  refuseNodes(settings);
  refuseUnclearAddress(settings);
  let whole = settings;
  for (const kind of clustersIn(settings.values)) whole = kind.clusterDefaults?.(whole) ?? whole;
  return whole;
}

/** @param {BattleValues} values */
function clustersIn(values) {
  return brokerKinds.filter((kind) => kind.nodes(values) > 1);
}

/** @param {BattleSettings} settings */
function withANodeOnEachHost(settings) {
  const count = settings.values.brokerOn?.length ?? 0;
  if (count < 2) return settings;
  return overlay(settings, {brokerNodes: count}, {kind: 'preset', name: settings.origins.brokerOn.name});
}

/** @param {BattleSettings} settings */
function refuseSeveralHostsOfOneNode({values, origins}) {
  const kinds = brokerKindsFor(values);
  const hosts = values.brokerOn?.length ?? 1;
  if (hosts > 1 && kinds.length > 0 && kinds.every(({clusterDefaults}) => !clusterDefaults)) {
    throw new UsageError(
      `${origins.brokerOn.name} names ${hosts} hosts, but a private ${kinds[0].label} broker has only one node. Name one host.`,
    );
  }
}

/** @param {BattleSettings} settings */
function refuseTwoBrokers({values, origins}) {
  if (values.brokerOn !== null && brokerKindOfUrl(values.broker)) {
    throw new UsageError(
      `${origins.brokerOn.name} starts a private broker and ${origins.broker.name} names another one: give only one of them.`,
    );
  }
  const clusters = values.broker === 'private' ? [] : clustersIn(values);
  const named = clusters.flatMap((kind) => givenBroker(kind, {values, origins})?.origin ?? [])[0];
  if (named === undefined) return;
  throw new UsageError(
    `${origins.brokerNodes.name} starts a private cluster and ${named.name} names another broker: give only one of them, or --broker private.`,
  );
}

/** @param {BattleSettings} settings */
function refuseNodes({values: {brokerNodes, brokerOn, brokerAddress}, origins}) {
  const hosts = brokerOn?.length ?? 1;
  if (hosts > brokerNodes) {
    throw new UsageError(
      `${origins.brokerOn.name} names ${hosts} hosts and ${origins.brokerNodes.name} asks for ${counted(brokerNodes, 'node')}: name at most one host per node.`,
    );
  }
  if (brokerAddress !== null && brokerAddress.length !== hosts) {
    throw new UsageError(
      `${origins.brokerAddress.name} must name one address per host of the private broker: there ${hosts === 1 ? 'is 1 host' : `are ${hosts} hosts`}, and it names ${brokerAddress.length}.`,
    );
  }
}

/** Lets each kind refuse the settings that name its broker, before the broker is provisioned. @param {BattleSettings} settings */
function refuseUnclearAddress(settings) {
  if (settings.values.broker === 'private') return;
  for (const kind of brokerKindsFor(settings.values)) givenBroker(kind, settings);
}

/**
 * Checks each file that the user named, and then the files of each transport and of each broker together.
 * @param {readonly Option[]} options @param {Pick<Settings<any>, 'values' | 'origins'>} settings
 * @param {{hasBothEnds: boolean}} ends hasBothEnds: the settings are for servers and clients, as in a battle
 * @throws {UsageError} naming the option and the file
 */
export function checkGivenFiles(options, {values, origins}, ends) {
  checkFiles(options, {values, origins});
  const checks = new Set(transports.map(({checkFiles: check}) => check));
  for (const check of checks) check?.(values, ends);
  for (const kind of kindsIn({values})) {
    if (!kind.checkFiles || values.broker === 'private') continue;
    const given = givenBroker(kind, {values, origins});
    if (given) kind.checkFiles(given.connection);
  }
}

/**
 * Checks the files that the user named before anything starts, because some cells may run before a broker's certificate, for example, is needed.
 * @param {readonly Option[]} options @param {Pick<Settings, 'values' | 'origins'>} settings
 * @throws {UsageError} when a file cannot be read, or has content that its option does not allow
 */
export function checkFiles(options, {values, origins}) {
  for (const {key, type} of options) {
    if (!type.file || values[key] === null || origins[key].kind === 'default') continue;
    try {
      checkFile(String(values[key]), type.file);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw new UsageError(`${origins[key].name} must be ${type.allowed}: ${error.message}`, {cause: error});
    }
  }
}

/** @param {string} path @param {NonNullable<Option['type']['file']>} rule */
function checkFile(path, {refuse, isSent: _, ...limits}) {
  if (!refuse) {
    checkGivenFile(path, limits);
    return;
  }
  const mistake = refuse(readGivenFile(path, limits));
  if (mistake) throw new UsageError(`${path} ${mistake}.`);
}
