/** @import {AskedSettings, CamelCase, CellFeatures, OneOrSeveral, Option, OptionType, Resumable, Scope} from './contract.js' */

/**
 * @template Value
 * @template Default
 * @typedef {[Default] extends [null] ? null : Value} NullOr
 */

/**
 * Declares an option. Its key, the type of its value and whether it can be unset are inferred: `values.rounds` has the type number, and
 * `values.ruonds` is a type error.
 * @template {string} Name @template Value @template {string} [Key=CamelCase<Name>] @template {boolean} [List=false] @template {Scope} [In='both']
 * @template {Value | null} [Default=null]
 * @template {OneOrSeveral<Value, List> | null} [BattleDefault=NoInfer<NullOr<OneOrSeveral<Value, List>, Default>>] @param {Name} name
 * @param {{
 *   type: OptionType<Value>, short?: string, key?: Key, environmentName?: string, default?: Default, battleDefault?: BattleDefault, list?: List,
 *   secret?: boolean, resumable?: Resumable, placeholder?: string, brief?: string, help: string, helpFor?: Record<string, string>, group: string,
 *   scope?: In, label?: (value: Value) => string | null, implied?: Value, needs?: string, alsoNeeds?: string,
 *   appliesTo?: (cell: CellFeatures, settings: AskedSettings<OneOrSeveral<Value, List>>) => boolean,
 * }} declaration environmentName: default PB_ and the flag in capitals; secret: default true if the type has a mask
 * @returns {Option<Name, Key, Value, List, In, NullOr<Value, Default>, NullOr<OneOrSeveral<Value, List>, BattleDefault>>}
 */
export function option(name, declaration) {
  const fallback = declaration.default ?? null;
  const {list = false, type, label = null, implied = null, needs = null, appliesTo = null} = declaration;
  return /** @type {any} */ ({
    name,
    short: declaration.short ?? null,
    key: declaration.key ?? camelCase(name),
    environmentName: declaration.environmentName ?? variableOf(name),
    type,
    placeholder: declaration.placeholder ?? null,
    default: fallback,
    battleDefault: declaration.battleDefault ?? (list && fallback !== null ? [fallback] : fallback),
    list,
    secret: declaration.secret ?? type.mask !== undefined,
    resumable: declaration.resumable ?? false,
    help: declaration.help,
    brief: declaration.brief ?? null,
    helpFor: declaration.helpFor ?? {},
    group: declaration.group,
    scope: declaration.scope ?? 'both',
    label,
    implied,
    needs,
    alsoNeeds: declaration.alsoNeeds ?? null,
    appliesTo,
  });
}

/** The usual name of the variable of a flag: `PB_FIND_MAX_RATE` of `find-max-rate`. @param {string} flag without dashes */
export function variableOf(flag) {
  return `PB_${flag.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * Replaces the help of options by the help for a command.
 * @template {Option} One @param {string} command @param {readonly One[]} options @returns {One[]} options with a help for the command are copied
 */
export function explainedFor(command, options) {
  return options.map((one) =>
    command in one.helpFor ? {...one, help: one.helpFor[command], brief: null} : one,
  );
}

/** Turns a flag into the name of a property: `find-max-rate` into `findMaxRate`. @param {string} flag without dashes */
export function camelCase(flag) {
  return flag.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
}
