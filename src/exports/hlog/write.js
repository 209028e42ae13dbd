import {decodeFromCompressedBase64, HistogramLogWriter} from 'hdr-histogram-js';
import {nameOfVariant} from '../../columns/names.js';
import {updateFile} from '../../files/writable-file.js';
import {formatBytes} from '../../payload/bytes.js';

/**
 * @import {RunError} from '../../errors.js'
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 */

/**
 * Replaces a file by an HdrHistogram interval log with the round trips of all used trials.
 * @param {string} path @param {readonly CellRecord[]} records
 * @param {{signal: AbortSignal}} how signal: ends waiting for another process that writes the file
 * @returns {Promise<number>} the number of intervals; if 0, the file stays unchanged
 * @throws {RunError} if the file cannot be written; it stays unchanged
 */
export async function writeHistogramLog(path, records, {signal}) {
  const entries = histogramLogEntries(records);
  if (entries.length === 0) return 0;
  const startedAt = new Date(Math.min(...entries.map((one) => Date.parse(one.startedAt)))).toISOString();
  const log = formatHistogramLog({startedAt, entries});
  await updateFile(path, () => log, {signal});
  return entries.length;
}

/** Histograms are in ns, and the maxima of the log are in ms. HdrHistogram's own writers use the same ratio. */
const maxValueUnitRatio = 1_000_000;

/**
 * @typedef {{tag: string, startedAt: string, lengthMs: number, histogram: string}} HistogramLogEntry a line of a log. tag: without commas, spaces and
 *   line breaks, which end a field; startedAt: ISO 8601; lengthMs: length of the interval; histogram: HdrHistogram V2, compressed, base64, in ns
 */

/**
 * Formats an HdrHistogram interval log, version 1.3, as HistogramLogWriter of HdrHistogram (Java, C, JavaScript) does: start and
 * length of an interval in seconds, its maximum in ms, its histogram in ns. The intervals are sorted by their starts.
 * @param {{startedAt: string, entries: readonly HistogramLogEntry[]}} log startedAt: ISO 8601; readers ignore earlier intervals
 */
export function formatHistogramLog({startedAt, entries}) {
  /** @type {string[]} */
  const lines = [];
  const writer = new HistogramLogWriter((line) => lines.push(line));
  writer.outputLogFormatVersion();
  // The writer's outputStartTime leaves an empty line, at which the Java reader stops.
  writer.outputComment(
    `[StartTime: ${secondsOf(startedAt).toFixed(3)} (seconds since epoch), ${new Date(startedAt).toISOString()}]`,
  );
  writer.outputLegend();
  for (const entry of [...entries].sort(
    (one, other) => secondsOf(one.startedAt) - secondsOf(other.startedAt),
  ))
    outputEntry(writer, entry);
  return lines.join('');
}

/** @param {readonly CellRecord[]} records @returns {HistogramLogEntry[]} an entry for each used trial with latencies */
export function histogramLogEntries(records) {
  return records
    .filter((record) => record.outcome === 'completed')
    .flatMap((record) =>
      record.trials
        .filter(({used}) => used)
        .flatMap(({histogram, ...trial}) =>
          histogram === null
            ? []
            : [{tag: tagOf(record), startedAt: trial.startedAt, lengthMs: trial.wallMs, histogram}],
        ),
    );
}

/**
 * The tag of a cell's intervals: variant, payload, workload, environment and machine. A sequence of spaces, commas and control
 * characters becomes one underscore. The tag is the same in all battles with the cell.
 * @param {Pick<CompletedRecord, 'labels' | 'payloadBytes' | 'workload' | 'environment' | 'machine'>} record
 */
export function tagOf({labels, payloadBytes, workload, environment, machine}) {
  return [nameOfVariant(labels), formatBytes(payloadBytes), workload, environment, machine]
    .map((part) =>
      part
        .replace(/[\s,\p{Cc}]+/gu, ' ')
        .trim()
        .replaceAll(' ', '_'),
    )
    .join('/');
}

/** @param {HistogramLogWriter} writer @param {HistogramLogEntry} entry */
function outputEntry(writer, {tag, startedAt, lengthMs, histogram: base64}) {
  const histogram = decodeFromCompressedBase64(base64, 32, false);
  histogram.tag = tag;
  const start = secondsOf(startedAt);
  writer.outputIntervalHistogram(histogram, start, start + lengthMs / 1000, maxValueUnitRatio);
}

/** @param {string} time ISO 8601 @returns {number} seconds since the epoch */
function secondsOf(time) {
  return Date.parse(time) / 1000;
}
