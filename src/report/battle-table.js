import {styleText} from 'node:util';
import Table from 'cli-table3';
import {formatBytes} from '../payload/format-bytes.js';
import {liesBelow} from '../stats/interval.js';
import {formatCpu, formatFloor, formatMean, formatMs, formatRate} from './figures.js';
import {nameOfVariant} from './names.js';

/** @typedef {import('../results/record-schema.js').CellRecord} CellRecord */
/** @typedef {import('../results/record-schema.js').CompletedRecord} CompletedRecord */

/**
 * The table of a battle on a terminal: a block for each payload, the fastest first, so that one sees who wins by how much;
 * below it what failed, what is suspect and why.
 *
 * @param {readonly CellRecord[]} records of one battle
 * @param {{machine: string, environment: string}} battle
 * @param {NodeJS.WriteStream} stream
 */
export function printTable(records, battle, stream) {
  const paint = painter(stream);
  const completed = records.filter((record) => record.outcome === 'completed');
  if (completed.length > 0) {
    stream.write(`\nMean round-trip times in ms ± 95 % interval, ${battle.environment}, ${battle.machine}\n`);
    stream.write(`${makeTable(completed, paint)}\n`);
  }
  for (const line of notes(records, completed)) stream.write(`${line}\n`);
}

/** @typedef {(format: 'green' | 'yellow' | 'bold' | 'dim', text: string) => string} Paint */

/** Colours only for a terminal that wants them. @param {NodeJS.WriteStream} stream @returns {Paint} */
function painter(stream) {
  const colours = stream.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  return (format, text) => (colours ? styleText(format, text) : text);
}

const headings = [
  'Payload',
  'Transport',
  'Mean ± 95 %',
  'vs fastest',
  'p50',
  'p99',
  '× floor',
  'msgs/s',
  'CPU µs/msg',
  'Verdict',
];

/** @param {readonly CompletedRecord[]} records @param {Paint} paint */
function makeTable(records, paint) {
  const table = new Table({
    head: headings,
    chars: borders,
    style: {head: [], border: [], 'padding-left': 0, 'padding-right': 2, compact: true},
    colAligns: ['left', 'left', ...Array(7).fill('right'), 'left'],
  });
  const blocks = groupByPayload(records);
  for (const block of blocks) {
    if (table.length > 0) table.push(headings.map(() => ''));
    table.push(...blockRows(block, paint));
  }
  return table.toString().replace(/ +$/gm, '');
}

const borders = {
  ...{
    top: '',
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
  },
  ...{left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: ''},
};

/** @param {readonly CompletedRecord[]} records @returns {CompletedRecord[][]} the fastest of each payload first */
function groupByPayload(records) {
  /** @type {Map<string, CompletedRecord[]>} */
  const blocks = new Map();
  for (const record of records) {
    const key = `${record.workload} ${record.payloadBytes}`;
    blocks.set(key, [...(blocks.get(key) ?? []), record]);
  }
  return [...blocks.values()].map((block) => block.sort((one, other) => one.rtt.meanMs - other.rtt.meanMs));
}

/** @param {readonly CompletedRecord[]} block @param {Paint} paint */
function blockRows(block, paint) {
  const fastest = block.find((record) => record.transport !== 'tcp');
  return block.map((record, index) => {
    const {rtt, throughput, floor, verdict} = record;
    const standing = standingOf(record, fastest);
    return [
      index === 0 ? paint('bold', formatBytes(record.payloadBytes)) : '',
      nameOfVariant(record.labels),
      formatMean(rtt),
      standing === 'fastest' ? paint('green', standing) : standing,
      formatMs(rtt.p50Ms),
      formatMs(rtt.p99Ms),
      formatFloor(floor),
      formatRate(throughput.messagesPerSecond),
      formatCpu(record),
      verdict.status === 'valid' ? 'valid' : paint('yellow', 'suspect'),
    ];
  });
}

/**
 * How a cell stands beside the fastest transport: a difference is shown only when the intervals are apart, and nothing can be
 * said of a single trial.
 * @param {CompletedRecord} record
 * @param {CompletedRecord | undefined} fastest
 */
function standingOf(record, fastest) {
  if (record.transport === 'tcp' || !fastest) return 'floor';
  if (record === fastest) return 'fastest';
  if (fastest.rtt.ci95Ms === null || record.rtt.ci95Ms === null) return 'n/a';
  if (!liesBelow(fastest.rtt.ci95Ms, record.rtt.ci95Ms)) return '≈ same';
  const more = record.rtt.meanMs / fastest.rtt.meanMs - 1;
  return more >= 1 ? `${(more + 1).toFixed(1)}×` : `+${(more * 100).toFixed(0)} %`;
}

/** @param {readonly CellRecord[]} records @param {readonly CompletedRecord[]} completed */
function notes(records, completed) {
  const failed = records.flatMap((record) =>
    record.outcome === 'failed' ? [`Failed: ${nameOfCell(record)}: ${record.error.message}`] : [],
  );
  const suspect = completed.flatMap((record) =>
    record.verdict.warnings.map((warning) => ({record, warning})),
  );
  return ['', ...persistenceNote(completed), ...failed, ...suspectNotes(suspect)];
}

/** So many cells are named for one warning; all of them stand in the records and in `table --detail`. */
const mostNamed = 3;

/**
 * One note for a warning, with the cells that earned it: on a noisy host they would else fill the screen.
 * @param {readonly {record: CompletedRecord, warning: {code: string, message: string, advice: string}}[]} suspect
 */
function suspectNotes(suspect) {
  const codes = [...new Set(suspect.map(({warning}) => warning.code))];
  return codes.flatMap((code) => {
    const same = suspect.filter(({warning}) => warning.code === code);
    const more = same.length - mostNamed;
    return [
      `Suspect (${code}): ${same[0].warning.advice}`,
      ...same.slice(0, mostNamed).map(({record, warning}) => `  ${nameOfCell(record)}: ${warning.message}`),
      ...(more > 0 ? [`  and ${more} more cell${more === 1 ? '' : 's'}: perf-battle table --detail`] : []),
    ];
  });
}

/**
 * Why mode 2 may seem to cost nothing.
 * @param {readonly CompletedRecord[]} completed
 */
function persistenceNote(completed) {
  const misleading = completed.some(
    ({labels, variant}) => labels.persistent === 'Yes' && variant.acknowledgement === 'auto',
  );
  if (!misleading) return [];
  return [
    'RabbitMQ mode 2 with automatic acknowledgement: the broker hands a message over without waiting for the disk, so',
    'persistence costs next to nothing here, and protects as little. --rabbitmq-confirms on measures what it costs.',
  ];
}

/** @param {CellRecord} record */
function nameOfCell({labels, payloadBytes}) {
  return `${nameOfVariant(labels)}, ${formatBytes(payloadBytes)}`;
}
