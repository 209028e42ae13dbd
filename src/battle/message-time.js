import {transportNamed} from '../transports/index.js';
import {workloads} from '../workloads/index.js';

/** @import {Cell} from './cell.js' */

/** Where a transport says nothing of it. @param {number} payloadBytes */
const typicalRoundTripMs = (payloadBytes) => 0.25 + 2.5e-6 * payloadBytes;
/** The share of a round trip that a message takes, where many are in flight. */
const shareInFlight = 1 / 8;

/**
 * About how long a message of a cell takes.
 * @param {Pick<Cell, 'transport' | 'workload' | 'variant'>} cell
 * @param {number} bytes
 * @param {boolean} [isFirst] whether it is one of those with which a new pair warms up
 */
export function messageMs(cell, bytes, isFirst = false) {
  const {figure, messageMs: ofWorkload} = workloads[cell.workload];
  const wholeMs = roundTripMs(cell, bytes);
  const emptyMs = roundTripMs(cell, 0);
  if (ofWorkload) return ofWorkload({emptyMs, bytesMs: wholeMs - emptyMs}, cell.variant, {isFirst});
  return figure === 'latency' ? wholeMs : wholeMs * shareInFlight;
}

/** About how long a round trip takes. @param {Pick<Cell, 'transport' | 'variant'>} cell @param {number} bytes */
export function roundTripMs({transport, variant}, bytes) {
  return (transportNamed(transport).roundTripMs ?? typicalRoundTripMs)(bytes, variant);
}
