import {isSuspect, percentileOf} from '../../columns/columns.js';
import {listVerdict} from '../../columns/figures.js';
import {counted, formatMinute, nameOfVariant} from '../../columns/names.js';
import {compareSides} from '../../compare/compare-sides.js';
import {formatSize} from '../../payload/bytes.js';
import {configurationOf} from '../../results/newest-records.js';
import {groupBy} from '../../stats/numbers.js';
import {withWorkload} from '../../workloads/index.js';
import {logAxis, orderAxis} from '../charts/axis.js';
import {lineChart} from '../charts/line-chart.js';
import {summaryOf} from '../tables/comparison-table.js';
import {comparedFigures} from './charts/over-size.js';
import {cutNote, formatMark, reachOf} from './charts/series.js';
import {bulletList, columnHeading, headingOf, html, sortableTable, wholePage} from './html.js';
import {chartSections, methodSection} from './measured.js';
import {asObject, placeOf} from './place.js';

/**
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 * @import {Axis, Chart, Point} from '../charts/chart.js'
 * @import {PastBattle, PastCell, ShownJournal} from '../types.js'
 * @import {Markup} from './html.js'
 */

/** @typedef {{id: string, name: string, battles: readonly PastBattle[], cell: PastCell}} ShownCell id: of the cell's chart; battles: all of the journal */

/** Above this number of charts, each chart is drawn once instead of twice. */
const maxMainCharts = 8;

/**
 * Returns a self-contained page with the figure of each cell over all battles of the journals. The same records give the same characters.
 * @param {{journals: readonly ShownJournal[], version: string}} shown with at least one completed record; version: of perf-battle
 */
export function historyPage({journals, version}) {
  const past = journals.map((journal) => ({name: journal.name, battles: pastBattles(journal)}));
  const cells = past
    .flatMap(({name, battles}) =>
      pastCells(battles).map((cell) => ({
        name: nameOf(cell, {battles, journal: past.length > 1 ? name : null}),
        battles,
        cell,
      })),
    )
    .map((one, index) => ({id: `cell-${index + 1}`, ...one}));
  const all = past.flatMap(({battles}) => battles);
  const hosts = [...new Set(all.map(({host}) => host))];
  const isMain = cells.length <= maxMainCharts;
  const charts = cells.flatMap(
    ({id, name, battles, cell}) => figureOverBattles(cell, battles, {id, title: name, isMain, hosts}) ?? [],
  );
  const sections = [
    newestSection(cells, new Set(charts.map(({id}) => id))),
    ...chartSections(charts, []),
    hostsSection(past, hosts),
    methodSection(),
  ];
  const whole = `History of ${counted(all.length, 'battle')} and ${counted(cells.length, 'cell')}`;
  const changes = past.flatMap((journal) => changesOf(journal, past.length > 1));
  const [title, ...others] = changes.length > 0 ? changes : [whole];
  const header = html`${headingOf([title, ...others])}<p>${changes.length > 0 ? `${whole}. ` : ''}${periodOf(all)}</p>
${leftOut(journals)}<p class="muted">perf-battle ${version}.</p>`;
  return wholePage(header, sections, {title, version});
}

/** @param {PastCell} cell @param {{journal: string | null, battles: readonly PastBattle[]}} of journal: null for a single one */
function nameOf({newest, measured}, {journal, battles}) {
  const {labels, payloadBytes, workload, environment} = newest ?? measured[0].record;
  const areSeveral = battles.some(({records}) => records.some((one) => one.environment !== environment));
  return [
    ...(journal === null ? [] : [journal]),
    withWorkload(nameOfVariant(labels), workload),
    formatSize(payloadBytes),
    ...(areSeveral ? [environment] : []),
  ].join(', ');
}

/**
 * Says what changed between the newest two battles that have figures, as `perf-battle compare` does.
 * @param {{name: string, battles: readonly PastBattle[]}} journal @param {boolean} isNamed whether the sentence names the journal
 * @returns {string[]} a sentence without its full stop; none if the battles cannot be compared
 */
function changesOf({name, battles}, isNamed) {
  const withFigures = battles.filter(({records}) => records.some(({outcome}) => outcome === 'completed'));
  const [old, now] = withFigures.slice(-2);
  if (now === undefined || old.host !== now.host) return [];
  const comparisons = compareSides(old.records, now.records);
  if (comparisons.every(({isFloor}) => isFloor)) return [];
  const where = isNamed ? `${name}, ` : '';
  return [`${where}${now.name} after ${old.name}: ${summaryOf(comparisons).replace(/\.$/, '')}`];
}

