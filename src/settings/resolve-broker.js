import {brokerKindOfUrl, brokerKinds, givenBroker} from '../brokers/index.js';
import {UsageError} from '../errors.js';
import {overlay} from '../options/resolve.js';
import {brokerKindsFor} from '../transports/index.js';

/** @import {BattleSettings, BattleValues} from './index.js' */

/**
 * Settles which broker is used, and how many nodes it has.
 *
 * @param {BattleSettings} asked
 * @returns {BattleSettings}
 * @throws {UsageError} when its nodes cannot be placed on the given hosts
 */
export function resolveBroker(asked) {
  const settings = withANodeOnEachHost(asked);
  refuseSeveralHostsOfOneNode(settings);
  refuseTwoBrokers(settings);
  refuseNodes(settings);
  refuseUnclearAddress(settings);
  let settled = settings;
  for (const kind of clustersIn(settings.values)) settled = kind.clusterDefaults?.(settled) ?? settled;
  return settled;
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
      `${origins.brokerOn.name} names ${hosts} hosts and ${origins.brokerNodes.name} asks for ${brokerNodes} node${brokerNodes === 1 ? '' : 's'}: name at most one host per node.`,
    );
  }
  if (brokerAddress !== null && brokerAddress.length !== hosts) {
    throw new UsageError(
      `${origins.brokerAddress.name} must name one address per host of the private broker: there ${hosts === 1 ? 'is 1 host' : `are ${hosts} hosts`}, and it names ${brokerAddress.length}.`,
    );
  }
}

/** A kind may refuse how settings name its broker. They are read again when it is obtained. @param {BattleSettings} settings */
function refuseUnclearAddress(settings) {
  if (settings.values.broker === 'private') return;
  for (const kind of brokerKindsFor(settings.values)) givenBroker(kind, settings);
}
