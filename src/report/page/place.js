/** @import {CellRecord} from '../../results/record-schema.js' */

/**
 * Where, with what and when a battle was measured, in parts: AMD EPYC, 2 cores, local; Node.js 20.20.2; 2026-11-23.
 * @param {readonly CellRecord[]} records at least one
 * @param {Record<string, unknown> | null} battle what the journal says of it; null if it is not known
 * @returns {{host: string, node: string, date: string}} date: of the first cell, in UTC
 */
export function placeOf(records, battle) {
  const [{environment, machine, versions}] = records;
  const hosts = Object.values(asObject(battle?.hosts));
  const {cores} = hosts.length === 1 ? asObject(hosts[0]) : {};
  const count = typeof cores === 'number' ? [`${cores} ${cores === 1 ? 'core' : 'cores'}`] : [];
  const apart = hosts.length > 1 ? [`${hosts.length} hosts`] : [];
  const started = records.map(({startedAt}) => startedAt).sort()[0];
  return {
    host: [machine, ...count, ...apart, environment].join(', '),
    node: `Node.js ${String(versions.node ?? 'of unknown version').replace(/^v/, '')}`,
    date: started.slice(0, 10),
  };
}

/**
 * The line below a chart that stands alone.
 * @param {readonly CellRecord[]} records at least one
 * @param {Record<string, unknown> | null} battle
 */
export function captionOf(records, battle) {
  const {host, node, date} = placeOf(records, battle);
  return [host, node, date, `perf-battle ${records[0].battleId}`].join(' · ');
}

/** @param {unknown} value @returns {Record<string, unknown>} empty for what is no object */
export function asObject(value) {
  return typeof value === 'object' && value !== null ? /** @type {Record<string, unknown>} */ (value) : {};
}