/** @param {readonly PastBattle[]} battles */
function periodOf(battles) {
  const days = battles.map(({when}) => when.slice(0, 10)).sort();
  const [first, last] = [days[0], days[days.length - 1]];
  return first === last ? `Measured on ${first}.` : `Measured from ${first} to ${last}.`;
}

/** @param {readonly ShownJournal[]} journals */
function leftOut(journals) {
  const counts = journals.map(({records}) => new Set(records.map(({battleId}) => battleId)).size);
  return counts.every((battles) => battles <= maxBattles)
    ? null
    : html`<p>Of each journal, the newest ${maxBattles} battles are shown.</p>
`;
}

/** @param {readonly ShownCell[]} cells @param {ReadonlySet<string>} drawn ids of the existing charts */
function newestSection(cells, drawn) {
  const rows = cells.map(({id, name, cell}) =>
    newestRow(drawn.has(id) ? html`<a href="#${id}">${name}</a>` : name, cell),
  );
  const title = 'Newest figures';
  const headings = [
    ...['Cell', 'Battle', 'Verdict'].map((name) => columnHeading(name)),
    ...['Figure', 'p99, ms'].map((name) => columnHeading(name, 'figures')),
    columnHeading('Measured'),
    columnHeading('Battles', 'figures'),
  ];
  const content = sortableTable({labelledBy: 'tables', label: title}, headings, rows);
  return {id: 'tables', title, content};
}

/** @param {string | Markup} name @param {PastCell} cell */
function newestRow(name, {measured}) {
  const {battle, record} = measured[measured.length - 1];
  const {status, figure, p99} = newestFigures(record);
  return html`<tr><td class="text">${name}</td><td class="text">${battle.name}</td><td class="text ${status}">${status}</td><td>${figure}</td><td>${p99}</td><td class="text">${battle.when}</td><td>${measured.length}</td></tr>
`;
}

/** @param {CellRecord} record */
function newestFigures(record) {
  if (record.outcome !== 'completed') return {status: record.outcome, figure: '', p99: ''};
  const {comparedBy, rtt, verdict} = record;
  const {of, unit} = comparedFigures[comparedBy];
  return {
    status: verdict.status,
    figure: `${of(record).text} ${unit}`,
    p99: percentileOf(rtt, 'p99Ms'),
  };
}

/** @param {readonly {name: string, battles: readonly PastBattle[]}[]} past @param {readonly string[]} hosts */
function hostsSection(past, hosts) {
  const changes = past.flatMap(({name: journal, battles}) =>
    battles.flatMap(({isElsewhere, name, when, host}, index) => {
      const of = past.length > 1 ? `${journal}, ` : '';
      return isElsewhere ? [`${of}${name}, ${when}: from ${battles[index - 1].host} to ${host}.`] : [];
    }),
  );
  const content = html`<p>${hosts.length === 1 ? `All battles ran on ${hosts[0]}.` : `The battles ran on ${hosts.length} kinds of hosts.`} Figures of two hosts are not comparable. A kind of host is known by its machine, its cores and its environment, so two hosts of one kind may still differ.</p>
${bulletList(changes)}`;
  return {id: 'hosts', title: 'Hosts', content};
}

/** More points cannot be told apart. */
export const maxBattles = 100;

/**
 * Returns the newest battles of a journal, the oldest first, without the sides of comparisons within a battle.
 * @param {ShownJournal} journal @returns {PastBattle[]} at most `maxBattles`
 */
export function pastBattles({records, battles}) {
  const lines = new Map(battles.map((line) => [line.id, asObject(line)]));
  const single = records.filter(({variant}) => variant.side === undefined);
  const shown = [...groupBy(single, ({battleId}) => battleId)]
    .map(([id, cells]) => ({id, cells, ...placeOf(cells, lines.get(id) ?? null)}))
    .toSorted((one, other) => (one.startedAt < other.startedAt ? -1 : 1))
    .slice(-maxBattles)
    .map(({id, cells, startedAt, host}) => ({
      ...namesOf(cells[0].config.label, id),
      when: formatMinute(startedAt),
      host,
      records: cells,
    }));
  return shown.map((battle, index) => ({
    ...battle,
    isElsewhere: index > 0 && battle.host !== shown[index - 1].host,
  }));
}

/** @param {unknown} label value of --label @param {string} id of the battle */
function namesOf(label, id) {
  if (typeof label !== 'string') return {name: `battle ${id}`, mark: id.slice(0, 8)};
  if (/^[\da-f]{12,64}$/i.test(label))
    return {name: `commit ${label.slice(0, 10)}`, mark: label.slice(0, 7).toLowerCase()};
  return {name: shorten(label, 60), mark: shorten(label, 8)};
}

/** @param {string} text @param {number} length */
function shorten(text, length) {
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : text;
}

