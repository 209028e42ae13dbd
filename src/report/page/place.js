import {counted} from '../../columns/names.js';

/**
 * @import {CellRecord} from '../../results/record-schema.js'
 * @import {Fingerprint} from '../../results/types.js'
 */

/**
 * Returns where, with what and when a battle was measured, for example AMD EPYC, 2 cores, local; Node.js 20.20.2.
 * @param {readonly CellRecord[]} records at least one
 * @param {Record<string, unknown> | null} battle the journal's line on the battle; null if unknown
 */
export function placeOf(records, battle) {
  const [{environment, machine, versions}] = records;
  const hosts = Object.values(asObject(battle?.hosts));
  const {cores} = hosts.length === 1 ? asObject(hosts[0]) : {};
  const apart = hosts.length > 1 ? [`${hosts.length} hosts`] : [];
  return {
    host: [machine, ...coresText(cores), ...apart, environment].join(', '),
    node: nodeText(versions),
    startedAt: records.map(({startedAt}) => startedAt).sort()[0],
  };
}

/** @param {unknown} cores @returns {string[]} empty if the number of cores is unknown */
export function coresText(cores) {
  return typeof cores === 'number' ? [counted(cores, 'core')] : [];
}

/** @param {Record<string, string | null>} versions */
export function nodeText({node}) {
  return `Node.js ${withoutV(node ?? 'of unknown version')}`;
}

/**
 * Returns the line below a chart that is a file.
 * @param {readonly CellRecord[]} records at least one @param {Record<string, unknown> | null} battle
 */
export function captionOf(records, battle) {
  const {host, node, startedAt} = placeOf(records, battle);
  return [host, node, startedAt.slice(0, 10), `perf-battle ${records[0].battleId}`].join(' · ');
}

/** @param {unknown} value @returns {Record<string, unknown>} empty if the value is not an object */
export function asObject(value) {
  return typeof value === 'object' && value !== null ? /** @type {Record<string, unknown>} */ (value) : {};
}

/** @type {Record<keyof Fingerprint, string>} */
const names = {
  hostname: 'Host name',
  cpu: 'CPU',
  cores: 'Cores for the processes',
  hostCores: 'Cores of the host',
  memoryBytes: 'Memory',
  architecture: 'Architecture',
  os: 'Operating system',
  kernel: 'Kernel',
  governor: 'CPU frequency governor',
  clockSource: 'Clock source',
  clockReadNanos: 'Time to read the clock',
  virtualization: 'Virtualization',
  node: 'Node.js',
  instance: 'EC2 instance',
};

/** Formats of the facts with units or parts. @type {Record<string, (value: any) => unknown>} */
const formats = {
  memoryBytes: number((bytes) => `${(bytes / 2 ** 30).toPrecision(3)} GiB`),
  clockReadNanos: number((nanos) => `${nanos.toPrecision(2)} ns`),
  node: withoutV,
  instance: (/** @type {NonNullable<Fingerprint['instance']>} */ {type, zone, placementGroup}) =>
    [type, zone, placementGroup && `placement group ${placementGroup}`].filter(Boolean).join(', '),
};

/**
 * Returns the facts about a host with readable names. A journal may hold unknown facts, and known facts in another form.
 * @param {Record<string, unknown>} host @returns {[name: string, value: unknown][]}
 */
export function namedFacts(host) {
  return Object.entries(host)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => [
      Object.hasOwn(names, key) ? names[/** @type {keyof Fingerprint} */ (key)] : wordsOf(key),
      formatted(key, value),
    ]);
}

/** @param {(value: number) => string} format */
function number(format) {
  return (/** @type {unknown} */ value) => (typeof value === 'number' ? format(value) : value);
}

/** @param {string} key @param {unknown} value */
function formatted(key, value) {
  const format = Object.hasOwn(formats, key) ? formats[key] : shortNumber;
  try {
    return format(value);
  } catch {
    return value;
  }
}

/** Packages keep their npm names. @param {Record<string, string | null>} versions @returns {[name: string, value: unknown][]} */
export function namedVersions({perfBattle, node, ...others}) {
  return [['perf-battle', perfBattle], ['Node.js', node && withoutV(node)], ...Object.entries(others)];
}

/** @param {string} version */
function withoutV(version) {
  return version.replace(/^v(?=\d)/, '');
}

/** Turns clockReadNanos into Clock read nanos. @param {string} key */
function wordsOf(key) {
  const words = key.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** @param {unknown} value */
function shortNumber(value) {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(3)) : value;
}
