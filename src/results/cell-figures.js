import {mean, median, sum} from 'simple-statistics';
import {sumCounts} from '../measure/counts.js';
import {intervalAround, intervalOfDifferences} from '../stats/interval.js';
import {maxOfKnown, sumOfKnown} from '../stats/numbers.js';
import {percentiles} from '../stats/summary.js';
import {thresholds} from '../stats/thresholds.js';
import {summarizeTrials} from '../stats/trial-summary.js';
import {trialsThatCount} from './comparable.js';

/**
 * @import {EncodedHistogram} from '../stats/histogram.js'
 * @import {Interval} from '../stats/interval.js'
 * @import {Summary} from '../stats/summary.js'
 * @import {Figures} from './record-schema.js'
 * @import {CpuRule, CpuTimes, HopMeans, JournalTrial, OpenLoopDistributions, OpenLoopNotes} from './types.js'
 */

/**
 * The figures of a cell from its trials: the mean of trial means and percentiles with their intervals over trials, the rate with its
 * interval, CPU per message over the measured parts.
 * @param {readonly JournalTrial[]} trials at least one, all completed
 * @param {{payloadBytes: number, aggregate?: 'mean' | 'median', linkBytesPerSecond?: number | null,
 *   offeredPerSecond?: number | null, cpu?: CpuRule, moved?: ReadonlySet<JournalTrial>}} cell moved: as `trialsThatCount` takes them; aggregate: how
 *   their rates make that of the cell; offeredPerSecond: of an open loop
 * @returns {Omit<Figures, 'floor' | 'vsFastest' | 'verdict'>}
 */
export function figuresOf(
  trials,
  {payloadBytes, aggregate = 'mean', linkBytesPerSecond = null, offeredPerSecond = null, cpu, moved},
) {
  const used = trialsThatCount(trials, moved);
  const throughput = throughputOf(used, {payloadBytes, aggregate});
  const latencies = latenciesOf(used);
  const figures = {
    rtt: roundTripsOf(used),
    latencies,
    throughput,
    phases: phasesOf(used),
    openLoop: offeredPerSecond === null ? null : openLoopOf(offeredPerSecond, throughput, latencies, used),
    link: linkOf(used, linkBytesPerSecond),
    anatomy: anatomyOf(used),
    counts: sumCounts(used.map(({counts}) => counts)),
    ...resourcesOf(used, cpu),
    trials: trials.map((trial) => describeTrial(trial, used.includes(trial))),
  };
  return withKnownLatencies(figures, used);
}

/** @param {readonly JournalTrial[]} trials @param {number | null} carried what the link carries, in bytes per second */
function linkOf(trials, carried) {
  const uses = trials.flatMap(({linkBytesPerSecond}) => linkBytesPerSecond ?? []);
  if (carried === null || uses.length < trials.length) return null;
  const usedShare = mean(uses) / carried;
  return {bytesPerSecond: carried, usedShare, isLimit: usedShare >= thresholds.linkShare};
}

/**
 * The mean of each part over trials; between hosts with the largest bound.
 * @param {readonly JournalTrial[]} trials @returns {Figures['anatomy']} null if a trial has none
 */
function anatomyOf(trials) {
  const known = trials.flatMap(({anatomy}) => anatomy ?? []);
  if (known.length < trials.length) return null;
  const part = (/** @type {'requestMs' | 'handlerMs' | 'replyMs'} */ name) =>
    meanOver(known.map((one) => one[name]));
  return {
    request: part('requestMs'),
    handler: part('handlerMs'),
    reply: part('replyMs'),
    clockBoundMs: Math.max(...known.map(({clockBoundMs}) => clockBoundMs)),
    hops: hopsOf(
      known.flatMap(({hops}) => hops ?? []),
      known.length,
    ),
    noHops: known.map(({noHops}) => noHops ?? null).find((reason) => reason !== null) ?? null,
  };
}

