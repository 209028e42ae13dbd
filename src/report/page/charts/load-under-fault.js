import {formatRate, formatShortMs} from '../../../columns/figures.js';
import {linearAxis, logAxis} from '../../charts/axis.js';
import {stepChart} from '../../charts/step-chart.js';
import {countedIn, isDuringFault} from '../../show-faults.js';
import {formatMark} from './series.js';

/**
 * @import {Summary} from '../../../faults/found.js'
 * @import {Axis, Chart, Panel} from '../../charts/chart.js'
 */

/** A clock of this resolution may see no time at all, and a logarithmic axis has no place for that. */
const leastMs = 0.01;

/**
 * A load over time while a fault is done to what it uses: the good replies, and the worst response time.
 * @param {Summary} summary @param {{id: string, name: string, isMain: boolean}} what name: of the row
 * @returns {Chart | null} null if the fault does not interrupt the load
 */
export function loadUnderFault({fault, tries, outageMs, outageEnd, timeline}, {id, name, isMain}) {
  if (outageEnd === 'none') return null;
  const {partMs, isConfirmed: isAnswered, goodPerSecond, worstMs, faults} = timeline;
  const worst = worstMs.map((ms) => (ms === null ? null : Math.max(leastMs, ms)));
  const what = countedIn(fault, timeline);
  const parts = goodPerSecond.map((rate, part) => ({
    from: (part * partMs) / 1000,
    until: ((part + 1) * partMs) / 1000,
    rate: formatRate(rate),
    worst: worst[part] === null ? '' : formatShortMs(worst[part]),
    during: isDuringFault(timeline, part) ? `during ${fault}` : '',
  }));
  const bands = {
    name: `${fault}, until what it hit was there again`,
    places: faults.map(({fromMs, untilMs}) => ({from: fromMs / 1000, until: untilMs / 1000})),
  };
  const title = `${name}, ${fault}: ${outageMs === null ? 'an outage did not end' : `outage ${formatSeconds(outageMs / 1000)}`}`;
  return {
    ...{id, title, isMain},
    note: noteOn({tries, isAnswered}),
    draw: (layout) =>
      stepChart(
        {
          ...{title, x: timeAxis(parts[parts.length - 1].until), bands},
          panels: panelsOf(goodPerSecond, worst, `${what} per second`),
          parts: parts.map(({from, until, rate, worst: longest, during}) => {
            const response = longest && `worst response ${longest} ms`;
            const text = [`${rate} ${what}/s`, response, during].filter(Boolean).join(', ');
            return {from, until, text: `${name}, ${periodOf({from, until})}: ${text}`};
          }),
        },
        layout,
      ),
    values: {
      what: `${what} per second${isAnswered ? ' and the worst response time' : ''}, in parts of ${formatSeconds(partMs / 1000)}`,
      columns: [`${what} per second`, ...(isAnswered ? ['worst response, ms'] : []), 'fault'],
      rows: parts.map(({from, until, rate, worst: longest, during}) => ({
        name: periodOf({from, until}),
        cells: [rate, ...(isAnswered ? [longest] : []), during],
      })),
      isFolded: true,
    },
  };
}

/** @param {readonly number[]} rates @param {readonly (number | null)[]} worst @param {string} label @returns {Panel[]} */
function panelsOf(rates, worst, label) {
  const known = worst.filter((ms) => ms !== null);
  const good = {y: linearAxis(rates, {label, format: formatMark}), style: 1, values: rates};
  if (known.length === 0) return [good];
  const y = logAxis(known, {label: 'worst response time, ms', format: formatMark});
  return [good, {y, style: 2, values: worst}];
}

/** From the start of the load to its end, without room behind it. @param {number} end in seconds @returns {Axis} */
function timeAxis(end) {
  const {ticks} = linearAxis([end], {label: '', format: formatMark});
  return {
    label: 'time since the load began, s',
    ticks: ticks.filter(({value}) => value <= end),
    toShare: (value) => value / end,
  };
}

/** @param {{tries: number, isAnswered: boolean}} of */
function noteOn({tries, isAnswered}) {
  return [
    ...(tries > 1 ? [`The outage is the longest of ${tries}.`] : []),
    isAnswered
      ? 'A response time counts from when its message was due, so it includes the outage. Its axis is logarithmic.'
      : 'Nothing is confirmed here, so what was sent takes the place of good replies.',
    'The load ends within the last part.',
  ].join(' ');
}

/** @param {{from: number, until: number}} part in seconds */
function periodOf({from, until}) {
  return `${from.toFixed(1)} to ${until.toFixed(1)} s`;
}

/** @param {number} seconds */
function formatSeconds(seconds) {
  return `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(1)} s`;
}
