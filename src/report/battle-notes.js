import {nameOfVariant} from '../columns/names.js';
import {formatBytes} from '../payload/format-bytes.js';

/** @import {CellRecord, CompletedRecord} from '../results/record-schema.js' */

/**
 * What stands below the tables of a battle: what failed, what is suspect and why.
 * @param {readonly CellRecord[]} records
 * @param {readonly CompletedRecord[]} completed those of them that have figures
 * @param {readonly string[]} [notes] lines on the transports that took part
 * @returns {string[]} lines
 */
export function battleNotes(records, completed, notes = []) {
  const failed = records.flatMap((record) =>
    record.outcome === 'failed' ? [`Failed: ${nameOfCell(record)}: ${record.error.message}`] : [],
  );
  const suspect = completed.flatMap((record) =>
    record.verdict.warnings.map((warning) => ({record, warning})),
  );
  return ['', ...notes, ...clockNote(completed), ...failed, ...suspectNotes(suspect)];
}

/** So many cells are named for one warning; all of them stand in the records and in `table --detail`. */
const maxNamed = 3;

/**
 * One note for a warning, with the cells that earned it: on a noisy host they would else fill the screen.
 * @param {readonly {record: CompletedRecord, warning: {code: string, message: string, advice: string}}[]} suspect
 */
function suspectNotes(suspect) {
  const codes = [...new Set(suspect.map(({warning}) => warning.code))];
  return codes.flatMap((code) => {
    const same = suspect.filter(({warning}) => warning.code === code);
    const more = same.length - maxNamed;
    return [
      `Suspect (${code}): ${same[0].warning.advice}`,
      ...same.slice(0, maxNamed).map(({record, warning}) => `  ${nameOfCell(record)}: ${warning.message}`),
      ...(more > 0 ? [`  and ${more} more cell${more === 1 ? '' : 's'}: perf-battle table --detail`] : []),
    ];
  });
}

/**
 * Why the one-way latencies between hosts are missing.
 * @param {readonly CompletedRecord[]} completed
 */
function clockNote(completed) {
  const bounds = completed.flatMap(({oneWay}) => (oneWay?.withheld ? oneWay.clockBoundMs : []));
  if (bounds.length === 0) return [];
  return [
    `One-way latencies are not told: the clocks of the hosts may be ${formatMs(Math.max(...bounds))} ms apart from what was measured,`,
    'and the messages took no longer. Round trips have no such doubt.',
  ];
}

/** @param {number} ms */
function formatMs(ms) {
  return ms.toPrecision(2);
}

/** @param {CellRecord} record */
function nameOfCell({labels, payloadBytes}) {
  return `${nameOfVariant(labels)}, ${formatBytes(payloadBytes)}`;
}
