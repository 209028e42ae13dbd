/**
 * @import {Fingerprint} from '../../results/fingerprint.js'
 *
 * @typedef {[name: string, value: unknown]} Fact
 */

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

/** The facts that have a unit, or parts. @type {Record<string, (value: any) => unknown>} */
const formats = {
  memoryBytes: number((bytes) => `${(bytes / 2 ** 30).toPrecision(3)} GiB`),
  clockReadNanos: number((nanos) => `${nanos.toPrecision(2)} ns`),
  node: withoutV,
  instance: (/** @type {NonNullable<Fingerprint['instance']>} */ {type, zone, placementGroup}) =>
    [type, zone, placementGroup && `placement group ${placementGroup}`].filter(Boolean).join(', '),
};

/**
 * The facts of a host with the names that a person reads. A journal may hold facts that this version does not know, and known ones of another form.
 * @param {Record<string, unknown>} host
 * @returns {Fact[]}
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

/** The versions with their names; those of packages are the names that npm has. @param {Record<string, string | null>} versions @returns {Fact[]} */
export function namedVersions({perfBattle, node, ...others}) {
  return [['perf-battle', perfBattle], ['Node.js', node && withoutV(node)], ...Object.entries(others)];
}

/** @param {string} version */
function withoutV(version) {
  return version.replace(/^v(?=\d)/, '');
}

/** clockReadNanos: Clock read nanos. @param {string} key */
function wordsOf(key) {
  const words = key.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** @param {unknown} value */
function shortNumber(value) {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(3)) : value;
}
