import {brokerKindOfUrl} from './index.js';

/**
 * @import {Origin} from '../options/resolve.js'
 * @import {BrokerConnection, BrokerKind} from './kind.js'
 */

/**
 * The broker of a kind that the user named, by `--broker URL` or by the kind's own options.
 * @param {BrokerKind} kind
 * @param {{values: Readonly<Record<string, unknown>> & {broker?: string}, origins: Readonly<Record<string, Origin>>}} settings
 * @returns {{connection: BrokerConnection, origin: Origin} | null} origin: of the setting that named it
 */
export function givenBroker(kind, {values, origins}) {
  if (values.broker !== undefined && brokerKindOfUrl(values.broker) === kind) {
    const named = {...values, [kind.urlOption.key]: values.broker};
    return {connection: kind.connectionFrom(named), origin: origins.broker};
  }
  const set = kind.addressOptions.find(({key}) => origins[key].kind !== 'default');
  return set ? {connection: kind.connectionFrom(values), origin: origins[set.key]} : null;
}