/**
 * @param {readonly HopMeans[]} hops of the trials that have them
 * @param {number} trials @returns {NonNullable<Figures['anatomy']>['hops']} null if a trial has none
 */
function hopsOf(hops, trials) {
  if (hops.length < trials) return null;
  const way = (/** @type {'request' | 'reply'} */ name) => ({
    before: meanOver(hops.map((one) => one[name].beforeMs)),
    broker: meanOver(hops.map((one) => one[name].brokerMs)),
    after: meanOver(hops.map((one) => one[name].afterMs)),
  });
  return {request: way('request'), reply: way('reply')};
}

/** @param {number[]} means of trials */
function meanOver(means) {
  return {meanMs: mean(means), ci95Ms: intervalOfDifferences(means)};
}

/** @param {readonly JournalTrial[]} trials */
function roundTripsOf(trials) {
  const some = /** @type {(JournalTrial & EncodedHistogram)[]} */ (
    trials.filter(({histogram}) => histogram !== null)
  );
  return some.length > 0 ? summarizeTrials(some) : null;
}

/** @param {readonly JournalTrial[]} trials @returns {Record<string, Summary>} */
function latenciesOf(trials) {
  const names = new Set(trials.flatMap(({beside}) => Object.keys(beside)));
  return Object.fromEntries(
    [...names].map((name) => [name, summarizeTrials(trials.flatMap(({beside}) => beside[name] ?? []))]),
  );
}

/**
 * The rate is the inverse of the mean time per message over trials, and its interval is the inverse of that interval. For round trips it is
 * then the inverse of the mean. The median is for workloads of which a trial may be far off.
 * @param {readonly JournalTrial[]} trials @param {{payloadBytes: number, aggregate: 'mean' | 'median'}} cell
 */
function throughputOf(trials, {payloadBytes, aggregate}) {
  const typical = {mean, median}[aggregate];
  const rate = rateOver(
    trials.map(({messagesPerSecond}) => messagesPerSecond),
    typical,
  );
  return {
    ...rate,
    bytesPerSecond: rate.messagesPerSecond * payloadBytes,
    summedMessagesPerSecond: 1000 / typical(trials.map(({summedPerSecond}) => 1000 / summedPerSecond)),
  };
}

/**
 * @param {readonly number[]} rates per second, one per trial
 * @param {(times: number[]) => number} [typical] the time per message of the cell, from those of the trials
 */
function rateOver(rates, typical = mean) {
  const times = rates.map((rate) => 1000 / rate);
  const time = typical(times);
  const interval = intervalAround(time, times);
  return {
    messagesPerSecond: 1000 / time,
    ci95MessagesPerSecond: interval && /** @type {Interval} */ ([1000 / interval[1], 1000 / interval[0]]),
  };
}

/** @param {readonly JournalTrial[]} trials */
function phasesOf(trials) {
  const names = new Set(trials.flatMap(({phases}) => Object.keys(phases)));
  return Object.fromEntries(
    [...names].map((name) => {
      const parts = trials.map(({phases}) => phases[name]);
      const rates = parts.map(({messages, ms}) => (messages * 1000) / ms);
      return [name, {messages: parts[0].messages, meanMs: mean(parts.map(({ms}) => ms)), ...rateOver(rates)}];
    }),
  );
}

/**
 * @param {number} offered per second @param {{messagesPerSecond: number}} throughput @param {Partial<OpenLoopDistributions<Summary>>} latencies
 * @param {readonly JournalTrial[]} trials
 */
function openLoopOf(offered, {messagesPerSecond}, {sendLag}, trials) {
  // Poisson arrivals differ from their rate by chance, so the rate of the actual schedules is the one to achieve.
  /** @type {readonly Partial<OpenLoopNotes>[]} */
  const notes = trials.map((trial) => trial.notes);
  const asked = rateOver(notes.map(({askedPerSecond}) => askedPerSecond ?? offered)).messagesPerSecond;
  const isLate = (sendLag?.p50Ms ?? 0) > thresholds.lateShare * mean(trials.map(({wallMs}) => wallMs));
  return {
    offeredPerSecond: offered,
    achievedPerSecond: messagesPerSecond,
    keepsUp: messagesPerSecond >= thresholds.achievedShare * asked && !isLate,
  };
}

