import {UsageError} from '../errors.js';
import {isAskedFor} from '../options/resolve.js';
import {ownRuntime, runtimeKinds, runtimeNameOf, runtimeOf} from '../packages/runtimes.js';
import {isUnchecked} from '../payload/message-check.js';
import {variantOptions} from '../settings/index.js';
import {hasEffect, ignoredKeys} from './effects.js';

/**
 * @import {Option, Settings} from '../options/contract.js'
 * @import {Answer} from '../payload/message-check.js'
 * @import {Variant} from '../settings/types.js'
 * @import {AnyVariant, Transport} from '../transports/transport.js'
 * @import {Workload} from '../workloads/workload.js'
 * @import {Labels} from './types.js'
 */

/**
 * Returns every combination of the settings of a transport and of a workload. Omits combinations of default values that the transport refuses.
 * @param {Transport} transport @param {Workload} workload @param {Settings} settings
 * @returns {{transport: Transport, variant: Variant}[]}
 * @throws {UsageError} when the transport refuses a combination that the user asked for
 */
export function variantsOf(transport, workload, {values, origins}) {
  const options = variantOptions(transport);
  const together = transport.together?.(values) ?? [{}];
  const apart = options.filter(({key}) => !(key in together[0]));
  const combined = combine(Object.fromEntries(apart.map(({key}) => [key, [values[key]].flat()])));
  const own = together.flatMap((some) => combined.map((one) => ({...some, ...one})));
  const complete = own.map((variant) => transport.complete?.(variant) ?? variant);
  const refusalOf = (/** @type {AnyVariant} */ variant) =>
    refuseRuntime(transport, variant) ?? transport.refuse?.(variant, workload.needs) ?? null;
  const possible = complete.filter((variant) => refusalOf(variant) === null);
  const byDefault = options.some(({key}) => !isAskedFor(origins[key]) && [values[key]].flat().length > 1);
  if (possible.length < complete.length && !(byDefault && possible.length > 0)) {
    throw new UsageError(/** @type {string} */ (complete.map(refusalOf).find((refusal) => refusal !== null)));
  }
  const whole = possible.flatMap((variant) =>
    combine(dimensionsOf(workload, transport, variant, {values, origins})).map((load) => {
      const both = {...variant, ...load};
      const completed = withKnownReply(transport, /** @type {Variant} */ (workload.complete?.(both) ?? both));
      const all = [...options, ...workload.options];
      const cell = {transport: transport.name, workload: workload.name, variant: completed};
      const ineffective = all.filter((option) => !hasEffect(option, {values, origins}, [cell]));
      return withoutImplied(withDefaults(completed, ineffective), all);
    }),
  );
  // Variants may have become equal, because settings without effect were reset.
  const distinct = new Map(whole.map((variant) => [JSON.stringify(variant), variant]));
  return [...distinct.values()].map((variant) => ({transport, variant}));
}

/** @param {Transport} transport @param {AnyVariant} variant @returns {string | null} null if the transport runs in the runtimes of its roles */
function refuseRuntime({label, notInRuntimes = {}}, {runtime = ownRuntime}) {
  for (const role of /** @type {const} */ (['client', 'server'])) {
    const name = runtimeNameOf(runtimeOf(String(runtime), role)) ?? ownRuntime;
    if (Object.hasOwn(notInRuntimes, name))
      return `${label} does not run in ${runtimeKinds[name].label}: ${notInRuntimes[name]}. Leave ${name} out of --runtime.`;
  }
  return null;
}

/** The replies of a server that the battle starts are always checked. @param {Transport} transport @param {Variant} variant @returns {Variant} */
function withKnownReply(transport, variant) {
  const {answer} = /** @type {{answer?: Answer}} */ (variant);
  return isUnchecked(answer) && !transport.serverOf?.(variant) ? {...variant, answer: 'echo'} : variant;
}

/**
 * Returns the settings that the workload varies, with the values of the user or the workload's defaults. The numbers of clients and servers are included.
 * @param {Workload} workload @param {Transport} transport @param {AnyVariant} variant
 * @param {Pick<Settings, 'values' | 'origins'>} settings
 */
function dimensionsOf(workload, transport, variant, {values, origins}) {
  const isGivenServer = Boolean(transport.serverOf?.(variant));
  const ofWorkload = workload.dimensions(transport, variant);
  const defaults = {
    clients: [1],
    ...(workload.hasServer && !isGivenServer && {servers: [1]}),
    ...ofWorkload,
    ...(isGivenServer && 'answer' in ofWorkload && {answer: ['status']}),
  };
  return Object.fromEntries(
    Object.entries(defaults).map(([key, own]) => [
      key,
      origins[key].kind === 'default' ? own : [values[key]].flat(),
    ]),
  );
}

/**
 * @param {Record<string, readonly unknown[]>} dimensions
 * @returns {Record<string, unknown>[]} every combination of one value of each
 */
function combine(dimensions) {
  return Object.entries(dimensions).reduce(
    (partial, [key, values]) => partial.flatMap((one) => values.map((value) => ({...one, [key]: value}))),
    /** @type {Record<string, unknown>[]} */ ([{}]),
  );
}

/**
 * Resets settings without effect to their defaults, so that variants which differ in these settings only are not measured twice.
 * @param {Variant} variant @param {readonly Option[]} ineffective @returns {Variant}
 */
function withDefaults(variant, ineffective) {
  const defaults = ineffective.flatMap(({key, default: value}) => (key in variant ? [[key, value]] : []));
  return {...variant, ...Object.fromEntries(defaults)};
}

/** @param {Variant} variant @param {readonly Option[]} options @returns {Variant} without settings that have their implied value */
function withoutImplied(variant, options) {
  const implied = new Map(
    options.filter(({implied: value}) => value !== null).map(({key, implied: value}) => [key, value]),
  );
  const entries = Object.entries(variant).filter(
    ([key, value]) => !implied.has(key) || value !== implied.get(key),
  );
  return /** @type {Variant} */ (Object.fromEntries(entries));
}

/**
 * Returns the names of a cell in the tables.
 * @param {Transport} transport
 * @param {AnyVariant} variant with the details that the running processes reported, if any
 * @param {Workload} workload @returns {Labels}
 */
export function labelsOf(transport, variant, workload) {
  const ignored = ignoredKeys(transport, workload, variant);
  const unusual = variantOptions(transport)
    .filter(({key}) => !ignored.includes(key))
    .filter((option) => variant[option.key] !== option.default || isVaried(option))
    .map((option) => option.label?.(variant[option.key]) ?? null);
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
 * Returns the labels of a comparison's side, after the labels of the programs that run its roles.
 * @param {AnyVariant} variant
 */
function sideIn(variant) {
  const {side, given = []} = /** @type {{side?: string, given?: string[]}} */ (variant);
  return side === undefined ? [] : [...given, `side ${side}`];
}

/** Returns whether a setting has several values by default. @param {Option} option */
function isVaried({battleDefault}) {
  return Array.isArray(battleDefault) && battleDefault.length > 1;
}

/**
 * Returns the value of a setting that needs no label, which is the workload's only default value.
 * @param {string} key @param {Transport} transport @param {AnyVariant} variant @param {Workload} workload
 */
function usualOf(key, transport, variant, workload) {
  if (key === 'clients' || key === 'servers') return 1;
  const values = workload.dimensions(transport, variant)[key] ?? [];
  return values.length === 1 ? values[0] : undefined;
}
