import {toCsv} from './csv.js';

/** @import {CellRecord, CompletedRecord} from '../results/record-schema.js' */

/** The columns and what they hold: figures with all their digits, and nothing where there is none. @type {readonly [string, (record: CompletedRecord) => unknown][]} */
const columns = [
  ['id', ({id}) => id],
  ['battle', ({battleId}) => battleId],
  ['started_at', ({startedAt}) => startedAt],
  ['environment', ({environment}) => environment],
  ['machine', ({machine}) => machine],
  ['workload', ({workload}) => workload],
  ['transport', ({transport}) => transport],
  ['facilitator', ({labels}) => labels.facilitator],
  ['qualifier', ({labels}) => labels.qualifier],
  ['settings', ({labels}) => labels.settings.join('; ')],
  ['persistent', ({labels}) => labels.persistent.replaceAll('*', '')],
  ['payload_bytes', ({payloadBytes}) => payloadBytes],
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
 * Records as comma-separated values. Times are in ms, CPU per message in µs.
 * @param {readonly CellRecord[]} records
 * @param {string} [separator]
 */
export function recordsCsv(records, separator) {
  return toCsv(
    columns,
    records.filter((record) => record.outcome === 'completed'),
    separator,
  );
}