/** @param {JournalTrial} trial @param {boolean} used */
function describeTrial(trial, used) {
  const {round, startedAt, meanMs, minMs, maxMs, stdevMs, samples, messagesPerSecond, wallMs} = trial;
  return {
    ...{round, startedAt, meanMs, minMs, maxMs, stdevMs, samples, messagesPerSecond, wallMs},
    discarded: trial.discarded,
    slices: trial.slices ?? null,
    floorMs: trial.floorMs ?? null,
    windows: trial.windows ?? null,
    startSkewMs: trial.startSkewMs ?? null,
    tcpRetransmits: trial.tcpRetransmits ?? null,
    retransmissions: trial.retransmissions ?? null,
    disturbed: trial.disturbed,
    coreDistance: trial.coreDistance ?? null,
    lostShare: trial.lostShare ?? null,
    foreignShare: trial.foreignShare ?? null,
    brokerRestarted: trial.brokerRestarted ?? null,
    used,
    histogram: trial.histogram,
  };
}

/** One-way latencies between hosts. Each figure by itself is known only if it is several times the error bound of the clocks' offset. */

/** The figures of a distribution that are times of messages. */
const times = ['meanMs', 'minMs', 'maxMs', ...Object.keys(percentiles)];
/** The figures that are known if the mean is. */
const ofMean = ['stdevMs', 'ci95Ms'];

/**
 * Withholds the figures of one-way messages that the clocks of the hosts do not support.
 * @template {Pick<Figures, 'rtt' | 'latencies' | 'trials'>} Whole @param {Whole} figures of a cell
 * @param {readonly JournalTrial[]} trials those that count @returns {Whole & Pick<Figures, 'oneWay'>}
 */
export function withKnownLatencies(figures, trials) {
  const bounds = trials.flatMap(({oneWay}) => oneWay?.clockBoundMs ?? []);
  if (bounds.length === 0) return {...figures, oneWay: null};
  const clockBoundMs = Math.max(...bounds);
  const leastMs = thresholds.clockBounds * clockBoundMs;
  const {service, ...latencies} = figures.latencies;
  const known = {rtt: knownOf(figures.rtt, leastMs), service: knownOf(service ?? null, leastMs)};
  const withheld = known.rtt.withheld || known.service.withheld;
  return {
    ...figures,
    rtt: known.rtt.figures,
    latencies: known.service.figures ? {...latencies, service: known.service.figures} : latencies,
    // Every figure that is withheld could be computed from the histograms.
    trials: withheld
      ? figures.trials.map((trial) => ({...withhold(trial, leastMs), histogram: null}))
      : figures.trials,
    oneWay: {clockBoundMs, withheld},
  };
}

/**
 * @template {object} Distribution @param {Distribution | null} figures null: an older version has withheld all of them
 * @param {number} leastMs @returns {{figures: Distribution | null, withheld: boolean}} figures: null if none is known
 */
function knownOf(figures, leastMs) {
  if (!figures) return {figures, withheld: true};
  const known = withhold(figures, leastMs);
  const isKnown = times.some((name) => typeof Reflect.get(known, name) === 'number');
  const withheld = times.some((name) => Reflect.get(known, name) !== Reflect.get(figures, name));
  return {figures: isKnown ? known : null, withheld};
}

/**
 * @template {object} Distribution @param {Distribution} figures @param {number} leastMs
 * @returns {Distribution} with null in place of what is less, and of its interval
 */