/**
 * Returns the cells of the battles, in the order of the newest battle that has each cell.
 * @param {readonly PastBattle[]} battles @returns {PastCell[]}
 */
function pastCells(battles) {
  const newestFirst = battles
    .map((battle, index) => ({battle, place: index + 1}))
    .toReversed()
    .flatMap(({battle, place}) => battle.records.map((record) => ({battle, place, record})));
  return [...groupBy(newestFirst, ({record}) => configurationOf(record)).values()].map((measured) => ({
    newest: measured.map(({record}) => record).find((record) => record.outcome === 'completed') ?? null,
    measured: measured.toReversed(),
  }));
}

/** @typedef {PastCell['measured'][number] & {record: CompletedRecord}} Completed */

/**
 * Draws the figure of a cell over the battles, with its intervals. Each kind of host has a separate line. A line ends where the host changes.
 * @param {PastCell} cell @param {readonly PastBattle[]} battles of the cell's journal
 * @param {{id: string, title: string, isMain: boolean, hosts: readonly string[]}} what hosts: all kinds, in the order of their styles
 * @returns {Chart | null} null if there is nothing to draw
 */
function figureOverBattles({newest, measured}, battles, {id, title, isMain, hosts}) {
  if (newest === null) return null;
  const figure = comparedFigures[newest.comparedBy];
  const drawn = measured.flatMap(({record, ...at}) => {
    if (record.outcome !== 'completed' || record.comparedBy !== newest.comparedBy) return [];
    const {value, interval, text} = figure.of(record);
    return value !== null && value > 0 ? [{...at, record, y: value, interval, text}] : [];
  });
  if (drawn.length === 0) return null;
  const series = hosts
    .map((host, index) => ({
      name: host,
      // Other charts use the first colour for raw TCP.
      style: index + 1,
      points: drawn.flatMap(({battle, place, record, y, interval, text}, at) => {
        if (battle.host !== host) return [];
        const said = `${battle.name}, ${battle.when}: ${text} ${figure.unit}; ${listVerdict(record.verdict)}; ${hostOf(battle, record)}; record ${record.id}`;
        const beginsLine = at > 0 && drawn[at - 1].battle.host !== host;
        return [{x: place, y, interval, isHollow: isSuspect(record), beginsLine, text: said}];
      }),
    }))
    .filter(({points}) => points.length > 0);
  const rules = battles.flatMap(({isElsewhere}, index) => (isElsewhere ? [index + 0.5] : []));
  const axes = {
    x: orderAxis(
      battles.map(({mark}) => mark),
      'battle, the newest on the right',
    ),
    y: logAxis(reachOf(drawn), {label: figure.label, format: formatMark}),
  };
  return {
    ...{id, title, isMain},
    note: noteOn(
      series.flatMap(({points}) => points),
      axes.y,
    ),
    draw: (layout) => lineChart({title, ...axes, series, rules}, layout),
    values: valuesOf(measured, figure),
  };
}

/** @param {PastBattle} battle @param {CellRecord} record */
function hostOf({host}, {hosts: {client}}) {
  return `${host} (${client})`;
}

/** @param {readonly Point[]} points @param {Axis} y */
function noteOn(points, y) {
  return [
    ...(points.some(({interval}) => interval) ? ['Vertical lines are 95 % intervals over trials.'] : []),
    ...cutNote(points, y),
    ...(points.some(({isHollow}) => isHollow) ? ['A hollow mark is suspect.'] : []),
    ...(points.some(({beginsLine}) => beginsLine)
      ? ['At a dashed rule the host changes: figures on both sides are not comparable.']
      : []),
    'The vertical axis is logarithmic.',
  ].join(' ');
}

/**
 * Returns the points as a table, newest first, including battles in which the cell has no figure.
 * @param {PastCell['measured']} measured @param {typeof comparedFigures[keyof typeof comparedFigures]} figure
 */
function valuesOf(measured, figure) {
  return {
    what: figure.label,
    columns: ['Measured', figure.unit, 'p99, ms', 'Verdict', 'Host', 'Record'],
    rows: measured.toReversed().map(({battle, record}) => ({
      name: battle.name,
      cells: [battle.when, ...figuresOf(record, figure), hostOf(battle, record), record.id],
    })),
    isFolded: true,
  };
}

/** @param {CellRecord} record @param {typeof comparedFigures[keyof typeof comparedFigures]} figure */
function figuresOf(record, figure) {
  if (record.outcome !== 'completed') return ['', '', record.outcome];
  const {rtt} = record;
  return [figure.of(record).text, percentileOf(rtt, 'p99Ms'), listVerdict(record.verdict)];
}
