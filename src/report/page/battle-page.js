import {gzipSync} from 'node:zlib';
import {isRatioSuspect, isSuspect, nameOfFloor} from '../../columns/columns.js';
import {formatShortRatio, isDifferenceShown} from '../../columns/figures.js';
import {formatMinute, nameOfCell, nameOfVariant} from '../../columns/names.js';
import {chooseAmong, questionIn} from '../../expect/choose.js';
import {formatSize} from '../../payload/bytes.js';
import {versionsTogether} from '../../results/fingerprint.js';
import {ascending, groupBy} from '../../stats/numbers.js';
import {workloads} from '../../workloads/index.js';
import {battleNotes} from '../battle-notes.js';
import {widths} from '../charts/parts.js';
import {questionText} from '../show-outcomes.js';
import {blocksOf, tableOf} from '../tables/blocks.js';
import {anatomyOfMeans, cpuPerMessage} from './charts/bars.js';
import {percentileCurves, responseOverRate, trialsByRound} from './charts/lines.js';
import {figureOverSize} from './charts/over-size.js';
import {bulletList, environmentSection, headingOf, html, paragraphs, wholePage} from './html.js';
import {chartSections, methodSection, tablesSection} from './measured.js';
import {asObject, namedFacts, namedVersions, placeOf} from './place.js';

/**
 * @import {Table} from '../../columns/column.js'
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 * @import {Question} from '../../expect/types.js'
 * @import {Chart} from '../charts/chart.js'
 * @import {Section} from './html.js'
 */

/**
 * @typedef {object} ShownBattle
 * @property {readonly CellRecord[]} records at least one
 * @property {Record<string, unknown> | null} battle the journal's line on the battle; null if unknown
 * @property {string} floor the transport that the others are compared with
 * @property {string} version of perf-battle
 * @property {readonly {name: string, text: unknown}[]} settings the settings in force, as a user gives them
 */

/** Mail servers and ticket systems accept an attachment of this size. */
const maxBytes = 400_000;

/**
 * Returns a self-contained page on a battle. It has at most 400 kB, unless its tables alone are longer.
 * The page loads nothing and can be read without scripts. The same records give the same characters.
 * @param {ShownBattle} shown
 */
export function battlePage(shown) {
  let page = '';
  for (page of pagesOf(shown)) if (Buffer.byteLength(page) <= maxBytes) break;
  return page;
}

/** Yields the whole page first, then shorter ones: without trials, with ever fewer charts, and without records. @param {ShownBattle} shown */
function* pagesOf(shown) {
  const {records, floor} = shown;
  const charts = chartsOf(records, floor);
  const largestFirst = charts
    .map((chart) => ({chart, size: chart.draw({width: widths.narrow}).length}))
    .sort((one, other) => other.size - one.size)
    .map(({chart}) => chart);
  const answers = answersOf(records, floor);
  const header = pageHeader(shown, answers);
  const tables = tablesSection(records, floor);
  const around = [notesSection(records), environmentOf(shown), methodSection()];
  const pageWithout = (/** @type {number} */ count, /** @type {Section} */ downloads) => {
    const drawn = chartSections(charts, largestFirst.slice(0, count));
    const what = {title: answers[0].answer, version: shown.version};
    return wholePage(header, [tables, ...drawn, ...around, downloads], what);
  };
  yield pageWithout(0, recordsSection(records, records));
  const withoutTrials = records.map((one) => (one.outcome === 'completed' ? {...one, trials: []} : one));
  const short = recordsSection(withoutTrials, records);
  for (let count = 0; count <= charts.length; count += 1) yield pageWithout(count, short);
  yield pageWithout(charts.length, recordsSection([], records));
}

/** @param {readonly CellRecord[]} kept @param {readonly CellRecord[]} all */
function recordsSection(kept, all) {
  const missing =
    kept.length === 0
      ? 'This page has no room for the records. The journal has them.'
      : kept[0] === all[0]
        ? 'One line of JSON for each cell, with the histograms of its trials.'
        : 'One line of JSON for each cell. This page has no room for the trials; the journal has them.';
  const link = kept.length === 0 ? null : downloadLink(kept);
  const content = html`<p>${missing}</p>
${link}`;
  return {id: 'records', title: 'Records', content};
}

/** @param {readonly CellRecord[]} records */
function downloadLink(records) {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const data = gzipSync(lines, {level: 9}).toString('base64');
  const name = `perf-battle-${records[0].battleId}.ndjson.gz`;
  return html`<p class="download"><a download="${name}" href="data:application/gzip;base64,${data}">${name}</a></p>`;
}

