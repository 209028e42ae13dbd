import {nameOfVariant} from '../columns/names.js';
import {UsageError} from '../errors.js';
import {transports} from '../transports/index.js';

/**
 * @import {Option} from '../options/option.js'
 * @import {Programs} from '../transports/external/index.js'
 * @import {AnyVariant, Transport} from '../transports/transport.js'
 * @import {BattleSettings} from './index.js'
 * @import {Settings} from '../options/resolve.js'
 */

/**
 * Rows of programs have the names that the person gives. Two rows of one name cannot be told apart, and expectations ignore the case.
 * @param {BattleSettings} asked
 * @throws {UsageError} for a name that another pair has, or that a row of a transport of ours may have
 */
export function refuseEqualNames(asked) {
  /** @type {Settings} */
  const {values, origins} = asked;
  for (const {runsPrograms, impliedBy = ''} of transports) {
    if (!runsPrograms) continue;
    const pairs = /** @type {readonly Programs[] | null} */ (values[impliedBy]) ?? [];
    const names = pairs.map(({name}) => normalized(name));
    const repeated = pairs.find((_, index) => names.indexOf(names[index]) < index);
    if (repeated !== undefined)
      throw new UsageError(
        `${origins[impliedBy].name} has two pairs named "${repeated.name}". Give each a name of its own.`,
      );
    const ours = namesOfOurs();
    const taken = pairs.find(({name}) => ours.has(normalized(name)));
    if (taken !== undefined)
      throw new UsageError(
        `${origins[impliedBy].name} has a pair named "${taken.name}", as rows of a transport of perf-battle are. Give it a name of its own, such as "My ${taken.name}".`,
      );
  }
}

/** @param {string} name */
function normalized(name) {
  return name.trim().replace(/\s+/g, ' ').toLowerCase();
}

/** The names of rows of our transports: by default, and with each value of a setting that has few. */
function namesOfOurs() {
  const own = transports.flatMap((transport) =>
    transport.runsPrograms ? [transport.name, transport.label] : [transport.name, ...namesOf(transport)],
  );
  return new Set(own.map(normalized));
}

/** @param {Transport} transport @returns {string[]} */
function namesOf({label, options, qualifier}) {
  const some = /** @type {readonly Option[]} */ (options);
  const defaults = Object.fromEntries(some.map((option) => [option.key, option.default]));
  const variants = some.flatMap(({key, type, label: labelOf}) =>
    (type.choices ?? []).map((text) => {
      const value = type.parse(text);
      return {variant: {...defaults, [key]: value}, setting: labelOf?.(value) ?? null};
    }),
  );
  return [label, ...variants.flatMap(({variant, setting}) => namesOfRow(variant, setting))];

  /** @param {AnyVariant} variant @param {string | null} setting */
  function namesOfRow(variant, setting) {
    const name = {facilitator: label, qualifier: qualifier?.(variant) ?? null, settings: []};
    return [
      nameOfVariant(name),
      ...(setting === null ? [] : [nameOfVariant({...name, settings: [setting]})]),
    ];
  }
}
