import {formatRate, formatShortMs} from '../../columns/figures.js';
import {concernsRow} from '../../faults/conclude.js';
import {hasOutage, outageText, outcomeText} from '../show-faults.js';
import {bulletList, columnHeading, html, paragraphs, sortableTable} from './html.js';

/**
 * @import {Account, Arrival, Conclusion, FoundOfRow, NameOf, NotTried, Outage, Row, Try} from '../../faults/found.js'
 * @import {FaultName} from '../../faults/faults.js'
 * @import {Section} from './html.js'
 *
 * @typedef {{heading: string, kind: '' | 'text' | 'text id'}} Column kind: CSS classes; empty for figures
 * @typedef {{text: string, look?: string}} Cell look: a CSS class
 */

/**
 * Lists what the acknowledgements of each row are worth, the evidence, the cost, and the outcome of each fault.
 * @param {readonly Conclusion[]} conclusions
 * @param {{notTried: readonly NotTried[], nameOf: NameOf, applies: (fault: FaultName, row: Row) => boolean}} how @returns {Section}
 */
export function durabilitySection(conclusions, {notTried, nameOf, applies}) {
  const done = new Set(conclusions.flatMap(({faults}) => faults.map(({fault}) => fault)));
  const names = [...new Set([...done, ...notTried.map(({fault}) => fault)])];
  const isSeen = conclusions.some(({evidence}) => evidence !== null);
  const isInterrupted = hasOutage(conclusions);
  const columns = [
    ...['Row', 'Class'].map(textColumn),
    ...(isSeen ? ['RTT, ms', 'Messages/s', 'Bytes/message', 'Flushes/message'].map(plainColumn) : []),
    ...names.map(textColumn),
    ...(isInterrupted ? [plainColumn('Outage, s')] : []),
  ];
  const rows = conclusions.map((one) => [
    {text: nameOf(one.row)},
    {
      text: one.error ? 'failed' : (one.guarantee ?? 'not shown'),
      look: one.error || one.isBroken ? 'failed' : '',
    },
    ...(isSeen ? evidenceCells(one) : []),
    ...names.map((fault) => outcomeCell(one, fault, {notTried, applies})),
    ...(isInterrupted ? [{text: outageText(one.faults)}] : []),
  ]);
  const title = conclusions.some(({row}) => row.stores)
    ? 'What the acknowledgements are worth'
    : conclusions.every(({row}) => row.isOneWay)
      ? 'What arrived'
      : conclusions.some(({row}) => row.isOneWay)
        ? 'What was answered, or arrived'
        : 'What was answered';
  const sentences = conclusions.map((one) => html`<strong>${nameOf(one.row)}</strong>: ${one.sentence}.`);
  const content = html`<p>The column of a fault shows how many messages were lost, of those that were confirmed. Where nothing is confirmed, the number refers to the messages sent. Of requests, it shows those without the right reply, of those sent. Of several power cuts, the worst is shown. The tries of any other fault hit one load, so their losses are counted together. The outage is the longest of the row.</p>
${tableOf('tables', title, columns, rows)}
${paragraphs(notTried.map(({fault, why}) => `${fault}: not tried (${why}).`))}${bulletList(sentences)}`;
  return {id: 'tables', title, content};
}

/** @param {Conclusion} one @returns {Cell[]} */
function evidenceCells({evidence}) {
  const {rttMs = null, ratePerSecond = null, dirtiedBytesPerMessage = null} = evidence ?? {};
  const flushes = evidence?.flushesPerMessage ?? null;
  return [
    formatShortMs(rttMs),
    formatOrNothing(ratePerSecond, formatRate),
    formatOrNothing(dirtiedBytesPerMessage, (bytes) => String(Math.round(bytes))),
    formatOrNothing(flushes, (count) => count.toFixed(2)),
  ].map((text) => ({text}));
}

/** @param {Conclusion} one @param {FaultName} fault @param {{notTried: readonly NotTried[], applies: (fault: FaultName, row: Row) => boolean}} how */
function outcomeCell({row, evidence, faults}, fault, {notTried, applies}) {
  const summary = faults.find((one) => one.fault === fault);
  const isLeftOut = summary === undefined && applies(fault, row);
  if (isLeftOut && notTried.some((one) => one.fault === fault && concernsRow(one, row)))
    return {text: 'not tried', look: 'muted'};
  const text = outcomeText(summary);
  // A message that was never confirmed is neither kept nor broken.
  if (summary === undefined || evidence?.isConfirmed === false) return {text};
  const isBad = summary.outcome === 'lost' || summary.outcome === 'unavailable';
  return {text, look: isBad ? 'failed' : summary.outcome === 'kept' ? 'valid' : 'muted'};
}

/** Names of the counts, as in the reference. @type {Readonly<Record<keyof Account, string>>} */
const counts = {
  sent: 'Sent',
  confirmed: 'Confirmed',
  refused: 'Refused',
  open: 'Open',
  received: 'Received',
  acknowledged: 'Acknowledged',
  lost: 'Lost',
  confirmedLost: 'Confirmed, lost',
  unconfirmedReceived: 'Received, not confirmed',
  retried: 'Sent again',
};

/** @type {Readonly<Record<keyof Arrival, string>>} */
const arrivals = {duplicated: 'Duplicated', reordered: 'Reordered', corrupted: 'Corrupted'};

/**
 * Shows every count of each try, for the whole load and for the messages that the fault hit.
 * @param {readonly FoundOfRow[]} rows @param {NameOf} nameOf @returns {Section}
 */
