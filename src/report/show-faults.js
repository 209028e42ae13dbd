import {formatRate, formatShortMs} from '../columns/figures.js';
import {logIn} from '../errors.js';
import {concernsRow, exitOfFaults, wordsOn} from '../faults/conclude.js';
import {faultNamed, targetIn} from '../faults/faults.js';
import {highest} from '../stats/numbers.js';
import {widthOf, wrapIndented} from '../text/lines.js';
import {toCsv} from './for-programs.js';
import {textTable} from './tables/text-table.js';
import {painter, plainText} from './terminal.js';

/**
 * @import {Account, Conclusion, FoundFaults, Summary, Timeline} from '../faults/found.js'
 * @import {FaultName} from '../faults/faults.js'
 */

/**
 * Prints the effects of the faults: a table, a sentence for each row, and the faults that were not tried.
 * @param {{found: Pick<FoundFaults, 'notTried'>, conclusions: readonly Conclusion[], nameOf: (row: Conclusion['row']) => string,
 *   asked?: readonly FaultName[], isRecorded?: boolean}} shown asked: by name; isRecorded: whether the run is over, so that its exit code does not matter
 * @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>} stream
 */
export function showFaults({found, conclusions, nameOf, asked = [], isRecorded = false}, stream) {
  const width = widthOf(stream);
  const paint = painter(stream);
  const done = conclusions.flatMap(({faults}) => faults);
  const names = [...new Set(done.map(({fault}) => fault))];
  const outcomes = names.map((fault) => ({
    heading: fault,
    isText: true,
    wraps: true,
    cells: conclusions.map(({faults}) => outcomeText(faults.find((one) => one.fault === fault))),
  }));
  const outages = {
    heading: 'outage s',
    priority: 3,
    cells: conclusions.map(({faults}) => outageText(faults)),
  };
  const {lines, dropped} = textTable(
    [
      {...namesOf(conclusions, nameOf), isText: true, wraps: true, leastWidth: leastNameWidth},
      {
        heading: 'Class',
        isText: true,
        wraps: true,
        cells: conclusions.map((one) => (one.error ? 'failed' : (one.guarantee ?? 'not shown'))),
        maxWidth: maxClassWidth,
        leastWidth: leastClassWidth,
      },
      {
        heading: 'RTT ms',
        priority: 1,
        cells: conclusions.map(({evidence}) => formatShortMs(evidence?.rttMs ?? null)),
      },
      {
        heading: 'msgs/s',
        priority: 2,
        cells: conclusions.map(({evidence}) =>
          evidence?.ratePerSecond ? formatRate(evidence.ratePerSecond) : 'n/a',
        ),
      },
      ...outcomes,
      ...(hasOutage(conclusions) ? [outages] : []),
    ],
    width,
  );
  const sentences = conclusions.flatMap((one) => [
    `${nameOf(one.row)}: ${one.sentence}.`,
    ...logIn(one.error?.message ?? ''),
  ]);
  const unread = conclusions.flatMap((one) => unreadOf(nameOf(one.row), one.faults));
  const late = conclusions.flatMap((one) => lateLoads(nameOf(one.row), one.faults));
  const {sentence: exit} = exitOfFaults(conclusions, nameOf, asked);
  const narrow =
    dropped.length === 0 ? [] : [`Columns that do not fit in ${width} characters: ${dropped.join(', ')}`];
  const missing = found.notTried.map(({fault, why}) => `${fault}: not tried (${why}).`);
  const wrapped = (/** @type {readonly string[]} */ texts) =>
    texts.flatMap((text) => wrapIndented(text, width));
  const [head, ...rows] = lines;
  const charts = conclusions.flatMap((one) =>
    one.faults.flatMap((fault) => chartOf({name: nameOf(one.row), row: one.row}, fault, width)),
  );
  const parts = [
    [paint('bold', head), ...rows, ...wrapped(narrow)],
    wrapped([...sentences, ...unread, ...late]),
    ...charts,
    wrapped([...missing, ...limitsOf(found, done)]),
    wrapped(exit === null || isRecorded ? [] : [exit]),
  ];
  const shown = parts.filter((part) => part.length > 0).map((part) => part.join('\n'));
  stream.write(`\n${shown.join('\n\n')}\n`);
}

/** @param {{run: {runId: string}}} shown a run of a journal without its end */
export function describeInterrupted({run: {runId}}) {
  return `The run of faults ${runId} was interrupted, or still runs.`;
}

/**
 * Lists why messages could not be read, each reason of a fault once.
 * @param {string} name of the row @param {Conclusion['faults']} faults @returns {string[]}
 */
function unreadOf(name, faults) {
  return faults.flatMap(({fault, why, found}) => {
    const reasons = new Set(
      [why, ...found.map(({unavailable}) => unavailable)].flatMap((text) => text ?? []),
    );
    return [...reasons].map((reason) => `${name}, ${fault}: ${plainText(reason)}.`);
  });
}