/** @param {ShownBattle} shown @param {readonly {table: string, answer: string}[]} answers at least one */
function pageHeader({records, battle, version}, [first, ...others]) {
  const [{battleId, seed, rounds}] = records;
  const {host, node, startedAt} = placeOf(records, battle);
  const count = rounds ? `, ${rounds.count} rounds` : '';
  return html`${headingOf([first.answer, ...others.map(({table, answer}) => (table === '' ? answer : `${table}: ${answer}`))])}<p>Compared: ${questionOf(records)}.</p>
<p>Measured on ${host}, with ${node}, from ${formatMinute(startedAt)}.</p>
<p class="muted">Battle ${battleId}${count}, seed ${seed}. perf-battle ${version}.</p>`;
}

/** Says what was compared, by which workloads and at which sizes. @param {readonly CellRecord[]} records */
function questionOf(records) {
  const names = [...new Set(records.map(({labels}) => nameOfVariant(labels)))];
  const kinds = [...new Set(records.map(withSummary))];
  const sizes = ascending(records.map(({payloadBytes}) => payloadBytes));
  return `${names.join(', ')}; workload ${kinds.join(', ')}; payload ${sizes.map(formatSize).join(', ')}`;
}

/** @param {CellRecord} record */
function withSummary({workload, variant}) {
  const {summary = null, openLoopSummary = null, offeredRate} = workloads[workload] ?? {};
  const isOpen = openLoopSummary !== null && (offeredRate?.(variant) ?? null) !== null;
  const text = isOpen ? openLoopSummary : summary;
  return text ? `${workload} (${text})` : workload;
}

/** @param {readonly CellRecord[]} records */
function notesSection(records) {
  const completed = records.filter((record) => record.outcome === 'completed');
  const notes = battleNotes(records, {notes: [], detail: true});
  const reasons = completed.flatMap((record) =>
    record.verdict.warnings.map(
      ({code, message}) => `${nameOfCell(record)} (${record.id}): ${code}: ${message}`,
    ),
  );
  const each =
    reasons.length === 0
      ? null
      : html`<details><summary>The reasons of each cell</summary>
${bulletList(reasons)}</details>`;
  const content = html`${paragraphs(notes)}${each}`;
  return {id: 'verdicts', title: 'Verdicts', content};
}

/** @param {ShownBattle} shown */
function environmentOf({records, battle, settings}) {
  const versions = versionsTogether(records.map((record) => record.versions));
  const hosts = Object.entries(asObject(battle?.hosts)).map(
    ([name, host]) => /** @type {const} */ ([`Host ${name}`, namedFacts(asObject(host))]),
  );
  return environmentSection([...hosts, ['Versions', namedVersions(versions)]], settings, 'battle');
}

const drawings = [
  figureOverSize,
  percentileCurves,
  responseOverRate,
  cpuPerMessage,
  anatomyOfMeans,
  trialsByRound,
];

/**
 * Draws the charts of a battle. The same records give the same characters.
 * @param {readonly CellRecord[]} records @param {string} floor the transport that the others are compared with @returns {Chart[]}
 */
export function chartsOf(records, floor) {
  const completed = records.filter((record) => record.outcome === 'completed');
  return [...groupBy(completed, tableOf)].flatMap(([{name}, cells]) =>
    drawings.flatMap((draw) => draw(cells, {name, floor})),
  );
}

/** A headline with more names is unreadable. */
const maxNamed = 3;

/**
 * Returns the answer of a battle: for each table a sentence without its full stop. No sentence relies on a suspect figure.
 * @param {readonly CellRecord[]} records at least one @param {string} floor the transport that the others are compared with
 * @returns {{table: string, answer: string}[]} at least one
 */
export function answersOf(records, floor) {
  const question = questionIn(records[0]);
  return question === null ? answersOfTables(records, floor) : answersOfChoice(question, records);
}

/** @param {Question} question @param {readonly CellRecord[]} records */
function answersOfChoice(question, records) {
  const sentences = chooseAmong(question, records).map(({sentence}) => sentence.replace(/\.$/, ''));
  return [questionText(question), ...sentences].map((answer) => ({table: '', answer}));
}

/** @param {readonly CellRecord[]} records @param {string} floor */
function answersOfTables(records, floor) {
  const completed = records.filter((record) => record.outcome === 'completed');
  if (completed.length === 0)
    return [{table: '', answer: `Nothing was measured: none of ${records.length} cells completed`}];
  const answers = blocksOf(completed).map(({table, blocks}) => {
    const smallestFirst = blocks.toSorted(([one], [other]) => one.payloadBytes - other.payloadBytes);
    const answer = answerOf(table, smallestFirst, floor);
    return {table: table.name, isAnswered: answer !== null, answer: answer ?? nothingQuotable(blocks.flat())};
  });
  if (answers.every(({isAnswered}) => !isAnswered)) return [{table: '', answer: nothingQuotable(completed)}];
  return answers
    .toSorted((one, other) => Number(other.isAnswered) - Number(one.isAnswered))
    .map(({table, answer}) => ({table, answer}));
}

