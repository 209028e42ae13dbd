/** @import {OptionType} from './types.js' */

/**
 * One option, declared once. `--help`, docs/options.md, .env.example, the checks and `--print-config` are all made
 * from this declaration.
 *
 * @typedef {object} Option
 * @property {string} name the flag without its dashes
 * @property {string} key where the value stands in the settings
 * @property {string} environmentName
 * @property {OptionType<any>} type of one value
 * @property {unknown} default of a script; null: none
 * @property {unknown} battleDefault of the battle
 * @property {boolean} list in the battle several values may be given, each of which makes cells of its own
 * @property {boolean} secret never printed
 * @property {string} help one sentence
 * @property {string} group the heading it stands under in --help
 * @property {'battle' | 'script' | 'both' | 'table' | 'ec2'} scope who takes it
 * @property {null | ((value: any) => string | null)} label there for the settings that make a variant: how a row names a
 *   value that is not the default; null when a row says it in another way
 */

/**
 * @param {string} name
 * @param {{
 *   key?: string, environmentName?: string, type: OptionType<any>, default?: unknown,
 *   battleDefault?: unknown, list?: boolean, secret?: boolean, help: string, group: string,
 *   scope?: 'battle' | 'script' | 'both', label?: (value: any) => string | null,
 * }} declaration the environment name is PB_ and the flag in capitals unless another is given
 * @returns {Option}
 */
export function option(name, declaration) {
  const {list = false, secret = false, scope = 'both', label = null} = declaration;
  const fallback = declaration.default ?? null;
  return {
    name,
    key: declaration.key ?? name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase()),
    environmentName: declaration.environmentName ?? `PB_${name.toUpperCase().replaceAll('-', '_')}`,
    type: declaration.type,
    default: fallback,
    battleDefault: declaration.battleDefault ?? (list && fallback !== null ? [fallback] : fallback),
    list,
    secret,
    help: declaration.help,
    group: declaration.group,
    scope,
    label,
  };
}
