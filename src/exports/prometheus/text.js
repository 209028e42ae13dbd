import {nameOfVariant} from '../../columns/names.js';

/** @import {CellRecord, CompletedRecord} from '../../results/record-schema.js' */

/**
 * A gauge: its values in a record, by the labels that they have beside those of the cell.
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

/** Times are in seconds, as Prometheus has them. @type {readonly Gauge[]} */
const gauges = [
  {
    name: 'perf_battle_rtt_seconds',
    help: 'Mean round trip.',
    values: ({rtt}) => [[{}, secondsOf(rtt?.meanMs)]],
  },
  {
    name: 'perf_battle_rtt_low_seconds',
    help: 'Lower bound of the 95 % confidence interval of the mean round trip.',
    values: ({rtt}) => [[{}, secondsOf(rtt?.ci95Ms?.[0])]],
  },
  {
    name: 'perf_battle_rtt_high_seconds',
    help: 'Upper bound of the 95 % confidence interval of the mean round trip.',
    values: ({rtt}) => [[{}, secondsOf(rtt?.ci95Ms?.[1])]],
  },
  {
    name: 'perf_battle_rtt_quantile_seconds',
    help: 'Quantile of the round trips.',
    values: ({rtt}) => quantiles.map(([quantile, key]) => [{quantile}, secondsOf(rtt?.[key])]),
  },
  {
    name: 'perf_battle_messages_per_second',
    help: 'Messages per second of the timed part.',
    values: ({throughput}) => [[{}, throughput.messagesPerSecond]],
  },
  {
    name: 'perf_battle_cpu_seconds_per_message',
    help: 'CPU time for a message.',
    values: ({cpu}) =>
      roles.map((role) => {
        const micros = cpu[role]?.microsPerMessage;
        return [{role}, micros == null ? null : micros / 1e6];
      }),
  },
  {
    name: 'perf_battle_floor_ratio',
    help: 'Time divided by that of raw TCP in the same battle.',
    values: ({floor}) => [[{}, floor?.ratio]],
  },
  {
    name: 'perf_battle_trials',
    help: 'Trials that were measured.',
    values: ({trials}) => [[{}, trials.length]],
  },
  {
    name: 'perf_battle_valid',
    help: '1 if the verdict is valid, 0 if it is wide or suspect.',
    values: ({verdict}) => [[{verdict: verdict.status}, verdict.status === 'valid' ? 1 : 0]],
  },
];

/**
 * The records in the text format of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/). A figure that is not known
 * has no line.
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

/** What tells the cells of a battle apart, and where they ran. @param {CellRecord} record @returns {Record<string, string>} */
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
