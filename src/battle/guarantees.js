import {brokerKindNamed, givenBroker} from '../brokers/index.js';
import {faultNamed, faultNames} from '../faults/faults.js';
import {survivesNothing} from '../faults/guarantee.js';
import {brokerOf, findTransport} from '../transports/index.js';

/**
 * @import {Broker} from '../brokers/kind.js'
 * @import {CellRecord} from '../results/record-schema.js'
 * @import {BattleSettings} from '../settings/index.js'
 * @import {Cell, MeasuredGuarantee} from './types.js'
 */

/**
 * Finds the guarantees that runs of faults have measured in the lines of a journal.
 * @param {readonly {kind: string}[]} entries
 * @returns {MeasuredGuarantee[]} guarantees from more kinds of faults first, because a loss shows more than writes; the newest first among equals
 */
export function guaranteesIn(entries) {
  return /** @type {Conclusion[]} */ (entries.filter(isConclusion))
    .toReversed()
    .toSorted((one, other) => shownBy(other) - shownBy(one))
    .map(({row: {transport, variant}, versions, class: found, guarantee: name, runId, startedAt}) => ({
      ...{transport, variant, versions},
      guarantee: {class: found, name, runId, startedAt},
    }));
}

/**
 * @typedef {object} Conclusion the journal line of a row that measured the class of stored messages
 * @property {string} kind
 * @property {{transport: string, variant: Record<string, unknown>}} row
 * @property {Record<string, string | null>} versions
 * @property {string} class
 * @property {string} guarantee
 * @property {string} runId
 * @property {string} startedAt
 * @property {unknown} [faults]
 */

/** Counts the kinds of faults (crash, power cut) whose outcome is known. @param {Conclusion} conclusion */
function shownBy({faults}) {
  const done = Array.isArray(faults) ? faults : [];
  const kinds = done.map((one) => one?.outcome && ['kept', 'lost'].includes(one.outcome) && one.fault);
  return new Set(
    kinds.filter((name) => faultNames.includes(name)).flatMap((name) => faultNamed(name).kind ?? []),
  ).size;
}

/** Checks every field, because the user may have edited the journal. @param {any} entry */
function isConclusion({kind, row, versions, error = null, ...texts}) {
  const isObject = (/** @type {unknown} */ value) => typeof value === 'object' && value !== null;
  return (
    kind === 'faults' &&
    error === null &&
    row?.stores === true &&
    typeof row.transport === 'string' &&
    [row.variant, versions].every(isObject) &&
    ['class', 'guarantee', 'runId', 'startedAt'].every((key) => typeof texts[key] === 'string')
  );
}

/**
 * Returns the guarantees that hold for a battle. They do not hold for a broker that the user named, which may store messages differently.
 * @param {readonly MeasuredGuarantee[]} measured @param {BattleSettings} settings
 */
export function guaranteesFor(measured, settings) {
  return measured.filter(({transport: name, variant}) => {
    if (!findTransport(name)) return false;
    const kind = brokerOf({transport: name, variant});
    return kind !== null && givenBroker(brokerKindNamed(kind), settings) === null;
  });
}

/**
 * Returns the guarantees that still hold for a provisioned broker. A broker that ran before the battle may store messages differently.
 * @param {readonly MeasuredGuarantee[]} measured @param {Pick<Broker, 'kind' | 'source'>} broker
 */
export function guaranteesBeside(measured, {kind, source}) {
  return source === 'private' ? measured : measured.filter((one) => brokerOf(one) !== kind);
}

/**
 * Returns the guarantee that was measured with the same broker version, and with the same values of all settings that affect a guarantee.
 * @param {Pick<Cell, 'transport' | 'variant'>} cell
 * @param {{guarantees?: readonly MeasuredGuarantee[] | undefined, versions: Readonly<Record<string, string | null>>}} context
 * @returns {CellRecord['guarantee']} undefined if no such guarantee was measured
 */
export function guaranteeOf({transport: name, variant}, {guarantees = [], versions}) {
  const transport = findTransport(name);
  if (!transport?.guarantees || guarantees.length === 0) return undefined;
  const kind = brokerOf({transport: name, variant});
  const [version] = kind === null ? [] : brokerKindNamed(kind).versions;
  const keys = [...Object.keys(transport.guarantees.all), 'brokerNodes'];
  // A variant may lack settings that the user did not give. A private broker then has its own.
  const defaults = Object.fromEntries(transport.options.map((option) => [option.key, option.default]));
  const {ofPrivateBroker = {}} = transport.guarantees;
  const settingIn = (/** @type {object} */ settings, /** @type {string} */ key) =>
    ({brokerNodes: 1, ...defaults, ...settings})[key] ?? ofPrivateBroker[key] ?? null;
  return guarantees.find(
    (one) =>
      one.transport === name &&
      brokerOf(one) === kind &&
      one.versions[version] === versions[version] &&
      keys.every((key) => settingIn(one.variant, key) === settingIn(variant, key)),
  )?.guarantee;
}

/**
 * Returns whether two cells may be ranked, because their messages survive the same faults. Without a measured guarantee, messages survive nothing.
 * @param {CellRecord['guarantee']} one @param {CellRecord['guarantee']} other
 */
export function surviveTheSame(one, other) {
  return rankOf(one) === rankOf(other);
}

/** @param {CellRecord['guarantee']} guarantee */
function rankOf(guarantee) {
  return guarantee === undefined || survivesNothing(guarantee.class) ? 'nothing' : guarantee.name;
}
