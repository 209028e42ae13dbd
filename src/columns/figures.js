/** @import {CompletedRecord} from '../results/record-schema.js' */

/**
 * The format of all printed figures. Null is printed as n/a, never as zero.
 */

/** @param {number | null} value in ms; four decimals, as in the published tables */
export function formatMs(value) {
  return value === null ? 'n/a' : value.toFixed(4);
}

/**
 * The mean with the larger half of its interval, which is not symmetric after a bootstrap: 0.7670 ± 0.0123.
 * @param {{meanMs: number | null, ci95Ms: [number, number] | null}} rtt
 */
export function formatMean({meanMs, ci95Ms}) {
  if (meanMs === null) return formatMs(null);
  if (ci95Ms === null) return `${formatMs(meanMs)} ± n/a`;
  return `${formatMs(meanMs)} ± ${formatMs(Math.max(meanMs - ci95Ms[0], ci95Ms[1] - meanMs))}`;
}

/**
 * A rate with the larger half of its interval: 12345 ± 67.
 * @param {{messagesPerSecond: number, ci95MessagesPerSecond: [number, number] | null}} throughput
 */
export function formatRateMean({messagesPerSecond: value, ci95MessagesPerSecond: interval}) {
  if (interval === null) return `${formatRate(value)} ± n/a`;
  const half = Math.max(value - interval[0], interval[1] - value);
  if (half >= 10 * value) return `${formatRate(value)} ± n/a`;
  return `${formatRate(value)} ± ${half < 1 && value >= 1 ? half.toFixed(1) : formatRate(half)}`;
}

/** @param {number} value with one decimal below 100, three significant digits below 1 */
export function formatRate(value) {
  if (value >= 100) return String(Math.round(value));
  return value >= 1 || value === 0 ? value.toFixed(1) : String(Number(value.toPrecision(3)));
}

/** @param {{ratio: number} | null} floor */
export function formatFloor(floor) {
  return floor === null ? 'n/a' : `${floor.ratio.toFixed(2)}×`;
}

/**
 * CPU time per message of all roles together, in µs. A ≥ marks a sum that lacks a role whose CPU time is unknown.
 * @param {CompletedRecord} record
 */
export function formatCpu({cpu, hosts, variant}) {
  const hasServer = cpu.server !== null || variant.servers !== undefined;
  const roles = [
    cpu.client,
    ...(hasServer ? [cpu.server] : []),
    ...(hosts.broker === null ? [] : [cpu.broker]),
  ];
  const known = roles.flatMap((role) => (role?.microsPerMessage == null ? [] : [role.microsPerMessage]));
  if (known.length === 0) return 'n/a';
  const total = formatRate(known.reduce((sum, micros) => sum + micros, 0));
  return known.length < roles.length ? `≥ ${total}` : total;
}

/**
 * CPU of client, server and broker in per cent of one core; n/a if it is unknown.
 * @param {CompletedRecord} record
 */
export function formatCpuPercent({cpu, hosts}) {
  const roles = [cpu.client, cpu.server, ...(hosts.broker === null ? [] : [cpu.broker])];
  return roles.map((role) => (role?.percent == null ? 'n/a' : role.percent.toFixed(0))).join(' / ');
}

/** @param {{status: string, warnings: readonly {code: string}[]}} verdict */
export function formatVerdict({status, warnings}) {
  return warnings.length === 0 ? status : `${status}: ${warnings.map(({code}) => code).join(', ')}`;
}
