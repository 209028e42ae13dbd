import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {turnMsOf} from '../measure/warm-up.js';
import {transportNamed} from '../transports/index.js';
import {workloads} from '../workloads/index.js';

/**
 * @import {BattleValues} from '../settings/index.js'
 * @import {Cell, Slices} from './types.js'
 */

/** A slice is as long as this, or as what it needs at least. */
const sliceMs = 30;
/** What is sent at the begin of a slice, and not counted. */
const discardMs = 4;
/** So many round trips, one after the other, are in a slice. Its time is fixed beforehand: it must not be longer while something slows the host. */
const minRoundTrips = 10;
/** So many times is a window of requests in flight sent in a slice. */
const minWindows = 8;
/** And so often before it counts. */
const windowsDiscarded = 2;

/** Slow round trips have this many slices if the time of a trial is open, */
const minSlices = 3;
/** or this time in all. */
const mostOpenMs = 1000;

/**
 * The slices in which a trial of a cell is measured, in turn with others: what it would measure in one piece is divided among them.
 * @param {Pick<Cell, 'transport' | 'workload' | 'variant' | 'payloadBytes' | 'length'>} cell
 * @param {number | null} [typicalMs] the median of the round trips of the warm-up; null: as estimated
 * @returns {Slices | null} null: in one piece
 */
export function slicesOf(cell, typicalMs = null) {
  const {samples, durationMs, inSlices, isOpen, warmUp} = cell.length;
  if (!inSlices) return null;
  const inFlight = workloads[cell.workload].concurrency(cell.variant);
  const roundTripMs = typicalMs ?? inFlight * messageMs(cell, cell.payloadBytes);
  const leastMs = (inFlight > 1 ? minWindows : minRoundTrips) * roundTripMs;
  const openMs = isOpen ? Math.min(mostOpenMs, minSlices * leastMs) : 0;
  const wholeMs = durationMs === null ? Number(samples) * roundTripMs : Math.max(durationMs, openMs);
  const most = samples === null ? Number.POSITIVE_INFINITY : Math.floor(samples / minRoundTrips);
  const count = Math.max(1, Math.min(most, Math.round(wholeMs / Math.max(sliceMs, leastMs))));
  const own = {
    discardMs: inFlight > 1 ? Math.max(discardMs, windowsDiscarded * roundTripMs) : discardMs,
    ms: durationMs === null ? 0 : wholeMs / count,
  };
  const samplesOf = (/** @type {number} */ index) => (samples === null ? 1 : shareOf(samples, index, count));
  const turnMs = turnMsOf(warmUp, cell.payloadBytes);
  return {
    count,
    discardMs: own.discardMs,
    at: (index) => ({
      ...own,
      ...(index === 0 && {discardMs: own.discardMs + turnMs}),
      samples: samplesOf(index),
    }),
  };
}

/** @param {number} whole @param {number} index @param {number} count @returns {number} of equal parts of a whole number, whole ones */
function shareOf(whole, index, count) {
  return Math.floor(((index + 1) * whole) / count) - Math.floor((index * whole) / count);
}

/**
 * Whether a cell is measured in slices. What needs a steady state is not, nor what programs of other authors measure, nor what is bounded by a number
 * of samples and a duration both.
 * @param {Pick<Cell, 'transport' | 'workload' | 'variant' | 'length'>} cell
 * @param {Pick<BattleValues, 'slices'>} values
 */
export function isSliced({transport, workload, variant, length}, values) {
  return (
    values.slices &&
    (workloads[workload].isSliced?.(variant, length) ?? false) &&
    (length.samples === null) !== (length.durationMs === null) &&
    !variant.profile &&
    !transportNamed(transport).runsPrograms
  );
}

/**
 * Whether the scripts of all cells know slices. Those of another version, which a comparison may have, need not.
 * @param {readonly Pick<Cell, 'variant'>[]} cells
 */
export function allKnowSlices(cells) {
  return allHave(cells, 'src/workloads/slices.js');
}

/**
 * Whether the scripts of all sides of a comparison can place their main threads, and leave out what keeps cores awake.
 * @param {readonly Pick<Cell, 'variant'>[]} cells
 */
export function allKnowCores(cells) {
  return allHave(cells, 'src/hosts/keep-awake.js');
}

/** @param {readonly Pick<Cell, 'variant'>[]} cells @param {string} file of the versions that do */
function allHave(cells, file) {
  const folders = new Set(cells.flatMap(({variant}) => variant.folder ?? []));
  return [...folders].every((folder) => existsSync(join(folder, file)));
}

/** Where a transport says nothing of it. @param {number} payloadBytes */
const typicalRoundTripMs = (payloadBytes) => 0.25 + 2.5e-6 * payloadBytes;
/** The share of a round trip that a message takes, where many are in flight. */
const shareInFlight = 1 / 8;

/**
 * About how long a message of a cell takes.
 * @param {Pick<Cell, 'transport' | 'workload' | 'variant'>} cell @param {number} bytes
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
