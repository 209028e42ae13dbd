import {formatRate} from '../../columns/figures.js';
import {counted, formatMinute} from '../../columns/names.js';
import {wordsOn} from '../../faults/conclude.js';
import {faultNamed} from '../../faults/faults.js';
import {formatSize} from '../../payload/bytes.js';
import {mapTexts, safeText} from '../../safe-text.js';
import {groupBy} from '../../stats/numbers.js';
import {describeInterrupted, lateLoads, limitsOf} from '../show-faults.js';
import {loadUnderFault} from './charts/load-under-fault.js';
import {accountsSection, durabilitySection, outagesSection} from './faults-tables.js';
import {environmentSection, headingOf, html, paragraphs, wholePage} from './html.js';
import {chartSections} from './measured.js';
import {coresText, namedFacts, namedVersions, nodeText} from './place.js';

/**
 * @import {FaultName} from '../../faults/faults.js'
 * @import {Conclusion, NameOf, Summary} from '../../faults/found.js'
 * @import {ShownFaults} from '../types.js'
 */

/** Above this number of charts, each chart is drawn once instead of twice. */
const maxMainCharts = 8;

/** Returns a self-contained page on a run of faults. The same run gives the same characters. @param {ShownFaults} given */
export function faultsPage(given) {
  // Some of the texts come from brokers, libraries and third-party transports.
  const shown = /** @type {ShownFaults} */ (mapTexts(given, safeText));
  const {found, conclusions, nameOf, applies} = shown;
  const answers = answersOfFaults(conclusions, nameOf);
  const version = String(shown.versions.perfBattle);
  const sections = [
    durabilitySection(conclusions, {notTried: found.notTried, nameOf, applies}),
    ...chartSections(faultCharts(shown), [], 'Each part of a chart names its time and its figures.'),
    accountsSection(found.rows, nameOf),
    outagesSection(found.rows, nameOf),
    environmentOf(shown),
    limitsSection(shown),
  ];
  return wholePage(pageHeader(shown, answers), sections, {title: answers[0], version});
}

/** Draws the load of each row under each fault that interrupts the load. @param {Pick<ShownFaults, 'conclusions' | 'nameOf'>} shown */
export function faultCharts({conclusions, nameOf}) {
  const drawn = conclusions.flatMap(({row, faults}) => faults.map((summary) => ({row, summary})));
  const count = drawn.filter(({summary}) => summary.outageEnd !== 'none').length;
  return drawn.flatMap(({row, summary}) => {
    const id = `row-${row.number}-${summary.fault}`;
    return loadUnderFault(summary, {id, name: nameOf(row), row, isMain: count <= maxMainCharts}) ?? [];
  });
}

/** Returns the line below a chart that is a file. @param {Pick<ShownFaults, 'run' | 'host' | 'versions'>} shown */
export function captionOfFaults({run: {runId, startedAt}, host, versions}) {
  const date = startedAt.slice(0, 10);
  return safeText([hostText(host), nodeText(versions), date, `perf-battle ${runId}`].join(' · '));
}

/** @param {ShownFaults} shown @param {readonly string[]} answers */
function pageHeader({found, conclusions, run, host, versions, isInterrupted = false}, answers) {
  const {runId, startedAt, seed} = run;
  const done = [...triesIn(conclusions)].map(
    ([fault, tries]) => `${fault} (${faultNamed(fault).summary}), ${tries === 1 ? 'once' : `${tries} times`}`,
  );
  return html`${headingOf(answers)}<p>${done.length === 0 ? 'No fault was done.' : `Done: ${done.join('; ')}.`} The load: ${loadText(run, conclusions)}.</p>
${paragraphs([...(isInterrupted ? [describeInterrupted({run})] : []), ...found.notTried.map(({fault, why}) => `${fault} was not tried: ${why}.`)])}<p>Measured on ${hostText(host)}, with ${nodeText(versions)}, from ${formatMinute(startedAt)}.</p>
<p class="muted">Run ${runId}, seed ${seed}. perf-battle ${versions.perfBattle}.</p>`;
}

/** @param {ShownFaults['run']} run @param {readonly Conclusion[]} conclusions with messages of one size */
function loadText({rate, window}, conclusions) {
  const [{payloadBytes}] = conclusions.map(({row}) => row);
  const isOneWay = conclusions.every(({row}) => row.isOneWay);
  const counts = [...new Set(conclusions.flatMap(({row}) => row.subscribers ?? []))];
  const to =
    counts.length === 0
      ? ''
      : `, each to ${counts.map((count) => counted(count, 'subscriber')).join(' or ')}`;
  const size = formatSize(payloadBytes);
  return rate === null
    ? `one request of ${size} at a time, without a rate`
    : `${rate} ${isOneWay ? 'one-way ' : ''}messages of ${size} per second${to}${isOneWay ? '' : `, of which at most ${window} are outstanding`}`;
}

