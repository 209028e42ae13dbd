import {once} from 'node:events';
import {createServer} from 'node:http';
import {nameOfVariant} from '../../columns/names.js';
import {RunError} from '../../errors.js';
import {loopbackAddress} from '../../measure/network.js';

/**
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 * @import {AddressInfo} from 'node:net'
 */

/**
 * A gauge. `values` returns its values in a record, each with the labels that are added to the labels of the cell.
 * @typedef {{name: string, help: string, values: (record: CompletedRecord) => [Record<string, string>, number | null | undefined][]}} Gauge
 */

const quantiles = /** @type {const} */ ([
  ['0.5', 'p50Ms'],
  ['0.9', 'p90Ms'],
  ['0.95', 'p95Ms'],
  ['0.99', 'p99Ms'],
  ['0.999', 'p999Ms'],
]);
const roles = /** @type {const} */ (['client', 'server', 'broker']);

/** Times are in seconds, as in Prometheus. @type {readonly Gauge[]} */
const gauges = [
  single('perf_battle_rtt_seconds', 'Mean round trip.', ({rtt}) => secondsOf(rtt?.meanMs)),
  single(
    'perf_battle_rtt_low_seconds',
    'Lower bound of the 95 % confidence interval of the mean round trip.',
    ({rtt}) => secondsOf(rtt?.ci95Ms?.[0]),
  ),
  single(
    'perf_battle_rtt_high_seconds',
    'Upper bound of the 95 % confidence interval of the mean round trip.',
    ({rtt}) => secondsOf(rtt?.ci95Ms?.[1]),
  ),
  {
    name: 'perf_battle_rtt_quantile_seconds',
    help: 'Quantile of the round trips.',
    values: ({rtt}) => quantiles.map(([quantile, key]) => [{quantile}, secondsOf(rtt?.[key])]),
  },
  single(
    'perf_battle_messages_per_second',
    'Messages per second of the timed part.',
    ({throughput}) => throughput.messagesPerSecond,
  ),
  {
    name: 'perf_battle_cpu_seconds_per_message',
    help: 'CPU time for a message.',
    values: ({cpu}) =>
      roles.map((role) => {
        const micros = cpu[role]?.microsPerMessage;
        return [{role}, micros == null ? null : micros / 1e6];
      }),
  },
  single(
    'perf_battle_floor_ratio',
    'Time divided by that of raw TCP in the same battle.',
    ({floor}) => floor?.ratio,
  ),
  single('perf_battle_trials', 'Trials that were measured.', ({trials}) => trials.length),
  {
    name: 'perf_battle_valid',
    help: '1 if the verdict is valid, 0 if it is wide or suspect.',
    values: ({verdict}) => [[{verdict: verdict.status}, verdict.status === 'valid' ? 1 : 0]],
  },
];

/** A gauge with a single value. @param {string} name @param {string} help @param {(record: CompletedRecord) => number | null | undefined} read @returns {Gauge} */
function single(name, help, read) {
  return {name, help, values: (record) => [[{}, read(record)]]};
}

/**
 * Formats records in the text format of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/), without unknown figures.
 * @param {readonly CellRecord[]} records
 */
export function formatMetrics(records) {
  const completed = records.filter((record) => record.outcome === 'completed');
  const blocks = gauges.map(({name, help, values}) => ({
    ...{name, help},
    samples: completed.flatMap((record) =>
      values(record).flatMap(([labels, value]) =>
        value == null || !Number.isFinite(value) ? [] : [{labels: {...labelsOf(record), ...labels}, value}],
      ),
    ),
  }));
  const outcomes = records.map((record) => ({
    labels: labelsOf(record),
    value: record.outcome === 'completed' ? 1 : 0,
  }));
  const all = [
    ...blocks,
    {name: 'perf_battle_completed', help: '1 if the cell has figures, 0 if it has none.', samples: outcomes},
  ];
  return all
    .filter(({samples}) => samples.length > 0)
    .map(blockText)
    .join('');
}

/** @param {{name: string, help: string, samples: {labels: Record<string, string>, value: number}[]}} block */
function blockText({name, help, samples}) {
  const lines = samples.map(({labels, value}) => `${name}{${labelsText(labels)}} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}

/** The labels that identify a cell of a battle and its place. @param {CellRecord} record @returns {Record<string, string>} */
function labelsOf({transport, labels, workload, payloadBytes, environment, machine, variant}) {
  const {rate} = variant;
  return {
    ...{transport, variant: nameOfVariant(labels), workload, payload_bytes: String(payloadBytes)},
    ...(typeof rate === 'number' && {offered_per_second: String(rate)}),
    ...{environment, machine: machine ?? 'unknown'},
  };
}

/** @param {Record<string, string>} labels */
function labelsText(labels) {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',');
}

/** @param {number | null | undefined} ms */
function secondsOf(ms) {
  return ms == null ? null : ms / 1000;
}

/** Only this host can reach the endpoint, because the figures name machines and settings. */
const address = loopbackAddress();
const contentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Serves the figures of a running battle to Prometheus. The text is made in advance, so a scrape takes almost no CPU time from the measurement. */
export class MetricsEndpoint {
  #text = '';
  #server = createServer((request, response) => {
    const [path] = (request.url ?? '').split('?');
    if (path === '/metrics') response.writeHead(200, {'content-type': contentType}).end(this.#text);
    else response.writeHead(404).end('The figures are at /metrics.\n');
  });

  /** @param {number} port 0 for any free port @returns {Promise<string>} the URL @throws {RunError} PB_PORT_IN_USE or PB_LISTEN */
  async open(port) {
    this.#server.listen(port, address);
    await once(this.#server, 'listening').catch((error) => {
      throw explain(error, port);
    });
    const {port: own} = /** @type {AddressInfo} */ (this.#server.address());
    return `http://${address.includes(':') ? `[${address}]` : address}:${own}/metrics`;
  }

  /** @param {readonly CellRecord[]} records the records of the battle so far */
  publish(records) {
    this.#text = formatMetrics(records);
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** @param {NodeJS.ErrnoException} error @param {number} port */
function explain(error, port) {
  const code = error.code === 'EADDRINUSE' ? 'PB_PORT_IN_USE' : 'PB_LISTEN';
  return new RunError(
    `The figures cannot be served on port ${port} of ${address} (--metrics-port): ${error.message}.`,
    {code, cause: error},
  );
}