/** A busy host may delay a load by less. */
const lateMs = 250;

/**
 * Names the loads that a row did not sustain before the fault.
 * @param {string} name of the row @param {readonly Pick<Summary, 'fault' | 'timeline'>[]} faults @returns {string[]}
 */
export function lateLoads(name, faults) {
  return faults.flatMap(({fault, timeline: {rate, behindMs}}) =>
    rate && behindMs && behindMs > lateMs
      ? [
          `${name}, ${fault}: the load of ${Number(rate)}/s was ${(behindMs / 1000).toFixed(1)} s late before the fault, so its times include a backlog. Use a lower --rate.`,
        ]
      : [],
  );
}

/**
 * Returns the first column. If all rows have the same transport, its name is the heading.
 * @param {readonly Conclusion[]} conclusions @param {(row: Conclusion['row']) => string} nameOf
 */
function namesOf(conclusions, nameOf) {
  const labels = conclusions.map(({row}) => row.labels);
  const [{facilitator}] = labels;
  const details = labels.map(({qualifier, settings}) => [qualifier, ...settings].filter(Boolean).join(', '));
  const isShared = labels.every((one) => one.facilitator === facilitator) && details.every(Boolean);
  return isShared
    ? {heading: facilitator, cells: details}
    : {heading: 'Row', cells: conclusions.map(({row}) => nameOf(row))};
}

/** A longer class is broken into several lines. */
const maxClassWidth = 18;
const leastClassWidth = 15;
const leastNameWidth = 10;

const bars = '▁▂▃▄▅▆▇█';

/**
 * Draws the good replies of a load and its response times over time, and marks the time in which the fault's target was down.
 * @param {{name: string, row: Conclusion['row']}} of
 * @param {Summary} summary @param {number} width of the terminal @returns {string[][]} one part with its lines; empty if the fault does not interrupt the load
 */
function chartOf({name, row}, {fault, outageMs, outageEnd, timeline}, width) {
  if (outageEnd === 'none') return [];
  const {partMs, isConfirmed, goodPerSecond, worstMs} = timeline;
  const during = goodPerSecond.map((_, part) => (isDuringFault(timeline, part) ? '×' : ' '));
  const most = formatRate(Math.max(...goodPerSecond));
  const worst = formatShortMs(Math.max(...worstMs.map((ms) => ms ?? 0)));
  const rows = [
    {
      bars: barsOf(goodPerSecond),
      label: `${countedIn({fault, row}, timeline)} in ${partMs} ms, at most ${most}/s`,
    },
    ...(isConfirmed
      ? [{bars: barsOf(worstMs), label: `${wordsOn(row).worst} in ${partMs} ms, at most ${worst} ms`}]
      : []),
  ];
  const fits = rows.every(({bars: drawn, label}) => drawn.length + label.length + 4 <= width);
  return [
    [
      `${name}, ${fault}: outage ${outageMs === null ? 'no end' : `${(outageMs / 1000).toFixed(2)} s`}`,
      ...rows.flatMap(({bars: drawn, label}) =>
        fits ? [`  ${drawn}  ${label}`] : [`  ${label}:`, `  ${drawn.trimEnd()}`],
      ),
      `  ${during.join('').trimEnd()}`,
    ],
  ];
}

/** Draws a bar for each value, from 0 to the largest value. @param {readonly (number | null)[]} values */
function barsOf(values) {
  const most = Math.max(Number.MIN_VALUE, ...values.map((value) => value ?? 0));
  return values
    .map((value) =>
      value === null || value === 0
        ? ' '
        : bars[Math.min(bars.length - 1, Math.floor((value / most) * bars.length))],
    )
    .join('');
}

/** Names the unit that a load over time counts. @param {{fault: FaultName, row: Conclusion['row']}} of @param {Timeline} timeline */
export function countedIn({fault, row}, {isConfirmed}) {
  if (targetIn(faultNamed(fault), row) === 'consumer') return 'messages consumed';
  if (row.subscribers !== undefined) return 'messages that all subscribers had';
  if (row.isOneWay) return 'messages that arrived';
  return isConfirmed ? 'good replies' : 'messages sent';
}

/** Returns whether the fault's target was down within a part of a load. @param {Timeline} timeline @param {number} part */
export function isDuringFault({partMs, faults}, part) {
  return faults.some(({fromMs, untilMs}) => (part + 1) * partMs > fromMs && part * partMs < untilMs);
}

/**
 * Lists why a broker took no messages, and what the completed faults do not show.
 * @param {Pick<FoundFaults, 'notTried'>} found @param {readonly Pick<Summary, 'fault' | 'isThroughProxy' | 'alarm'>[]} done the completed faults
 */
