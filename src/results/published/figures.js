import {readFileSync} from 'node:fs';

/**
 * The texts whose figures are compared with measured ones. Other authors measured these figures.
 * @typedef {{title: string, url: string, label: string}} PublishedSource label: in a table's cell
 * @typedef {keyof typeof publishedSources} DocumentName
 */
export const publishedSources = /** @satisfies {Record<string, PublishedSource>} */ ({
  'perf-battle-readme': {
    title: 'http-websockets-rabbitmq-perf-battle (2016), RabbitMQ 3.5.0, Node.js 5.4.1, Amazon Linux on EC2',
    url: 'https://github.com/cflynn07/http-websockets-rabbitmq-perf-battle',
    label: 'perf-battle 2016',
  },
  'endurox-benchmark-doc': {
    title: 'Enduro/X benchmarks (from the manual of version 5; the link is that of version 7.5)',
    url: 'https://www.endurox.org/dokuwiki/doku.php?id=endurox:v7.5.x:guides:benchmark',
    label: 'Enduro/X benchmarks',
  },
  'endurox-vs-rabbitmq': {
    title: 'Enduro/X vs RabbitMQ review and benchmark (2018)',
    url: 'https://publicwork.wordpress.com/2018/06/22/enduro-x-vs-rabbitmq-review-and-benchmark/',
    label: 'Enduro/X vs RabbitMQ 2018',
  },
  'coralmq-numbers': {
    title: 'CoralMQ Performance Numbers (Coral Blocks, 2015)',
    url: 'http://www.coralblocks.com/index.php/coralmq-performance-numbers/',
    label: 'CoralMQ 2015',
  },
  'socketpro-vs-wcf-rabbitmq': {
    title: 'SocketPro performance comparison with WCF and RabbitMQ (UDAParts)',
    url: 'https://github.com/udaparts/socketpro',
    label: 'SocketPro comparison',
  },
});

/**
 * @typedef {object} PublishedFigure
 * @property {DocumentName} document
 * @property {string} system the measured system
 * @property {string} scenario the measured operation
 * @property {string} environment the host, as far as the text describes it
 * @property {string} payload the size as the text names it; - if the text names none
 * @property {number | null} payloadBytes null if the text gives no number
 * @property {string} figure as printed, without its unit
 * @property {number | number[] | null} value the number; a list for a figure of several parts such as 87.7/25.9/24.3; null for an
 *   approximate figure (~40000) or a bound (<5000)
 * @property {'ms' | 'ms total' | 'us' | 's' | 'calls/s' | 'pairs/s' | 'msg/s' | '%' | 'x'} unit ms total: for all messages together
 * @property {string} source place in the document
 */

/**
 * Returns the figures of a text, in its order. If a text has only charts, its figures come from the data files of the charts.
 * @param {DocumentName} document @returns {PublishedFigure[]} a copy for the caller
 */
export function publishedFigures(document) {
  return read(document).groups.flatMap(({rows, kilobytes, figures, ...shared}) =>
    (rows ?? rowsOfCurve(kilobytes, figures)).map((row) => {
      const printed = /** @type {Omit<PublishedFigure, 'document' | 'payloadBytes' | 'value'>} */ ({
        ...shared,
        ...row,
      });
      return {document, ...printed, payloadBytes: payloadBytesOf(printed), value: numberOf(printed.figure)};
    }),
  );
}

/** @param {DocumentName} document @returns {readonly string[]} the machines and versions that the text names */
export function publishedMachines(document) {
  return read(document).machines;
}

/**
 * A file has groups of rows, in the order of the text; fields that all rows of a group share are stored once. A curve of a chart is a group of
 * sizes and figures.
 * @typedef {{rows: Record<string, string>[], kilobytes?: undefined, figures?: undefined}} Rows
 * @typedef {{rows?: undefined, kilobytes: number[], figures: number[]}} Curve
 * @typedef {{machines: string[], groups: ((Rows | Curve) & {[shared: string]: unknown})[]}} Document
 *
 * @type {Map<DocumentName, Document>}
 */
