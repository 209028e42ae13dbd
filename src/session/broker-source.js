import {givenBroker} from '../brokers/given.js';
import {brokerKindNamed} from '../brokers/index.js';
import {obtainBroker} from '../brokers/obtain.js';

/**
 * @import {Host} from '../hosts/host.js'
 * @import {Settings} from '../options/resolve.js'
 * @import {BattleSettings} from '../settings/index.js'
 */

/**
 * How a battle obtains its brokers, and the names that it uses there: unique for each trial, unless the user set them.
 *
 * @param {BattleSettings} settings
 * @param {{id: string, hosts: readonly Host[] | undefined, coresOn: (host: Host) => number[] | null, log: (line: string) => void, signal: AbortSignal}} battle
 */
export function makeBrokerSource(settings, {id, hosts, coresOn, log, signal}) {
  /** By the keys of the options that a kind declares. @type {Settings} */
  const {values, origins} = settings;
  const choice = settings.values.broker === 'private' ? 'private' : 'auto';
  return {
    /** @param {string} name of a kind */
    obtain: (name) => {
      const kind = brokerKindNamed(name);
      const given = givenBroker(kind, settings)?.connection ?? null;
      return obtainBroker(kind, {choice, given, nodes: kind.nodes(values), hosts, coresOn, log, signal});
    },
    /**
     * @param {string} name of a kind
     * @param {string} trial
     * @returns {Record<string, string>} by the option's key
     */
    namesFor: (name, trial) => {
      const names = brokerKindNamed(name).nameOptions.map(({key}) => {
        const isOwn = origins[key].kind === 'default';
        return [key, isOwn ? `${values[key]}-${id}-${trial}` : values[key]];
      });
      return Object.fromEntries(names);
    },
  };
}