export function accountsSection(rows, nameOf) {
  const columns = [
    textColumn('Row'),
    ...['Fault', 'Try', 'Messages'].map(shortColumn),
    ...[...Object.values(counts), ...Object.values(arrivals)].map(plainColumn),
  ];
  const tries = triesOf(rows, nameOf);
  const lines = tries.flatMap(({names, one}) => accountLines(one).map((line) => [...names, ...line]));
  const unread = tries.flatMap(({names, one: {unavailable}}) =>
    unavailable === null ? [] : [`${names.map(({text}) => text).join(', ')}: ${unavailable}.`],
  );
  const content = html`<p>sent = received + lost, and sent = confirmed + refused + open. Acknowledged: the received messages that the consumer acknowledged. Each power cut has its own account. The other faults are done
to one load, so the last try has the account of all tries. <em>Hit</em>: the messages that were sent, and confirmed, before the last fault was over.</p>
${lines.length === 0 ? html`<p>No try has an account.</p>` : tableOf('accounts', 'Accounts', columns, lines)}
${bulletList(unread)}`;
  return {id: 'accounts', title: 'The account of each try', content};
}

/** @param {Try} one @returns {Cell[][]} */
function accountLines({account, atRisk, arrival}) {
  if (account === null) return [];
  const line = (/** @type {string} */ what, /** @type {Account} */ of) => [
    {text: what},
    ...keysOf(counts).map((key) => ({text: String(of[key] ?? 'n/a')})),
    ...keysOf(arrivals).map((key) => ({text: arrival === null ? 'n/a' : String(arrival[key])})),
  ];
  // The account of a power cut ends with the cut, so it has no second line.
  const isAllHit = atRisk === null || keysOf(counts).every((key) => atRisk[key] === account[key]);
  return isAllHit ? [line('all', account)] : [line('all', account), line('hit', atRisk)];
}

/** @type {Readonly<Record<keyof Outage, string>>} */
const times = {
  ms: 'Outage, ms',
  restartMs: 'Restart, ms',
  recoveryMs: 'Recovery, ms',
  rateBackMs: 'Rate back, ms',
  worstMs: 'Worst response, ms',
};

/** Shows the outage of each try that interrupted the load. @param {readonly FoundOfRow[]} rows @param {NameOf} nameOf @returns {Section} */
export function outagesSection(rows, nameOf) {
  const columns = [
    textColumn('Row'),
    ...['Fault', 'Try'].map(shortColumn),
    ...Object.values(times).map(plainColumn),
  ];
  const lines = triesOf(rows, nameOf).flatMap(({names, one: {outage}}) =>
    outage === null ? [] : [[...names, ...keysOf(times).map((key) => ({text: timeText(key, outage)}))]],
  );
  const content =
    lines.length === 0
      ? html`<p>No fault interrupted the load.</p>`
      : html`<p>An outage lasts from the last good reply, or arrival of a one-way message, before the fault to the first one after it. Restart: until the target ran again. Recovery: from
the restart until then. Rate back: from the restart until messages were sent on time again.</p>
${tableOf('outages', 'Outages', columns, lines)}`;
  return {id: 'outages', title: 'The outages', content};
}

/** @param {keyof Outage} key @param {Outage} outage */
function timeText(key, outage) {
  const ms = outage[key];
  if (ms !== null) return ms < 1000 ? formatShortMs(ms) : String(Math.round(ms));
  // A target that stays down has no restart time, so no time after the restart is known either.
  const isEndless = key === 'ms' || outage.restartMs !== null;
  return key === 'worstMs' || !isEndless ? 'n/a' : 'no end';
}

/** Returns all tries, each with its naming cells. @param {readonly FoundOfRow[]} rows @param {NameOf} nameOf */
function triesOf(rows, nameOf) {
  return rows.flatMap(({row, faults}) =>
    faults.flatMap(({fault, tries}) =>
      tries.map((one, index) => ({
        names: [nameOf(row), fault, `${index + 1} of ${tries.length}`].map((text) => ({text})),
        one,
      })),
    ),
  );
}

/**
 * @param {string} heading id of the heading above the table
 * @param {string} title @param {readonly Column[]} columns @param {readonly (readonly Cell[])[]} rows
 */
function tableOf(heading, title, columns, rows) {
  const headings = columns.map(({heading: name, kind}) =>
    columnHeading(name, kind === '' ? 'figures' : 'text'),
  );
  const classOf = (/** @type {number} */ column, /** @type {string} */ look) => {
    const all = [columns[column].kind, look].filter((one) => one !== '').join(' ');
    return all === '' ? null : html` class="${all}"`;
  };
  const lines = rows.map(
    (cells) => html`<tr>${cells.map(
      ({text, look = ''}, column) => html`<td${classOf(column, look)}>${text}</td>`,
    )}</tr>
`,
  );
  return sortableTable({labelledBy: heading, label: title}, headings, lines);
}

/** @param {string} heading @returns {Column} */
function textColumn(heading) {
  return {heading, kind: 'text'};
}

/** Returns a column of texts that stay on one line. @param {string} heading @returns {Column} */
function shortColumn(heading) {
  return {heading, kind: 'text id'};
}

/** @param {string} heading @returns {Column} */
function plainColumn(heading) {
  return {heading, kind: ''};
}

/** @template {string} Key @param {Readonly<Record<Key, unknown>>} object */
function keysOf(object) {
  return /** @type {Key[]} */ (Object.keys(object));
}

/** @param {number | null} value @param {(value: number) => string} format */
function formatOrNothing(value, format) {
  return value === null ? 'n/a' : format(value);
}
