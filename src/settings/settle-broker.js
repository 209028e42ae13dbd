import {UsageError} from '../errors.js';
import {overlay} from '../options/overlay.js';

/**
 * @import {Origin} from '../options/resolve.js'
 * @import {BattleSettings, BattleValues} from './index.js'
 */

/** Setting one of these names a broker. */
const naming = /** @type {const} */ ([
  'rabbitmqUrl',
  'rabbitmqHost',
  'rabbitmqPort',
  'rabbitmqUsername',
  'rabbitmqPassword',
  'rabbitmqVhost',
]);

/**
 * Which broker, and of how many nodes. A cluster is there for what it replicates: its queues are quorum queues, which always persist,
 * unless the person says otherwise.
 *
 * @param {BattleSettings} asked
 * @returns {BattleSettings}
 * @throws {UsageError} when its nodes cannot be placed as asked for
 */
export function settleBroker(asked) {
  const settings = withANodeOnEachHost(asked);
  refuseTwoBrokers(settings);
  refuseNodes(settings);
  if (settings.values.brokerNodes === 1) return settings;
  const origin = /** @type {const} */ ({kind: 'default', name: '--broker-nodes'});
  const clustered = overlay(settings, {queueType: ['quorum']}, origin);
  return clustered.values.queueType.join() === 'quorum'
    ? overlay(clustered, {deliveryMode: [2]}, origin)
    : clustered;
}

/**
 * What names the broker to be used.
 * @param {Pick<BattleSettings, 'values' | 'origins'>} settings
 * @returns {Origin | null}
 */
export function namingOrigin({values, origins}) {
  if (isBrokerUrl(values)) return origins.broker;
  const key = naming.find((candidate) => origins[candidate].kind !== 'default');
  return key === undefined ? null : origins[key];
}

/** @param {Pick<BattleValues, 'broker'>} values */
export function isBrokerUrl({broker}) {
  return !['auto', 'private'].includes(broker);
}

/** @param {BattleSettings} settings */
function withANodeOnEachHost(settings) {
  const count = settings.values.brokerOn?.length ?? 0;
  if (count < 2) return settings;
  return overlay(settings, {brokerNodes: count}, {kind: 'preset', name: settings.origins.brokerOn.name});
}

/** @param {BattleSettings} settings */
function refuseTwoBrokers({values, origins}) {
  if (values.brokerOn !== null && isBrokerUrl(values)) {
    throw new UsageError(
      `${origins.brokerOn.name} starts a private broker and ${origins.broker.name} names another: give one of them.`,
    );
  }
  const named = values.broker === 'private' ? null : namingOrigin({values, origins});
  if (values.brokerNodes === 1 || named === null) return;
  throw new UsageError(
    `${origins.brokerNodes.name} starts a private cluster and ${named.name} names another broker: give one of them, or --broker private.`,
  );
}

/** @param {BattleSettings} settings */
function refuseNodes({values: {brokerNodes, brokerOn, brokerAddress}, origins}) {
  const hosts = brokerOn?.length ?? 1;
  if (hosts > brokerNodes) {
    throw new UsageError(
      `${origins.brokerOn.name} names ${hosts} hosts and ${origins.brokerNodes.name} asks for ${brokerNodes} node${brokerNodes === 1 ? '' : 's'}: name at most one host a node.`,
    );
  }
  if (brokerAddress !== null && brokerAddress.length !== hosts) {
    throw new UsageError(
      `${origins.brokerAddress.name} must name an address for each host of the private broker: there ${hosts === 1 ? 'is 1' : `are ${hosts}`}; it names ${brokerAddress.length}.`,
    );
  }
}