/** @param {readonly CompletedRecord[]} cells */
function nothingQuotable(cells) {
  return `No figure can be quoted: ${cells.length === 1 ? 'the only cell is' : `all ${cells.length} cells are`} suspect`;
}

/**
 * @param {Table} table @param {readonly CompletedRecord[][]} blocks by payload size
 * @param {string} floor @returns {string | null} null if nothing can be quoted
 */
function answerOf(table, blocks, floor) {
  const found = blocks.map((block) => leaderOf(block, table, floor));
  const shown = found.find((one) => one !== null);
  if (!shown) return null;
  const {who, figure, beside, size} = shown;
  const [first, ...more] = [figure, ...beside].filter((part) => part !== '');
  const leadsAlways = found.every((one) => one?.who === who);
  const answer = leadsAlways ? `${who}: ${first} at ${size}` : `${who} at ${size}: ${first}`;
  return [answer, ...more].join(', ');
}

/**
 * Returns the leader of the cells of one payload size, its figure, and how the figure compares with the floor.
 * @param {readonly CompletedRecord[]} block the fastest first @param {Table} table @param {string} floor
 * @returns {{who: string, figure: string, beside: string[], size: string} | null} null if nothing can be quoted
 */
function leaderOf(block, {compared, summarize}, floor) {
  const isFloor = (/** @type {CompletedRecord} */ {transport}) => transport === floor;
  const size = formatSize(block[0].payloadBytes);
  if (!compared) {
    if (block.every(isSuspect)) return null;
    const [[first, ...beside]] = summarize(block, isFloor);
    return {who: 'Offered rates', figure: first, beside, size};
  }
  const others = block.filter((record) => !isFloor(record));
  const cells = others.length > 0 ? others : block;
  const leader = cells.find(isQuotable);
  if (!leader) return null;
  // Cells with different settings, such as windows, have different floors.
  const floorCell = block.find(
    (record) => isFloor(record) && record !== leader && record.floor?.meanMs === leader.floor?.meanMs,
  );
  const ratio = besideFloor(leader, floorCell, compared.what ?? '');
  const figure = isSuspect(leader) ? '' : `${compared.figureOf(leader)} ${compared.name ?? ''}`.trim();
  if (figure === '' && ratio.length === 0) return null;
  const beside = figure === '' ? [...ratio, 'but the figure itself is suspect'] : ratio;
  const equals = equalsOf(leader, cells);
  const names = equals.map(({labels}) => nameOfVariant(labels));
  if (equals.length === 0) return {who: nameOfVariant(leader.labels), figure, beside, size};
  if (equals.length === 1) return {who: `${names[0]} is fastest`, figure, beside, size};
  return {
    who: `${listOf(names)} are fastest`,
    figure,
    beside: [...beside, 'no difference between them shown'],
    size,
  };
}

/**
 * Returns the leader and the cells whose difference from the leader is not shown.
 * @param {CompletedRecord} leader @param {readonly CompletedRecord[]} cells
 * @returns {CompletedRecord[]} empty if the comparisons do not support that the leader is the fastest
 */
function equalsOf(leader, cells) {
  const others = cells.filter((record) => record !== leader);
  const isRanked = others.every(({vsFastest, verdict}) => {
    const {status} = vsFastest?.verdict ?? verdict;
    return vsFastest?.id === leader.id && status !== 'suspect';
  });
  if (others.length === 0 || !isRanked) return [];
  return [leader, ...others.filter(({vsFastest}) => !vsFastest || !isDifferenceShown(vsFastest))];
}

/** A ratio may be valid where the time is suspect, because a disturbance of both cells cancels. @param {CompletedRecord} record */
function isQuotable(record) {
  return !isSuspect(record) || (Boolean(record.floor?.ratioCi95) && !isRatioSuspect(record));
}

/** @param {CompletedRecord} record @param {CompletedRecord | undefined} floor @param {string} what precedes the floor's name */
function besideFloor(record, floor, what) {
  if (!floor || !record.floor?.ratioCi95 || isRatioSuspect(record)) return [];
  return isDifferenceShown(record.floor)
    ? [`${formatShortRatio(record.floor).replace('×', ' times')} ${what}${nameOfFloor(floor)}`]
    : [`no difference from ${nameOfFloor(floor)} shown`];
}

/** @param {readonly string[]} names */
function listOf(names) {
  const shown = names.slice(0, maxNamed);
  const more = names.length - shown.length;
  const last = more > 0 ? `${more} more` : shown.pop();
  return `${shown.join(', ')} and ${last}`;
}
