import {brokerKindNamed, givenBroker} from '../brokers/index.js';
import {provisionBroker} from '../brokers/provision.js';

/**
 * @import {Broker, BrokerKind, PairNames} from '../brokers/kind.js'
 * @import {Host} from '../hosts/host.js'
 * @import {Settings} from '../options/resolve.js'
 * @import {BattleSettings} from '../settings/index.js'
 */

/** How long the removal of what roles have left on a broker may delay the end of a battle. */
const removeWithinMs = 10_000;

/**
 * How a battle obtains its brokers, and the names that it uses there: unique for each trial, unless the user set them.
 *
 * @param {BattleSettings} settings
 * @param {{id: string, hosts: readonly Host[] | undefined, coresOn: (host: Host) => number[] | null, log: (line: string) => void, signal: AbortSignal}} battle
 */
export function makeBrokerSource(settings, {id, hosts, coresOn, log, signal}) {
  /** By the keys of the options that a kind declares. @type {Settings} */
  const {values, origins} = settings;
  const clients = Math.max(1, ...[values.clients].flat().map((count) => Number(count) || 1));
  /** By the name of the kind. @type {Record<string, PairNames[]>} */
  const used = {};
  /** @type {'auto' | 'private'} */
  const choice = settings.values.broker === 'private' ? 'private' : 'auto';
  return {
    /** @param {string} name of a kind */
    obtain: async (name) => {
      const kind = brokerKindNamed(name);
      const given = givenBroker(kind, settings)?.connection ?? null;
      const request = {choice, given, nodes: kind.nodes(values), hosts, coresOn, log, signal};
      const broker = await provisionBroker(kind, request);
      used[name] ??= [];
      return broker.source === 'private' ? broker : releasedClean(kind, broker, used[name]);
    },
    /**
     * @param {string} name of a kind
     * @param {string} trial
     * @returns {Record<string, string>} by the option's key; and `pair`, which is unique even if the user set the names
     */
    namesFor: (name, trial) => {
      const pair = `${id}-${trial}`;
      const keys = brokerKindNamed(name).nameOptions.map(({key}) => key);
      const isOwn = (/** @type {string} */ key) => origins[key].kind === 'default';
      const own = keys.map((key) => [key, isOwn(key) ? `${values[key]}-${pair}` : values[key]]);
      const names = {...Object.fromEntries(own), pair};
      used[name]?.push({names, clients, isUnique: keys.every(isOwn)});
      return names;
    },
  };
}

/**
 * A broker that goes on without the battle. When it is released, all roles have ended.
 * @param {BrokerKind} kind
 * @param {Broker} broker
 * @param {PairNames[]} pairs that used it; none afterwards
 * @returns {Broker}
 */
function releasedClean(kind, broker, pairs) {
  const release = async () => {
    const left = pairs.splice(0);
    const {removeLeft} = await kind.load();
    // What cannot be removed now expires.
    if (left.length > 0)
      await removeLeft?.(broker.connection, left, {timeoutMs: removeWithinMs}).catch(() => {});
    await broker.release();
  };
  return {...broker, release};
}
