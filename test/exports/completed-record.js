import {Histogram} from '../../src/stats/histogram.js';

/** @import {CompletedRecord} from '../../src/results/record-schema.js' */

/**
 * A completed record with what reports and exports read of it, and nothing else.
 * @param {Record<string, unknown>} [fields] in place of the usual ones
 * @returns {CompletedRecord}
 */
export function completedRecord(fields = {}) {
  return /** @type {any} */ ({
    outcome: 'completed',
    labels: {facilitator: 'RabbitMQ', qualifier: 'mode 1', settings: [], persistent: 'No'},
    workload: 'rtt',
    payloadBytes: 1024,
    environment: 'local',
    machine: 'AMD EPYC',
    throughput: {messagesPerSecond: 1234.5, bytesPerSecond: 1_264_128},
    phases: {},
    versions: {node: 'v20.20.2'},
    config: {},
    trials: [],
    ...fields,
  });
}

/**
 * @param {readonly number[]} nanoseconds the samples
 * @param {Record<string, unknown>} [fields] in place of the usual ones
 */
export function trialOf(nanoseconds, fields = {}) {
  const histogram = new Histogram();
  for (const value of nanoseconds) histogram.add(value);
  return {used: true, wallMs: 100, startedAt: '2026-01-02T03:04:05.678Z', ...histogram.encode(), ...fields};
}
