import {formatBytes} from '../payload/format-bytes.js';

/**
 * A result as a client by hand prints it.
 * @param {import('../transports/index.js').Transport} transport
 * @param {Record<string, any>} options
 * @param {{rtt: import('../stats/summary.js').Summary, counts: import('../workloads/index.js').Counts, warm: boolean,
 *   discarded: number, payloadBytes: number}} result
 */
export function describeResult(transport, options, {rtt, counts, warm, discarded, payloadBytes}) {
  const qualifier = transport.qualifier ? ` ${transport.qualifier(options)}` : '';
  const lines = [
    `${transport.label}${qualifier}, ${formatBytes(payloadBytes)}, ${counts.sent} round trips after ${discarded} to warm up${warm ? '' : ' (not warm yet)'}`,
    `mean ${ms(rtt.meanMs)}`,
    `min  ${ms(rtt.minMs)}`,
    `p50  ${ms(rtt.p50Ms)}`,
    `p99  ${ms(rtt.p99Ms)}`,
    `max  ${ms(rtt.maxMs)}`,
    `n    ${rtt.samples}`,
  ];
  if (counts.timedOut > 0) lines.push(`timed out: ${counts.timedOut}`);
  return lines.join('\n');
}

/** @param {number | null} value */
function ms(value) {
  return value === null ? 'n/a' : `${value.toFixed(4)} ms`;
}
