/**
 * @import {CellRecord, CompletedRecord} from '../results/record-schema.js'
 * @import {Format} from './types.js'
 */

/** Returns whether standard output is for a program. @param {Pick<Format, 'json' | 'csv'>} format */
export function isForPrograms({json, csv}) {
  return json || csv;
}

/** Returns the stream for the tables: standard output is free only without --json and --csv. @param {Pick<Format, 'json' | 'csv'>} format */
export function resultsStream(format) {
  return isForPrograms(format) ? process.stderr : process.stdout;
}

/**
 * Prints JSON or CSV to standard output, if the user asked for it.
 * @param {Format} format @param {{document: () => object, csv: (separator: string) => string}} forms
 */
export function printForPrograms({json, csv, csvSeparator}, forms) {
  if (json) printJson(forms.document());
  if (csv) process.stdout.write(forms.csv(csvSeparator));
}

/** @param {object} document */
export function printJson(document) {
  process.stdout.write(`${JSON.stringify(document)}\n`);
}

/**
 * Returns rows as comma-separated values (RFC 4180), with a line of headings.
 * @template Row @param {readonly (readonly [heading: string, read: (row: Row) => unknown])[]} columns @param {readonly Row[]} rows
 * @param {string} [separator] one character @returns {string} each line ends with CRLF, as RFC 4180 requires; the field of null is empty
 */
export function toCsv(columns, rows, separator = ',') {
  const fieldOf = (/** @type {unknown} */ value) => quoted(asText(value), separator);
  const lines = [
    columns.map(([heading]) => heading),
    ...rows.map((row) => columns.map(([, read]) => fieldOf(read(row)))),
  ];
  return lines.map((fields) => `${fields.join(separator)}\r\n`).join('');
}

/**
 * Returns columns that are named after the fields that they hold: payload_bytes for payloadBytes.
 * @template {string} Name @param {...Name} names @returns {[heading: string, read: (row: Readonly<Record<Name, unknown>>) => unknown][]}
 */
export function fieldColumns(...names) {
  return names.map((name) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    (row) => row[name],
  ]);
}

/** A spreadsheet takes a text with one of these first characters for a formula, unless the text is a number. */
const formula = /^[=+\-@\t\r\n]/;
const number = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Adds an apostrophe to a text that a spreadsheet would run as a formula (OWASP, CSV injection). @param {unknown} value */
function asText(value) {
  // Spreadsheets cannot read infinite numbers.
  const isFigure = typeof value !== 'number' || Number.isFinite(value);
  if (value === null || value === undefined || !isFigure) return '';
  const text = String(value);
  return formula.test(text) && !number.test(text) ? `'${text}` : text;
}

/** @param {string} text @param {string} separator */
function quoted(text, separator) {
  return text.includes(separator) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Figures have all their digits; an unknown figure is empty. @type {readonly [string, (record: CompletedRecord) => unknown][]} */
const columns = [
  ...fieldColumns('id'),
  ['battle', ({battleId}) => battleId],
  ...fieldColumns('startedAt', 'environment', 'machine', 'workload', 'transport'),
  ['name', ({labels}) => labels.facilitator],
  ['qualifier', ({labels}) => labels.qualifier],
  ['settings', ({labels}) => labels.settings.join('; ')],
  ['persistent', ({labels}) => labels.persistent.replaceAll('*', '')],
  ...fieldColumns('payloadBytes'),
  ['offered_per_second', ({openLoop}) => openLoop?.offeredPerSecond],
  ['mean_ms', ({rtt}) => rtt?.meanMs],
  ['mean_low_ms', ({rtt}) => rtt?.ci95Ms?.[0]],
  ['mean_high_ms', ({rtt}) => rtt?.ci95Ms?.[1]],
  ['min_ms', ({rtt}) => rtt?.minMs],
  ['p50_ms', ({rtt}) => rtt?.p50Ms],
  ['p90_ms', ({rtt}) => rtt?.p90Ms],
  ['p95_ms', ({rtt}) => rtt?.p95Ms],
  ['p99_ms', ({rtt}) => rtt?.p99Ms],
  ['p99_low_ms', ({rtt}) => rtt?.ci95?.p99Ms?.[0]],
  ['p99_high_ms', ({rtt}) => rtt?.ci95?.p99Ms?.[1]],
  ['p999_ms', ({rtt}) => rtt?.p999Ms],
  ['max_ms', ({rtt}) => rtt?.maxMs],
  ['samples', ({rtt}) => rtt?.samples],
  ['messages_per_second', ({throughput}) => throughput.messagesPerSecond],
  ['messages_per_second_low', ({throughput}) => throughput.ci95MessagesPerSecond?.[0]],
  ['messages_per_second_high', ({throughput}) => throughput.ci95MessagesPerSecond?.[1]],
  ['lost', ({counts}) => counts.lost],
  ['cpu_client_micros', ({cpu}) => cpu.client?.microsPerMessage],
  ['cpu_server_micros', ({cpu}) => cpu.server?.microsPerMessage],
  ['cpu_broker_micros', ({cpu}) => cpu.broker?.microsPerMessage],
  ['floor_ratio', ({floor}) => floor?.ratio],
  ['floor_ratio_low', ({floor}) => floor?.ratioCi95?.[0]],
  ['floor_ratio_high', ({floor}) => floor?.ratioCi95?.[1]],
  ['floor_verdict', ({floor}) => floor?.verdict?.status],
  ['verdict', ({verdict}) => verdict.status],
  ['warnings', ({verdict}) => verdict.warnings.map(({code}) => code).join('; ')],
  ['node', ({versions}) => versions.node],
];

/**
 * Returns records as comma-separated values. Times are in ms, CPU time per message in µs.
 * @param {readonly CellRecord[]} records @param {string} [separator]
 */
export function recordsCsv(records, separator) {
  return toCsv(
    columns,
    records.filter((record) => record.outcome === 'completed'),
    separator,
  );
}
