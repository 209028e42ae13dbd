import {Pace} from '../../src/battle/estimate.js';
import {runBattle} from '../../src/battle/run-battle.js';
import {newBattle} from '../../src/battle/state.js';
import {resolveOptions} from '../../src/options/resolve.js';
import {allOptions, optionsOfBattle} from '../../src/settings/index.js';
import {resolveBattle} from '../../src/settings/resolve-battle.js';
import {Histogram} from '../../src/stats/histogram.js';

/**
 * @import {BattleEvent, BattleState, Cell, TrialOutcome, TrialRequest} from '../../src/battle/types.js'
 * @import {Failure} from '../../src/errors.js'
 */

/** What the records of these battles share. */
export const context = {
  ...{startedAt: '2026-11-21T12:00:00.000Z', environment: 'local', machine: 'm', versions: {}},
  hosts: {localhost: {clockReadNanos: 50, cpu: {}, cores: 2}},
  ...{roles: {client: 'localhost', server: 'localhost'}, brokers: {}, config: {}},
};

/** @param {Record<string, string[]>} flags */
export function settingsFor(flags) {
  const asked = resolveOptions(allOptions, {scope: 'battle', mine: optionsOfBattle, flags});
  return resolveBattle(asked, {payloadFileBytes: null, seed: 7});
}

/**
 * A battle of TCP and HTTP (and RabbitMQ in mode 1), at one size and in one piece, unless the flags say otherwise.
 * @param {Record<string, string[]>} [flags]
 * @returns {BattleState}
 */
export function battleOf(flags = {}) {
  return newBattle(
    settingsFor({
      ...{
        transport: ['http'],
        'http-server': ['node'],
        payload: ['1kb'],
        'delivery-mode': ['1'],
        seed: ['7'],
        slices: ['off'],
      },
      ...flags,
    }),
  );
}

/**
 * Runs a battle whose trials have the outcomes that a test gives.
 * @param {BattleState} state
 * @param {(request: TrialRequest, name: string) => TrialOutcome | Promise<TrialOutcome>} outcomeOf
 * @param {{signal?: AbortSignal, journal?: ReturnType<typeof memoryJournal>, pace?: Pace, warmUpsAtOnce?: number, pairsAtOnce?: number,
 *   distances?: readonly number[], distance?: () => Promise<number | null>}} [deps] distances: of the cores, one after the other; the last one stays
 */
export async function run(
  state,
  outcomeOf,
  {
    signal = new AbortController().signal,
    journal = memoryJournal(),
    pace = new Pace(null, () => 0),
    warmUpsAtOnce = 1,
    pairsAtOnce = Number.POSITIVE_INFINITY,
    distances,
    distance = distances && answersOf([...distances]),
  } = {},
) {
  /** @type {string[]} */
  const trials = [];
  /** The cells that each pair measured, and where it was closed. @type {(number | 'closed')[][]} */
  const pairs = [];
  /** @type {BattleEvent[]} */
  const events = [];
  const openPair = async (/** @type {TrialRequest} */ {round, isBeside}) => {
    /** @type {(number | 'closed')[]} */
    const measured = [];
    pairs.push(measured);
    const pair = {
      isUsable: true,
      async measure(/** @type {Cell} */ cell) {
        const request = {cell, round, ...(isBeside && {isBeside})};
        if (!isBeside) trials.push(nameOf(request));
        measured.push(cell.number);
        const outcome = await outcomeOf(request, nameOf(request));
        pair.isUsable = outcome.outcome === 'completed' && outcome.counts.lost === 0;
        return outcome;
      },
      begin(/** @type {Cell} */ cell) {
        /** @type {TrialOutcome | null} */
        let outcome = null;
        const counted = {slices: 0};
        return {
          prepare: async () => {
            outcome = await pair.measure(cell);
          },
          begin: async () => {},
          measure: async () => {
            counted.slices += 1;
          },
          end: async () => {},
          get failed() {
            return outcome?.outcome === 'failed' ? outcome : null;
          },
          typicalMs: null,
          get isClean() {
            return outcome?.outcome === 'completed' && outcome.counts.lost === 0;
          },
          get used() {
            const hosts = /** @type {any} */ ({clients: [], servers: []});
            return {hosts, used: {clients: [], servers: [], broker: null}, wallMs: 1, ofBroker: null};
          },
          finish: async () => /** @type {TrialOutcome} */ ({...outcome, ...counted}),
        };
      },
      close: async () => void (measured.at(-1) !== 'closed' && measured.push('closed')),
    };
    return pair;
  };
  const onEvent = (/** @type {BattleEvent} */ event) => void events.push(event);
  const error = await runBattle(state, {
    openPair,
    journal,
    onEvent,
    signal,
    pace,
    warmUpsAtOnce,
    pairsAtOnce,
    ...(distance && {awake: {on: () => {}, off: () => {}, distance}}),
  }).then(
    () => null,
    (reason) => reason,
  );
  return {trials, pairs, events, error, journal, stored: journal.of('trial')};
}

