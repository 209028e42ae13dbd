import {mean, sampleStandardDeviation} from 'simple-statistics';
import {goodClocks, percent, thresholds} from './thresholds.js';

/** @import {Evidence} from './judge.js' */

const roles = /** @type {const} */ (['client', 'server']);

/**
 * The warnings that a cell earns by itself: the condition gives the sentence, or null.
 * @type {readonly {code: string, condition: string, advice: string, applies: (cell: Evidence) => string | null}[]}
 */
export const ownWarnings = [
  {
    code: 'cpu-steal',
    condition: `CPU steal took more than ${thresholds.stealShare * 100} % of the host in a trial that counts`,
    advice:
      'Run again when the host is quiet, or on a dedicated instance; with t2 instances, check the CPU credits.',
    applies: ({trials}) => {
      const [host, share] = worstHost(trials, ({stealMs, capacityMs}) => stealMs / capacityMs, maximum);
      return share > thresholds.stealShare
        ? `The hypervisor took up to ${percent(share)} of the CPU of ${host} from a trial (CPU steal).`
        : null;
    },
  },
  {
    code: 'foreign-load',
    condition: `other processes took more than ${thresholds.foreignShare * 100} % of a role's host (median of the trials)`,
    advice: 'Stop what else runs on this host (top shows it), then run again.',
    applies: ({trials}) => {
      const [host, share] = worstHost(trials, foreignShare, median);
      return share > thresholds.foreignShare
        ? `Other processes used ${percent(share)} of the CPU of ${host} while it was measured.`
        : null;
    },
  },
  {
    code: 'saturated',
    condition: `the event loop of the client or the server was busy more than ${thresholds.eventLoopShare * 100} % of the time, where one request at a time should leave it idle`,
    advice:
      'The figure is the limit of that process rather than of the transport; look at its CPU per message.',
    applies: ({trials, busyRoles}) => {
      for (const role of roles) {
        if (busyRoles.includes(role)) continue;
        const share = mean(trials.map(({usage}) => usage[role]?.eventLoopShare ?? 0));
        if (share > thresholds.eventLoopShare)
          return `The event loop of the ${role} was busy ${percent(share)} of the time.`;
      }
      return null;
    },
  },
  {
    code: 'trials-disagree',
    condition: `the standard deviation of the trial means is more than ${thresholds.trialSpread * 100} % of their mean`,
    advice: 'Run more rounds (--rounds 10, or --precision 2%), on a quieter host.',
    applies: ({trials}) => {
      if (trials.length < 2) return null;
      const means = trials.map(({figureMs}) => figureMs);
      const spread = sampleStandardDeviation(means) / mean(means);
      return spread > thresholds.trialSpread
        ? `The trial means differ by ${percent(spread)} of their mean (standard deviation).`
        : null;
    },
  },
  {
    code: 'drift',
    condition: `of five trials or more, each is slower (or each faster) than the last: rank correlation with the round above ${thresholds.drift}`,
    advice:
      'Something changed during the battle (temperature, other load, a filling disk); run again with more rounds.',
    applies: ({trials}) => {
      if (trials.length < 5) return null;
      const correlation = rankCorrelation(trials.map(({figureMs}) => figureMs));
      return Math.abs(correlation) > thresholds.drift
        ? `The trial means ${correlation > 0 ? 'rose' : 'fell'} from round to round.`
        : null;
    },
  },
  {
    code: 'few-trials',
    condition: `fewer than ${thresholds.fewestTrials} trials count`,
    advice: 'Run at least 5 rounds: one process may differ from the next by more than its own samples show.',
    applies: ({trials}) =>
      trials.length < thresholds.fewestTrials
        ? `Only ${trials.length} trial${trials.length === 1 ? '' : 's'} count.`
        : null,
  },
  {
    code: 'few-samples',
    condition: `fewer than ${thresholds.fewestSamples} messages`,
    advice: 'Measure longer (--duration 5s) or more rounds; a p99 needs at least 1000 samples.',
    applies: ({figures}) =>
      figures.counts.received < thresholds.fewestSamples
        ? `Only ${figures.counts.received} messages were measured.`
        : null,
  },
  {
    code: 'not-warm',
    condition: 'the median had not settled when a warm-up ended',
    advice: 'Warm up longer, e.g. --warmup 3s.',
    applies: ({trials}) => {
      const cold = trials.filter(({warm}) => !warm).length;
      return cold > 0
        ? `In ${cold} of ${trials.length} trials the median had not settled when the warm-up ended.`
        : null;
    },
  },
  {
    code: 'lost',
    condition: 'a request had no reply within the timeout, or a message never came',
    advice: 'Look at the server and the broker; the times of requests are in as at least the timeout.',
    applies: ({figures: {counts}}) =>
      counts.lost > 0 ? `${counts.lost} of ${counts.sent} messages were lost or had no reply in time.` : null,
  },
  {
    code: 'corrupted',
    condition: 'a message was not what it must be',
    advice:
      'Do not use this transport as it is set up here; the journal says what was wrong with the first one.',
    applies: ({figures: {counts}, trials}) =>
      counts.corrupted > 0
        ? `${counts.corrupted} messages were wrong. ${trials.find(({mismatch}) => mismatch)?.mismatch ?? ''}`.trim()
        : null,
  },
  {
    code: 'duplicated',
    condition: 'a message came twice',
    advice: 'Deliveries were repeated: the receiver must be able to bear it, and the rate counts each once.',
    applies: ({figures: {counts}}) =>
      counts.duplicated > 0 ? `${counts.duplicated} messages came more than once.` : null,
  },
  {
    code: 'generator-behind',
    condition: `in an open loop, the p99 of the send lag is more than ${thresholds.sendLagMs} ms`,
    advice:
      'The client could not send on time, so the load was less even than asked for. Response times count from the intended time all the same; use more clients, or a lower rate.',
    applies: ({figures: {latencies, openLoop}}) => {
      const lag = openLoop ? (latencies.sendLag?.p99Ms ?? latencies.sendLag?.maxMs ?? null) : null;
      return lag !== null && lag > thresholds.sendLagMs
        ? `The p99 of the send lag was ${lag.toFixed(2)} ms.`
        : null;
    },
  },
  {
    code: 'not-keeping-up',
    condition:
      'in an open loop, less than 97 % of the offered rate was achieved, or half of the messages were sent later than by 1 % of the run',
    advice: 'This rate lies beyond the knee: response times grow with the length of the run and say little.',
    applies: ({figures: {openLoop}}) =>
      openLoop && !openLoop.keepsUp
        ? `Of ${openLoop.offeredPerSecond} messages per second ${openLoop.achievedPerSecond.toFixed(0)} were achieved.`
        : null,
  },
  {
    code: 'littles-law',
    condition: `in a closed loop, the mean times the rate says that more than ${thresholds.littlesLaw} times as many requests were outstanding as there may be`,
    advice: 'The instrument contradicts itself: report this with the journal.',
    applies: ({trials, variant, maxInFlight, figures}) => {
      if (figures.openLoop) return null;
      const most = maxInFlight * (variant.clients ?? 1);
      const outstanding = Math.max(
        ...trials.map(({samples, meanMs, usage}) => ((meanMs ?? 0) * samples) / usage.client.wallMs),
      );
      return outstanding > thresholds.littlesLaw * most
        ? `By Little's law ${outstanding.toFixed(2)} requests were outstanding where at most ${most} could be.`
        : null;
    },
  },
  {
    code: 'slow-clock',
    condition: `the kernel's clock source is not one of ${goodClocks.join(', ')}`,
    advice:
      'Choose a fast clock source: echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource.',
    applies: ({host}) =>
      host.clockSource !== null && !goodClocks.includes(host.clockSource)
        ? `The kernel's clock source is ${host.clockSource}, which is slow to read.`
        : null,
  },
];

