import {nameOfVariant} from '../columns/names.js';
import {formatBytes} from '../payload/format-bytes.js';
import {thresholds} from '../stats/thresholds.js';

/** @import {CellRecord, CompletedRecord} from '../results/record-schema.js' */

/**
 * The notes below the tables of a battle: which cells failed, which are suspect, and why.
 * @param {readonly CellRecord[]} records
 * @param {readonly CompletedRecord[]} completed the completed ones of them
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

/** At most this many cells are named for one warning; the records and `table --detail` have all of them. */
const maxNamed = 3;

/**
 * One note per warning, with its cells. One note per cell would fill the screen on a noisy host.
 * @param {readonly {record: CompletedRecord, warning: {code: string, message: string, advice: string}}[]} suspect
 */
function suspectNotes(suspect) {
  const codes = [...new Set(suspect.map(({warning}) => warning.code))];
  return codes.flatMap((code) => {
    const same = suspect.filter(({warning}) => warning.code === code);
    const more = same.length - maxNamed;
    return [
      `${code === 'wide' ? 'Wide' : `Suspect (${code})`}: ${same[0].warning.advice}`,
      ...same.slice(0, maxNamed).map(({record, warning}) => `  ${nameOfCell(record)}: ${warning.message}`),
      ...(more > 0 ? [`  and ${more} more cell${more === 1 ? '' : 's'}: perf-battle table --detail`] : []),
    ];
  });
}

/**
 * The error bound of the clocks, beside the one-way latencies between hosts.
 * @param {readonly CompletedRecord[]} completed
 */
function clockNote(completed) {
  const some = completed.flatMap(({oneWay}) => oneWay ?? []);
  if (some.length === 0) return [];
  const bound = formatMs(Math.max(...some.map(({clockBoundMs}) => clockBoundMs)));
  return [
    `One-way latencies: the measured offset of the hosts' clocks may be wrong by ${bound} ms.`,
    ...(some.some(({withheld}) => withheld)
      ? [
          `Figures below ${thresholds.clockBounds} times that are not known (n/a). Round trips are not affected.`,
        ]
      : []),
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