/** @param {number[]} left */
function answersOf(left) {
  return async () => (left.length > 1 ? /** @type {number} */ (left.shift()) : left[0]);
}

/**
 * The outcome of a trial of twenty round trips, one after the other.
 * @param {{meanMs?: number, lostShare?: number | null, foreignShare?: number, placement?: object | null, distanceNs?: number}} [trial]
 * @returns {TrialOutcome}
 */
export function completed({
  meanMs = 1,
  lostShare = 0,
  foreignShare = 0,
  placement = null,
  distanceNs = 0,
} = {}) {
  const histogram = new Histogram();
  for (let sample = 0; sample < 20; sample += 1) histogram.add(meanMs * 1e6);
  const usage = {
    wallMs: 20 * meanMs,
    userMs: 5,
    systemMs: 5,
    maxRssBytes: 1e8,
    eventLoopShare: 0.5,
    host: null,
  };
  const counts = {sent: 20, received: 20, lost: 0, verified: 20, duplicated: 0, reordered: 0};
  const outcome = {
    ...{outcome: 'completed', startedAt: '2026-11-21T12:00:00.000Z', figureMs: meanMs, wallMs: 20 * meanMs},
    ...histogram.encode(),
    ...{messagesPerSecond: 1000 / meanMs, summedPerSecond: 1000 / meanMs, discarded: 0, windows: null},
    counts: {...counts, corrupted: 0, retried: 0, timedOut: 0},
    ...{beside: {}, phases: {}, notes: {}, details: {}, oneWay: null, served: 20, elapsedMs: 20 * meanMs},
    usage: {client: usage, server: usage, broker: null},
    hostLoads: [{host: 'alpha', busyMs: 10, stealMs: 0, capacityMs: 1000, oursMs: 10}],
    ...{lostShare, foreignShare, placement},
    ...(distanceNs > 0 && {coreDistance: {p10Ns: distanceNs, p50Ns: distanceNs, p90Ns: distanceNs}}),
  };
  return /** @type {any} */ (outcome);
}

/** @param {Partial<Failure>} [error] @returns {TrialOutcome} */
export function failed({code = 'PB_RUN', message = 'It broke.', exitCode = 1} = {}) {
  return {outcome: 'failed', startedAt: '2026-11-21T12:00:00.000Z', error: {code, message, exitCode}};
}

/** A journal in memory. */
export function memoryJournal() {
  /** @type {Record<string, any>[]} */
  const entries = [];
  return {
    entries,
    path: 'results.ndjson',
    /** @param {...Record<string, unknown>} added */
    append: async (...added) => void entries.push(...added.map((entry) => JSON.parse(JSON.stringify(entry)))),
    /** @param {string} kind */
    of: (kind) => entries.filter((entry) => entry.kind === kind),
  };
}

/**
 * The name of a trial in these tests, such as http 2.
 * @param {TrialRequest} request
 */
function nameOf({cell, round}) {
  return `${cell.transport} ${round}`;
}