/**
 * @typedef {Evidence['trials'][number]} Trial
 * @typedef {Trial['hostLoads'][number]} HostLoad
 */

/**
 * The host of which most is to be said.
 * @param {readonly Trial[]} trials
 * @param {(load: HostLoad) => number | null} shareOf null where it cannot be had
 * @param {(shares: readonly number[]) => number | null} summarize of all trials
 * @returns {[string, number]} its name, and its share: 0 where there is none
 */
function worstHost(trials, shareOf, summarize) {
  /** @type {Map<string, number[]>} */
  const shares = new Map();
  for (const load of trials.flatMap(({hostLoads}) => hostLoads)) {
    const share = shareOf(load);
    if (share !== null) shares.set(load.host, [...(shares.get(load.host) ?? []), share]);
  }
  /** @type {[string, number][]} */
  const summaries = [...shares].map(([host, some]) => [host, summarize(some) ?? 0]);
  return summaries.toSorted(([, one], [, other]) => other - one)[0] ?? ['', 0];
}

/** What neither roles nor broker used. @param {HostLoad} load */
function foreignShare({busyMs, capacityMs, oursMs}) {
  return oursMs === null ? null : Math.max(0, busyMs - oursMs) / capacityMs;
}

/** @param {readonly number[]} values */
function maximum(values) {
  return Math.max(...values);
}

/** Spearman's rank correlation of values with their order. @param {readonly number[]} values */
function rankCorrelation(values) {
  const ranks = values.map((value) => values.filter((other) => other < value).length);
  const count = values.length;
  const squares = ranks.reduce((total, rank, index) => total + (rank - index) ** 2, 0);
  return 1 - (6 * squares) / (count * (count ** 2 - 1));
}

/** @param {readonly number[]} values */
function median(values) {
  if (values.length === 0) return null;
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