export function limitsOf({notTried}, done) {
  const isCut = done.some(({fault}) => fault === 'power-loss');
  const proxied = [...new Set(done.filter((one) => one.isThroughProxy).map(({fault}) => fault))];
  const alarms = done.flatMap(({fault, alarm}) =>
    alarm === undefined ? [] : [`${fault}: the broker took no messages: ${plainText(alarm)}.`],
  );
  return [
    ...new Set(alarms),
    ...(proxied.length > 0
      ? [
          `Under ${proxied.join(' and ')}, the connections went through a proxy of perf-battle, which adds to each round trip.`,
        ]
      : []),
    ...(isCut
      ? [
          'A power cut is a copy of the disk at one moment, with all bytes that the kernel has handed to the device. So a loss is real, but a kept message proves nothing for a device that loses its own cache.',
        ]
      : []),
    ...(notTried.some(({fault}) => fault === 'power-loss')
      ? [
          'A crash of the broker alone does not show whether a message was on the disk: the page cache survives it.',
        ]
      : []),
  ];
}

/** @param {Summary | undefined} summary undefined if the row did not get the fault @returns {string} the lost messages, such as 3 of 100 */
export function outcomeText(summary) {
  if (summary === undefined) return 'n/a';
  const {outcome, lost, of, tries, unavailable} = summary;
  if (outcome === 'not tried') return 'not tried';
  const failed = unavailable > 0 ? `unavailable ${unavailable} of ${tries} times` : null;
  const counted =
    lost === null ? null : lost === 0 ? `0 of ${of}` : lost === of ? `all ${of}` : `${lost} of ${of}`;
  return [counted, failed].filter((part) => part !== null).join(', ');
}

/** Returns whether a fault interrupted the load of a row. @param {readonly Pick<Conclusion, 'faults'>[]} conclusions */
export function hasOutage(conclusions) {
  return conclusions.some(({faults}) => faults.some(({outageEnd}) => outageEnd !== 'none'));
}

/** @param {readonly Pick<Summary, 'outageMs' | 'outageEnd'>[]} faults of a row @returns {string} the longest outage in s */
export function outageText(faults) {
  const interrupting = faults.filter(({outageEnd}) => outageEnd !== 'none');
  if (interrupting.length === 0) return 'n/a';
  if (interrupting.some(({outageEnd}) => outageEnd === 'open')) return 'no end';
  return (highest(interrupting.map(({outageMs}) => outageMs ?? 0)) / 1000).toFixed(2);
}

const counts = /** @type {const} */ ([
  ...['sent', 'confirmed', 'refused', 'open'],
  ...['received', 'acknowledged', 'confirmedLost', 'unconfirmedReceived'],
]);

/**
 * Returns a line of comma-separated values for each fault of a row, also for one that was not tried.
 * @param {{conclusions: readonly Conclusion[], nameOf: (row: Conclusion['row']) => string, found?: Pick<FoundFaults, 'notTried'>,
 *   applies?: (fault: FaultName, row: Conclusion['row']) => boolean}} shown @param {string} separator
 */
export function faultsCsv({conclusions, nameOf, found = {notTried: []}, applies = () => false}, separator) {
  const lines = conclusions.flatMap((one) => {
    /** @type {(Partial<Summary> & {notTried?: string})[]} */
    const summaries = [...one.faults];
    const {row, error} = one;
    for (const missing of error === null ? found.notTried : [])
      if (applies(missing.fault, row) && concernsRow(missing, row))
        summaries.push({fault: missing.fault, notTried: missing.why});
    return (summaries.length > 0 ? summaries : [null]).map((summary) => ({one, summary}));
  });
  return toCsv(
    [
      ['row', ({one}) => nameOf(one.row)],
      ['class', ({one}) => one.guarantee ?? ''],
      ['rttMs', ({one}) => one.evidence?.rttMs ?? null],
      ['messagesPerSecond', ({one}) => one.evidence?.ratePerSecond ?? null],
      ['dirtiedBytesPerMessage', ({one}) => one.evidence?.dirtiedBytesPerMessage ?? null],
      ['flushesPerMessage', ({one}) => one.evidence?.flushesPerMessage ?? null],
      ['fault', ({summary}) => summary?.fault ?? null],
      ['outcome', ({summary}) => (summary?.notTried ? 'not tried' : (summary?.outcome ?? null))],
      ['tries', ({summary}) => summary?.tries ?? null],
      ['lost', ({summary}) => summary?.lost ?? null],
      ['of', ({summary}) => summary?.of ?? null],
      ['unavailable', ({summary}) => summary?.unavailable ?? null],
      ['outageMs', ({summary}) => summary?.outageMs ?? null],
      ['error', ({one}) => one.error?.code ?? null],
      ['sentence', ({one}) => one.sentence],
      ['outageEnd', ({summary}) => summary?.outageEnd ?? null],
      ...counts.map((name) => countColumn(name)),
      ['notTried', ({summary}) => summary?.notTried ?? null],
      countColumn('retried'),
    ],
    lines,
    separator,
  );
}

/** @param {keyof Account} name @returns {[heading: string, read: (line: {summary: Partial<Summary> | null}) => number | null]} */
function countColumn(name) {
  return [name, ({summary}) => summary?.account?.[name] ?? null];
}
