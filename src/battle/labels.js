import {variantOptions} from '../settings/index.js';
import {ignoredKeys} from './effects.js';

/**
 * @import {Option} from '../options/option.js'
 * @import {AnyVariant, Transport} from '../transports/transport.js'
 * @import {Workload} from '../workloads/workload.js'
 * @import {Labels} from './cell.js'
 */

/**
 * The names of a cell in the tables.
 * @param {Transport} transport
 * @param {AnyVariant} variant with the details that the running processes reported, if they have
 * @param {Workload} workload
 * @returns {Labels}
 */
export function labelsOf(transport, variant, workload) {
  const unusual = variantOptions(transport)
    .filter((option) => variant[option.key] !== option.default || isVaried(option))
    .map((option) => option.label?.(variant[option.key]) ?? null);
  const ignored = ignoredKeys(transport, workload, variant);
  const ofLoad = workload.options
    .filter(({key}) => key in variant && !ignored.includes(key))
    .filter(({key}) => variant[key] !== usualOf(key, transport, variant, workload))
    .map((option) => option.label?.(variant[option.key]) ?? null);
  return {
    facilitator: transport.labelOf?.(variant) ?? transport.label,
    qualifier: transport.qualifier?.(variant) ?? null,
    settings: [...unusual, ...ofLoad, ...(transport.details?.(variant) ?? []), ...sideIn(variant)].filter(
      (label) => label !== null,
    ),
    persistent: transport.persistent?.(variant) ?? '*N/A*',
  };
}

/**
 * How a row names the side of a comparison, after what runs its roles. Settings of a side have labels of their own.
 * @param {AnyVariant} variant
 * @returns {string[]}
 */
function sideIn(variant) {
  const {side, given = []} = /** @type {{side?: string, given?: string[]}} */ (variant);
  return side === undefined ? [] : [...given, `side ${side}`];
}

/** Whether a battle has several values of a setting unless a person chooses. @param {Option} option */
function isVaried({battleDefault}) {
  return Array.isArray(battleDefault) && battleDefault.length > 1;
}

/**
 * The value of a setting that needs no label: the only one that the workload has by default.
 * @param {string} key
 * @param {Transport} transport
 * @param {AnyVariant} variant
 * @param {Workload} workload
 */
function usualOf(key, transport, variant, workload) {
  if (key === 'clients' || key === 'servers') return 1;
  const values = workload.dimensions(transport, variant)[key] ?? [];
  return values.length === 1 ? values[0] : undefined;
}
