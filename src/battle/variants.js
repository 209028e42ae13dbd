import {UsageError} from '../errors.js';
import {isAskedFor} from '../options/resolve.js';
import {variantOptions} from '../settings/index.js';

/**
 * @import {Settings} from '../options/resolve.js'
 * @import {Transport, Variant} from '../transports/transport.js'
 * @import {Workload} from '../workloads/workload.js'
 */

/**
 * Every combination of the settings of a transport and of a workload. A combination that the transport refuses is an error when the user
 * asked for it. It is left out when it comes from defaults.
 * @param {Transport} transport
 * @param {Workload} workload
 * @param {Settings} settings
 */
export function variantsOf(transport, workload, {values, origins}) {
  const options = variantOptions(transport);
  const own = combine(Object.fromEntries(options.map(({key}) => [key, [values[key]].flat()])));
  const complete = own.map((variant) => transport.complete?.(variant) ?? variant);
  const possible = complete.filter((variant) => !transport.refuse?.(variant));
  const byDefault = options.some(({key}) => !isAskedFor(origins[key]) && values[key]?.length > 1);
  if (possible.length < complete.length && !(byDefault && possible.length > 0)) {
    throw new UsageError(
      /** @type {string} */ (complete.map((variant) => transport.refuse?.(variant)).find(Boolean)),
    );
  }
  return distinct(
    possible.flatMap((variant) =>
      combine(dimensionsOf(workload, transport, variant, {values, origins})).map((settings) => ({
        transport,
        variant: workload.complete?.({...variant, ...settings}) ?? {...variant, ...settings},
      })),
    ),
  );
}

/**
 * What the workload varies: the values that the user gave, or its own. The numbers of clients and servers are always among them.
 * @param {Workload} workload
 * @param {Transport} transport
 * @param {Variant} variant
 * @param {Pick<Settings, 'values' | 'origins'>} settings
 */
function dimensionsOf(workload, transport, variant, {values, origins}) {
  const usual = {
    clients: [1],
    ...(workload.hasServer && {servers: [1]}),
    ...workload.dimensions(transport, variant),
  };
  return Object.fromEntries(
    Object.entries(usual).map(([key, own]) => [key, origins[key].kind === 'default' ? own : values[key]]),
  );
}

/**
 * @param {Record<string, readonly unknown[]>} dimensions
 * @returns {Record<string, any>[]} every combination of one value of each
 */
function combine(dimensions) {
  return Object.entries(dimensions).reduce(
    (partial, [key, values]) => partial.flatMap((one) => values.map((value) => ({...one, [key]: value}))),
    /** @type {Record<string, any>[]} */ ([{}]),
  );
}

/**
 * Variants may have become equal after settings without effect were removed.
 * @template {{variant: Record<string, any>}} One
 * @param {readonly One[]} variants of one transport
 */
function distinct(variants) {
  return [...new Map(variants.map((one) => [JSON.stringify(one.variant), one])).values()];
}
