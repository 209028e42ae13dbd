import assert from 'node:assert/strict';
import {test} from 'node:test';
import {formatMetrics} from '../../../src/exports/prometheus/metrics.js';
import {completedRecord} from '../completed-record.js';

const measured = {
  transport: 'rabbitmq',
  variant: {},
  rtt: {meanMs: 0.25, ci95Ms: [0.2, 0.3], p50Ms: 0.125, p90Ms: 0.31, p95Ms: 0.4, p99Ms: 0.5, p999Ms: null},
  cpu: {client: {microsPerMessage: 100}, server: {microsPerMessage: null}, broker: null},
  floor: {meanMs: 0.05, ratio: 5},
  verdict: {status: 'wide', warnings: []},
};

test('a cell has a line for each figure that is known, in seconds', () => {
  const cell =
    'transport="rabbitmq",variant="RabbitMQ mode 1",workload="rtt",payload_bytes="1024",environment="local",machine="AMD EPYC"';
  const lines = formatMetrics([completedRecord(measured)])
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  assert.deepEqual(lines, [
    `perf_battle_rtt_seconds{${cell}} 0.00025`,
    `perf_battle_rtt_low_seconds{${cell}} 0.0002`,
    `perf_battle_rtt_high_seconds{${cell}} 0.0003`,
    `perf_battle_rtt_quantile_seconds{${cell},quantile="0.5"} 0.000125`,
    `perf_battle_rtt_quantile_seconds{${cell},quantile="0.9"} 0.00031`,
    `perf_battle_rtt_quantile_seconds{${cell},quantile="0.95"} 0.0004`,
    `perf_battle_rtt_quantile_seconds{${cell},quantile="0.99"} 0.0005`,
    `perf_battle_messages_per_second{${cell}} 1234.5`,
    `perf_battle_cpu_seconds_per_message{${cell},role="client"} 0.0001`,
    `perf_battle_floor_ratio{${cell}} 5`,
    `perf_battle_trials{${cell}} 0`,
    `perf_battle_valid{${cell},verdict="wide"} 0`,
    `perf_battle_completed{${cell}} 1`,
  ]);
});

test('a failed cell says that it failed, and nothing else', () => {
  const text = formatMetrics([completedRecord({...measured, outcome: 'failed'})]);
  assert.match(
    text,
    /^# HELP perf_battle_completed .*\n# TYPE perf_battle_completed gauge\nperf_battle_completed\{.*\} 0\n$/,
  );
  assert.equal(formatMetrics([]), '');
});

test('cells that differ in their rate alone have series of their own', () => {
  const cells = [100, 200].map((rate) => completedRecord({...measured, variant: {rate}}));
  const lines = formatMetrics(cells).split('\n');
  assert.equal(new Set(lines).size, lines.length);
  assert.ok(lines.some((line) => line.includes('offered_per_second="200"')));
});

test('a figure without an end has no line', () => {
  const throughput = {messagesPerSecond: Number.POSITIVE_INFINITY};
  const text = formatMetrics([completedRecord({...measured, throughput, floor: {ratio: Number.NaN}})]);
  assert.doesNotMatch(text, /Inf|NaN|messages_per_second\{|floor_ratio\{/);
});