/** Returns the number of tries of each fault. @param {readonly Conclusion[]} conclusions */
function triesIn(conclusions) {
  return new Map(conclusions.flatMap(({faults}) => faults.map(({fault, tries}) => [fault, tries])));
}

/** @param {Record<string, unknown>} host */
function hostText({cpu, architecture, cores}) {
  return [cpu ?? architecture ?? 'a host', ...coresText(cores)].join(', ');
}

/** @param {ShownFaults} shown */
function environmentOf({conclusions, run, host, versions, settings}) {
  const {runId, startedAt, seed, rate, window} = run;
  const facts = {
    Run: runId,
    Began: startedAt,
    Seed: seed,
    ...(rate !== null && {'Messages per second': rate, Window: window}),
    Tries: [...triesIn(conclusions)].map(([fault, tries]) => `${fault} ${tries}`).join(', '),
  };
  return environmentSection(
    [
      ['Run', Object.entries(facts)],
      ['Host', namedFacts(host)],
      ['Versions', namedVersions(versions)],
    ],
    settings,
    'run',
  );
}

/**
 * Names the loads that were lower than that of the run, because a row did not sustain twice as much.
 * @param {string} name of the row @param {readonly Summary[]} faults @param {number | null} rate of the run
 */
function slowerLoads(name, faults, rate) {
  const slower = faults.find(({timeline}) => timeline.rate && rate !== null && timeline.rate < rate);
  return slower
    ? [
        `${name}: its load was ${formatRate(Number(slower.timeline.rate))} messages per second, half of what it sustained.`,
      ]
    : [];
}

/** @param {ShownFaults} shown */
function limitsSection({found, conclusions, run, nameOf}) {
  const done = conclusions.flatMap(({faults}) => faults);
  const late = conclusions.flatMap(({row, faults}) => lateLoads(nameOf(row), faults));
  const slower = conclusions.flatMap(({row, faults}) => slowerLoads(nameOf(row), faults, run.rate));
  const content = html`<p>A row is a transport with its settings. ${run.rate === null ? 'Each message' : 'Its messages are due at a fixed rate, and each'} has a number. A message counts as lost if it was sent and never
seen again. The classes come from the bytes that the broker wrote and the flushes of its disk, with one message outstanding. The RTT is the median with
one message outstanding; the messages per second are those with a full window. Compare rows only within a class.</p>
${paragraphs([...slower, ...late, ...limitsOf(found, done)])}<p><code>perf-battle help faults.md</code> and <code>perf-battle help faults-reference</code> print the whole method.</p>`;
  return {id: 'limits', title: 'Method and limits', content};
}

/**
 * Returns what the faults showed, in sentences without their full stops. Broken promises come first.
 * @param {readonly Conclusion[]} conclusions at least one @param {NameOf} nameOf @returns {string[]} at least one
 */
function answersOfFaults(conclusions, nameOf) {
  const done = conclusions.filter(({error}) => error === null);
  if (done.length === 0)
    return [
      `Nothing was measured: ${conclusions.length === 1 ? 'the only row' : `all ${conclusions.length} rows`} failed`,
    ];
  const failed = conclusions.length - done.length;
  const stored = groupBy(
    done.filter(({row}) => row.stores),
    ({row}) => row.labels.facilitator,
  );
  const others = groupBy(
    // Requests come first.
    done
      .filter(({row}) => !row.stores)
      .toSorted((one, other) => Number(one.row.isOneWay ?? false) - Number(other.row.isOneWay ?? false)),
    ({row}) => wordsOn(row),
  );
  return [
    ...answersOnPromises(done, nameOf),
    ...[...stored].flatMap(([facilitator, rows]) => answersOnStored(facilitator, rows, nameOf)),
    ...[...others.values()].flatMap((rows) => answersOnOthers(rows, nameOf)),
    ...(failed > 0 ? [`${failed} of ${conclusions.length} rows failed`] : []),
  ];
}

/** @param {readonly Conclusion[]} done @param {NameOf} nameOf */
function answersOnPromises(done, nameOf) {
  const broken = done.filter(({isBroken}) => isBroken).map(({row}) => nameOf(row));
  return broken.length === 0 ? [] : [`Broken promise: ${inWords(broken)} lost messages confirmed as stored`];
}