const documents = new Map();

/** Reads a file only on demand, because most runs need none. @param {DocumentName} document */
function read(document) {
  const known = documents.get(document);
  if (known) return known;
  const text = readFileSync(new URL(`${document}.json`, import.meta.url), 'utf8');
  /** @type {Document} */
  const parsed = JSON.parse(text);
  documents.set(document, parsed);
  return parsed;
}

/** In the data files of the charts, 0 KB is one byte. @param {readonly number[]} kilobytes @param {readonly number[]} figures */
function rowsOfCurve(kilobytes, figures) {
  return kilobytes.map((size, index) => ({
    payload: size === 0 ? '1 B' : `${size} KB`,
    figure: String(figures[index]),
  }));
}

const bytesOfUnit = {b: 1, chars: 1, kb: 1024, m: 1024 ** 2};

/**
 * The size of a record set is part of its scenario: 72591 rows 4.086M. The payload small is the beginning of a curve, at one byte.
 * @param {{payload: string, scenario: string}} figure
 */
function payloadBytesOf({payload, scenario}) {
  if (payload === 'small') return 1;
  const [, number, unit] =
    /^([\d.]+) ?(kb|b|chars)\b/i.exec(payload) ?? / ([\d.]+)(M)\b/.exec(scenario) ?? [];
  if (number === undefined) return null;
  return Math.round(
    Number(number) * bytesOfUnit[/** @type {keyof typeof bytesOfUnit} */ (unit.toLowerCase())],
  );
}

/** @param {string} figure */
function numberOf(figure) {
  const parts = figure.split('/').map(Number);
  if (parts.some(Number.isNaN)) return null;
  return parts.length === 1 ? parts[0] : parts;
}

export const PUBLISHED_SOURCE = publishedSources['perf-battle-readme'];

/**
 * A row of the table of 2016.
 *
 * @typedef {object} PublishedRow
 * @property {number} id number of the row in the source
 * @property {string} facilitator
 * @property {string} environment
 * @property {string} payload
 * @property {string | null} persistent `Yes`, `No`, or null if it has no meaning
 * @property {Record<'t2.micro' | 'm4.xlarge', {printed: string, ms: number} | null>} rtt mean round-trip times as the source prints
 *   them, with their unit, and in milliseconds; null if the source has no figure
 */

/**
 * Returns the reference rows that were published in 2016. This program did not measure them.
 * @returns {PublishedRow[]} a copy for the caller, in the order of the source
 */
export function publishedRows() {
  /** @type {Map<number, PublishedRow>} */
  const rows = new Map();
  for (const {source, system, scenario, environment: place, payload, figure, value, unit} of publishedFigures(
    'perf-battle-readme',
  )) {
    const [, environment, machine] = partsOf(/^(.+) \/ (t2\.micro|m4\.xlarge) column$/, place);
    const id = Number(partsOf(/^document row (\d+)$/, source)[1]);
    const persistent = partsOf(/, persistent=(.+)$/, scenario)[1];
    const row = rows.get(id) ?? {
      ...{id, facilitator: system, environment, payload},
      persistent: persistent === 'N/A' ? null : persistent,
      rtt: {'t2.micro': null, 'm4.xlarge': null},
    };
    row.rtt[/** @type {keyof PublishedRow['rtt']} */ (machine)] = {
      printed: `${figure} ${unit}`,
      ms: /** @type {number} */ (value),
    };
    rows.set(id, row);
  }
  return [...rows.values()];
}

/** @param {RegExp} pattern @param {string} text @returns {string[]} */
function partsOf(pattern, text) {
  const parts = pattern.exec(text);
  if (!parts)
    throw new TypeError(`${JSON.stringify(text)} is not a valid text in a row of the table of 2016.`);
  return parts;
}
