import {counted, nameOfCell} from '../columns/names.js';
import {formatBytes} from '../payload/bytes.js';
import {ascending} from '../stats/numbers.js';
import {thresholds} from '../stats/thresholds.js';
import {warnings as declared} from '../verdict/warnings.js';

/** @import {CellRecord, CompletedRecord} from '../results/record-schema.js' */

/**
 * Returns the notes below the tables of a battle: failed cells, the number of valid cells, and a note for each kind of warning.
 * @param {readonly CellRecord[]} records
 * @param {{notes: readonly string[], detail: boolean}} more notes: paragraphs on the transports that took part; detail: whether the reasons of
 *   each cell follow
 */
export function battleNotes(records, {notes, detail}) {
  const completed = records.filter((record) => record.outcome === 'completed');
  const failed = records.flatMap((record) =>
    record.outcome === 'failed' ? [`Failed: ${nameOfCell(record)}: ${record.error.message}`] : [],
  );
  return [
    ...notes,
    ...classNote(completed),
    ...clockNote(completed),
    ...linkNote(completed),
    ...distanceNote(completed),
    ...failed,
    ...verdictNotes(completed, {detail, failed: failed.length}),
  ];
}

/**
 * Returns the warning on a battle whose tables are not shown.
 * @param {readonly CellRecord[]} records @returns {string | null} null if no figure is suspect
 */
export function suspectNote(records) {
  const completed = records.filter((record) => record.outcome === 'completed');
  const suspects = completed.filter(({verdict}) => verdict.status === 'suspect');
  if (suspects.length === 0) return null;
  const isOfLevel = (/** @type {string} */ code) =>
    (declared.find((warning) => warning.code === code)?.level ?? 'suspect') === 'suspect';
  const codes = suspects.flatMap(({verdict: {warnings}}) => warnings.map(({code}) => code)).filter(isOfLevel);
  return `${suspects.length} of ${counted(completed.length, 'cell')} ${suspects.length === 1 ? 'is' : 'are'} suspect (${[...new Set(codes)].join(', ')}). The reasons: perf-battle table --detail`;
}

/** @param {readonly CompletedRecord[]} completed */
function classNote(completed) {
  const runs = new Set(completed.flatMap(({guarantee}) => guarantee?.startedAt.slice(0, 10) ?? []));
  if (runs.size === 0) return [];
  return [
    `Class: what the acknowledgement of a message is worth, as perf-battle faults measured it (${[...runs].toSorted().join(', ')}). Only cells whose messages survive the same faults are ranked.`,
  ];
}

/** Trials that are left out because a hypervisor has moved the cores. @param {readonly CompletedRecord[]} completed */
function distanceNote(completed) {
  const trials = completed.flatMap((record) => record.trials);
  const leftOut = trials.filter(({used, disturbed, coreDistance}) => !used && !disturbed && coreDistance);
  if (leftOut.length === 0) return [];
  return [
    `${leftOut.length} of ${trials.length} trials do not count: a hypervisor had moved the two cores of the host further apart or closer together than in the other trials.`,
  ];
}

/** @param {readonly CompletedRecord[]} completed @param {{detail: boolean, failed: number}} what failed: the number of cells that failed */
function verdictNotes(completed, {detail, failed}) {
  if (completed.length === 0) return [];
  const reasons = reasonsOf(completed);
  const where = detail ? 'The reasons of each cell are below.' : 'For each cell: perf-battle table --detail';
  return [...countNote(completed, failed), ...reasons, ...(reasons.length > 0 ? [where] : [])];
}

/** In descending order of severity. */
const levels = /** @type {const} */ (['suspect', 'wide', 'valid']);

/** @param {readonly CompletedRecord[]} completed @param {number} failed */
function countNote(completed, failed) {
  const statuses = completed.map(({verdict}) => verdict.status);
  const ofRatios = completed.flatMap(({floor}) =>
    floor && floor.ratio !== 1 ? (floor.verdict?.status ?? []) : [],
  );
  const areShown = ofRatios.length > 0 && statuses.some((status) => status !== 'valid');
  const ratios = areShown
    ? [
        `Ratios to raw TCP: ${countsOf(ofRatios)}${ofRatios.includes('suspect') ? ' (?)' : ''}. A load that slows a transport and raw TCP alike does not change their ratio.`,
      ]
    : [];
  const all = `${countsOf(statuses)}${failed > 0 ? `, ${failed} failed` : ''}`;
  return [`${counted(completed.length + failed, 'cell')}: ${all}.`, ...ratios];
}

/** @param {readonly string[]} statuses @returns {string} such as: 3 valid, 1 wide */
function countsOf(statuses) {
  return levels
    .toReversed()
    .flatMap((level) => {
      const count = statuses.filter((status) => status === level).length;
      return count > 0 ? [`${count} ${level}`] : [];
    })
    .join(', ');
}