/** @param {string} facilitator @param {readonly Conclusion[]} rows @param {NameOf} nameOf */
function answersOnStored(facilitator, rows, nameOf) {
  const silent = rows.filter(({evidence}) => evidence?.isConfirmed === false);
  const confirming = rows.filter((one) => !silent.includes(one));
  const tried = confirming.filter(({faults}) => faults.some(({outcome}) => outcome !== 'not tried'));
  const kept = tried.filter(({faults}) =>
    faults.every(({outcome}) => outcome === 'kept' || outcome === 'not tried'),
  );
  const done = tried.flatMap(({faults}) => faults.filter(({outcome}) => outcome !== 'not tried'));
  const through = inWords([...new Set(done.map(({fault}) => nounOf(fault)))]);
  return [
    ...(tried.length === 1
      ? [
          `${nameOf(tried[0].row)} ${kept.length === 1 ? 'kept every confirmed message through' : hasLost(tried[0]) ? 'did not keep every confirmed message through' : 'could not always be read after'} ${through}`,
        ]
      : []),
    ...(tried.length > 1
      ? [
          `${facilitator}: ${kept.length} of ${tried.length} settings with confirms kept every confirmed message through ${through}`,
        ]
      : []),
    ...(tried.length < confirming.length
      ? [`${facilitator}: no fault was tried on ${confirming.length - tried.length} of its settings`]
      : []),
    ...(silent.length > 0
      ? [
          `${facilitator}: ${silent.length === 1 ? 'one setting confirms' : `${silent.length} settings confirm`} nothing, so nothing is promised`,
        ]
      : []),
  ];
}

/** @param {readonly Conclusion[]} rows all with requests, or all with one-way messages @param {NameOf} nameOf */
function answersOnOthers(rows, nameOf) {
  if (rows.length === 0) return [];
  const [first] = rows;
  const words = wordsOn(first.row);
  if (rows.length === 1) {
    const each = first.faults.map((one) => arrivalsUnder(one, words));
    return [`${nameOf(first.row)}: ${each.length === 0 ? first.sentence : each.join('; ')}`];
  }
  const tried = rows.filter(({faults}) => faults.some(({outcome}) => outcome !== 'not tried'));
  const answered = tried.filter(({faults}) =>
    faults.every(({outcome, lost}) => outcome === 'not tried' || lost === 0),
  );
  const untried = rows.length - tried.length;
  const outages = [...groupBy(rows.flatMap(outagesOf), ({fault}) => fault)].map(([fault, all]) =>
    outageAnswer(fault, all, nameOf),
  );
  const parts = [
    ...(tried.length > 0 ? [`${answered.length} of ${tried.length} rows ${words.ofRows}`, ...outages] : []),
    ...(untried > 0
      ? [
          `${tried.length === 0 ? 'No' : 'no'} fault was tried on ${untried === 1 ? 'one row' : `${untried} rows`}`,
        ]
      : []),
  ];
  return [parts.join('; ')];
}

/** @param {Summary} summary @param {ReturnType<typeof wordsOn>} words */
function arrivalsUnder({fault, lost, of, outageMs, outageEnd}, {ended, missing}) {
  const arrivals =
    lost === null
      ? `nothing is known under ${fault}`
      : lost === 0
        ? `each of ${of} ${ended} under ${fault}`
        : `${lost} of ${of} ${missing} under ${fault}`;
  if (outageEnd === 'open') return `${arrivals}, outage without end`;
  return outageMs === null ? arrivals : `${arrivals}, outage ${secondsOf(outageMs)}`;
}

/** An outage without an end is infinite. @param {Conclusion} one */
function outagesOf({row, faults}) {
  return faults.flatMap(({fault, outageMs, outageEnd}) => {
    const ms = outageEnd === 'open' ? Number.POSITIVE_INFINITY : outageMs;
    return ms === null ? [] : [{row, fault, outageMs: ms}];
  });
}

/** @param {FaultName} fault @param {readonly ReturnType<typeof outagesOf>[number][]} all @param {NameOf} nameOf */
function outageAnswer(fault, all, nameOf) {
  const shortestFirst = all.toSorted((one, other) => one.outageMs - other.outageMs);
  const [shortest] = shortestFirst;
  const longest = shortestFirst[shortestFirst.length - 1];
  const text = (/** @type {typeof shortest} */ {row, outageMs}) => `${secondsOf(outageMs)} (${nameOf(row)})`;
  return all.length === 1
    ? `outage by ${fault} ${text(shortest)}`
    : `outages by ${fault} from ${text(shortest)} to ${text(longest)}`;
}

/** @param {number} ms */
function secondsOf(ms) {
  return Number.isFinite(ms) ? `${(ms / 1000).toFixed(2)} s` : 'no end';
}

/** @param {Conclusion} one */
function hasLost({faults}) {
  return faults.some(({outcome}) => outcome === 'lost');
}

/** @param {FaultName} fault */
function nounOf(fault) {
  const {kind} = faultNamed(fault);
  return kind === null ? fault : kind === 'crash' ? 'crashes' : 'power cuts';
}

/** @param {readonly string[]} names at least one */
function inWords(names) {
  const last = names[names.length - 1];
  return names.length === 1 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
