/** @import {OptionType} from './types.js' */

/**
 * @typedef {'battle' | 'script' | 'both' | 'table' | 'compare' | 'report' | 'chart' | 'choose' | 'ab' | 'faults' | 'init' | 'ec2'} Scope who takes it
 *
 * @typedef {false | 'override' | 'anew'} Resumable whether it may be given with --resume. override: the value given now replaces that of
 *   the interrupted battle; anew: the value of the interrupted battle is not used
 *
 * @typedef {object} CellFeatures what a cell of the plan is
 * @property {boolean} hasServer that the battle starts
 * @property {boolean} isGivenServer whether a person named a server that is already there
 * @property {number} servers how many
 * @property {boolean} usesAllServers whether each of them has a client
 * @property {boolean} hasReplies whether its messages are answered
 * @property {boolean} hasLatencies whether each of its messages has a latency
 * @property {boolean} sendsOneWay whether it has messages that expect no reply
 * @property {string | null} broker the kind that its transport needs
 * @property {boolean} isSliced whether it may be measured in slices
 * @property {boolean} sharesPair whether one pair of processes may measure several payload sizes
 * @property {string | null} brokerUrl that the person gave for it, with any password
 * @property {boolean} mayStartBroker whether its broker may be a private one
 */

/**
 * The settings of a battle, as an option sees them. Others are read by their declaration, so that a misspelt one is an error to the
 * checker.
 * @template [Own=any]
 * @typedef {object} AskedSettings
 * @property {Own} value of the option itself
 * @property {<One extends Option>(option: One) => BattleValue<One>} read
 * @property {(option: Option) => boolean} isAskedFor whether the person gave it
 */

/**
 * One option, declared once. `--help`, docs/options.md, .env.example, the checks, `--print-config`, what the journal keeps, and the
 * types of the settings are all made from this declaration.
 * @template {string} [Name=string]
 * @template {string} [Key=string]
 * @template [Value=any]
 * @template {boolean} [List=boolean]
 * @template {Scope} [In=Scope]
 * @template [Default=unknown]
 * @template [BattleDefault=unknown]
 * @typedef {object} Option
 * @property {Name} name the flag without its dashes
 * @property {string | null} short one letter that stands for the flag: -p for --payload
 * @property {Key} key of the value in the settings
 * @property {string} environmentName
 * @property {OptionType<Value>} type of one value
 * @property {string | null} placeholder what stands for a value in help; null: that of the type
 * @property {Default} default of a script; null: none
 * @property {BattleDefault} battleDefault of the battle; null: none
 * @property {List} list a battle takes several values, each of which makes cells of its own
 * @property {boolean} secret shown and stored only as its type's `mask` allows
 * @property {Resumable} resumable
 * @property {string} help sentences; the first says what the option is for
 * @property {string | null} brief what it is for in at most 48 characters, for help of one screen; null: the first sentence of `help`
 * @property {Readonly<Record<string, string>>} helpFor what it is for in a command to which `help` does not apply, by the name of the command
 * @property {string} group its heading in --help
 * @property {In} scope
 * @property {null | ((value: Value) => string | null)} label for settings that make variants: how a row names a
 *   value that is not the default; null if a row shows it in another way
 * @property {Value | null} implied the value that a variant without this setting has, so that the records of versions without the option are
 *   those of the same variant; null: each variant has the setting
 * @property {string | null} needs what it needs to have an effect, worded to follow "it needs"; null: its owner
 * @property {string | null} alsoNeeds what it needs beside its owner, worded to follow that
 * @property {null | ((cell: CellFeatures, settings: AskedSettings<OneOrSeveral<Value, List>>) => boolean)} appliesTo for an option that has an effect only on
 *   some cells, or only with other settings
 */

/**
 * The key of a flag: `find-max-rate` is `findMaxRate`.
 * @template {string} Text
 * @typedef {Text extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Text} CamelCase
 */

/**
 * @template Value
 * @template {boolean} List
 * @typedef {List extends true ? readonly Value[] : Value} OneOrSeveral
 */

/**
 * Null where the default may be none.
 * @template Value
 * @template Default
 * @typedef {[Default] extends [null] ? null : Value} NullOr
 */

/**
 * What the battle has for an option.
 * @template One
 * @typedef {One extends Option<any, any, infer Value, infer List, any, any, infer Default>
 *   ? OneOrSeveral<Value, List> | (Default extends null ? null : never) : never} BattleValue
 */

/**
 * What a script has for an option.
 * @template One
 * @typedef {One extends Option<any, any, infer Value, any, any, infer Default, any> ? Value | (Default extends null ? null : never) : never} ScriptValue
 */

/**
 * The values of a battle, by the option's key.
 * @template {Option} Options
 * @typedef {{[One in Options as One['key']]: BattleValue<One>}} BattleValuesOf
 */

/**
 * The values of a script, by the option's key.
 * @template {Option} Options
 * @typedef {{[One in Options as One['key']]: ScriptValue<One>}} ScriptValuesOf
 */

/**
 * Declares an option. Its key, the type of its value and whether it can be unset are inferred: `values.rounds` is a number to the
 * checker, and `values.ruonds` an error.
 * @template {string} Name
 * @template Value
 * @template {string} [Key=CamelCase<Name>]
 * @template {boolean} [List=false]
 * @template {Scope} [In='both']
 * @template {Value | null} [Default=null]
 * @template {OneOrSeveral<Value, List> | null} [BattleDefault=NoInfer<NullOr<OneOrSeveral<Value, List>, Default>>]
 * @param {Name} name
 * @param {{
 *   type: OptionType<Value>, short?: string, key?: Key, environmentName?: string, default?: Default, battleDefault?: BattleDefault, list?: List,
 *   secret?: boolean, resumable?: Resumable, placeholder?: string, brief?: string, help: string, helpFor?: Record<string, string>, group: string, scope?: In, label?: (value: Value) => string | null,
 *   implied?: Value, needs?: string, alsoNeeds?: string, appliesTo?: (cell: CellFeatures, settings: AskedSettings<OneOrSeveral<Value, List>>) => boolean,
 * }} declaration the environment name is PB_ and the flag in capitals unless another is given; an option whose type has a mask is secret
 * @returns {Option<Name, Key, Value, List, In, NullOr<Value, Default>, NullOr<OneOrSeveral<Value, List>, BattleDefault>>}
 */
export function option(name, declaration) {
  const fallback = declaration.default ?? null;
  const {list = false, type, label = null, implied = null, needs = null, appliesTo = null} = declaration;
  return /** @type {any} */ ({
    name,
    short: declaration.short ?? null,
    key: declaration.key ?? camelCase(name),
    environmentName: declaration.environmentName ?? `PB_${name.toUpperCase().replaceAll('-', '_')}`,
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

/**
 * Options as one command explains them.
 * @template {Option} One
 * @param {string} command @param {readonly One[]} options
 * @returns {One[]} a copy of each that has a help of its own for the command
 */
export function explainedFor(command, options) {
  return options.map((one) =>
    command in one.helpFor ? {...one, help: one.helpFor[command], brief: null} : one,
  );
}

/** A flag without its dashes as the name of a property: `find-max-rate` is `findMaxRate`. @param {string} flag */
export function camelCase(flag) {
  return flag.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
}