/**
 * Returns one note for each kind of warning: the code, its condition, the number of cells, and the advice. On a noisy host, one note per
 * cell would fill the screen.
 * @param {readonly CompletedRecord[]} completed
 */
function reasonsOf(completed) {
  const found = completed.flatMap(({config, trials, verdict: {status, warnings}}) =>
    warnings.map((warning) => ({...warning, status, short: shortRoundsOf(config, trials)})),
  );
  const codes = [...new Set(found.map(({code}) => code))];
  const notes = codes.map((code) => {
    const [first, ...more] = found.filter((warning) => warning.code === code);
    // A journal may hold a warning that this version does not declare.
    const kind = declared.find((warning) => warning.code === code);
    const level = kind?.level ?? first.status;
    const defaultMeaning = `${kind ? `${kind.condition}.` : first.message} ${first.advice}`;
    const short = [first, ...more].flatMap((warning) => warning.short ?? []);
    const isQuick = short.length === more.length + 1;
    const rounds = Math.max(...short.map(({count}) => count));
    const meaning = (isQuick && kind?.ofQuick?.(rounds, short[0].areGiven)) || defaultMeaning;
    return {
      level,
      count: more.length + 1,
      text: `${[...new Set([level, code])].join(', ')}, ${countOf([first, ...more], level)}: ${meaning}`,
    };
  });
  return notes
    .toSorted(
      (one, other) => levels.indexOf(one.level) - levels.indexOf(other.level) || other.count - one.count,
    )
    .map(({text}) => text);
}

/** Counts cells with a warning, and those of them whose status has a more severe reason. @param {readonly {status: string}[]} cells @param {string} level */
function countOf(cells, level) {
  const worse = level === 'wide' ? cells.filter(({status}) => status === 'suspect').length : 0;
  const also = worse === 0 ? '' : worse === cells.length ? ', also suspect' : `, ${worse} also suspect`;
  return `${counted(cells.length, 'cell')}${also}`;
}

/** The longest trial of --quick in any version. */
const maxShortMs = 250;
/** A longer budget than that of --quick is the user's, or that of a battle of all transports. */
const maxQuickBudgetMs = 60_000;

/**
 * Returns how many rounds of a cell are short because of --quick, and whether the user gave their number.
 * @param {CompletedRecord['config']} config in older versions, --quick had three rounds @param {readonly {round: number}[]} [trials]
 * @returns {{count: number, areGiven: boolean} | null} null without --quick, and with longer trials or a longer budget
 */
function shortRoundsOf({quick, rounds, durationMs, budgetMs}, trials = []) {
  if (quick !== true || Number(durationMs ?? maxShortMs) > maxShortMs) return null;
  if (Number(budgetMs ?? 0) > maxQuickBudgetMs) return null;
  const {size} = new Set(trials.map(({round}) => round));
  return {count: size || 3, areGiven: rounds !== null && rounds !== undefined && rounds !== 3};
}

/** Returns the error bound of the clocks for one-way latencies between hosts. @param {readonly CompletedRecord[]} completed */
function clockNote(completed) {
  const some = completed.flatMap(({oneWay}) => oneWay ?? []);
  if (some.length === 0) return [];
  const bound = Math.max(...some.map(({clockBoundMs}) => clockBoundMs)).toPrecision(2);
  return [
    `One-way latencies: the measured offset of the hosts' clocks may be wrong by ${bound} ms.`,
    ...(some.some(({withheld}) => withheld)
      ? [
          `Figures below ${thresholds.clockBounds} times that are not known (n/a). Round trips are not affected.`,
        ]
      : []),
  ];
}

/**
 * Names the cells that are limited by the link between the hosts. Their figures are right, but say nothing about the transport.
 * @param {readonly CompletedRecord[]} completed
 */
export function linkNote(completed) {
  const links = completed.flatMap(({link, payloadBytes}) => (link?.isLimit ? {...link, payloadBytes} : []));
  if (links.length === 0) return [];
  const megabits = (Math.max(...links.map(({bytesPerSecond}) => bytesPerSecond)) * 8) / 1e6;
  const least = Math.min(1, ...links.map(({usedShare}) => usedShare));
  const sizes = ascending(links.map(({payloadBytes}) => payloadBytes));
  return [
    `Link-limited: the link carries ${megabits.toPrecision(3)} Mbit/s, and ${counted(links.length, 'cell')} (${sizes.map(formatBytes).join(', ')}) used at least ${Math.floor(least * 100)} % of it.`,
    links.length === 1
      ? 'Its transport waits for the link: the figure says little about the transport.'
      : 'These transports wait for the link: differences between them say little.',
  ];
}