function withhold(figures, leastMs) {
  const isLess = (/** @type {string} */ name) => {
    const value = Reflect.get(figures, name);
    return typeof value === 'number' && value < leastMs;
  };
  const unknown = [...times.filter(isLess), ...(isLess('meanMs') ? ofMean : [])];
  const known = withNulls(figures, unknown);
  return 'ci95' in known && known.ci95 ? {...known, ci95: withNulls(known.ci95, unknown)} : known;
}

/** @template {object} Whole @param {Whole} whole @param {readonly string[]} names @returns {Whole} with null under each of these names that it has */
function withNulls(whole, names) {
  const nulls = names.filter((name) => name in whole).map((name) => [name, null]);
  return {...whole, ...Object.fromEntries(nulls)};
}

/** @type {CpuRule} */
const wholeCpu = {countsClient: true, countedAs: 'received'};

/**
 * What the roles of a cell used, where they ran, and what kept them from running, over the measured parts.
 * @param {readonly JournalTrial[]} used those that count
 * @param {CpuRule} [rule] @returns {Pick<Figures, 'cpu' | 'placement' | 'coreState' | 'interference'>}
 */
function resourcesOf(used, rule = wholeCpu) {
  const [{placement = null}] = used;
  const received = sum(used.map(({counts}) => counts.received));
  const served = rule.countedAs === 'served' ? sum(used.map((trial) => trial.served)) : received;
  return {
    cpu: {
      client: rule.countsClient ? cpuOf(used, 'client', received) : null,
      server: cpuOf(used, 'server', served),
      broker: cpuOf(used, 'broker', served),
      ...(rule.serverInClient && {serverInClient: true}),
    },
    // Processes of a battle stay where they are; one that is resumed elsewhere has its first place here, and each in its trials.
    placement: placement && {threads: 'all', ...placement},
    coreState: coreStateOf(used),
    interference: {client: interferenceOf(used, 'client'), server: interferenceOf(used, 'server')},
  };
}

/** @param {readonly JournalTrial[]} trials */
function coreStateOf(trials) {
  const [first, ...others] = new Set(trials.map(({coreState = 'sleeping'}) => coreState));
  return others.length > 0 ? 'mixed' : first;
}

/** @param {readonly JournalTrial[]} trials @param {'client' | 'server' | 'broker'} role @param {number} messages by which it is divided */
function cpuOf(trials, role, messages) {
  const usages = trials
    .map((trial) => /** @type {(CpuTimes & {checkingMs?: number}) | null} */ (trial.usage[role]))
    .filter((usage) => usage !== null);
  if (usages.length < trials.length) return null;
  const checkingMs = sum(usages.map((usage) => usage.checkingMs ?? 0));
  const userMs = sum(usages.map((usage) => usage.userMs));
  const systemMs = sum(usages.map((usage) => usage.systemMs));
  const wallMs = sum(trials.map((trial) => trial.wallMs));
  return {
    userMs,
    systemMs,
    percent: wallMs > 0 ? (100 * (userMs + systemMs)) / wallMs : null,
    microsPerMessage: messages > 0 ? (Math.max(0, userMs + systemMs - checkingMs) * 1000) / messages : null,
    maxRssBytes: maxOfKnown(usages, 'maxRssBytes'),
  };
}

/** What kept a role from its work, over the trials that count. @param {readonly JournalTrial[]} trials @param {'client' | 'server'} role */
function interferenceOf(trials, role) {
  const usages = trials.flatMap(({usage}) => usage[role] ?? []);
  if (usages.length < trials.length) return null;
  return {
    runDelayMs: sumOfKnown(usages, 'runDelayMs'),
    stealMs: sumOfKnown(usages, 'stealMs'),
    throttledMs: sumOfKnown(usages, 'throttledMs'),
    involuntarySwitches: sumOfKnown(usages, 'involuntarySwitches'),
    migrations: sumOfKnown(usages, 'migrations'),
    gcMs: sumOfKnown(usages, 'gcMs'),
    loopDelayMaxMs: maxOfKnown(usages, 'loopDelayMaxMs'),
  };
}
