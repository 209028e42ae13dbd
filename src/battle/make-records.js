import {isHere} from '../measure/network.js';
import {figuresOf} from '../results/cell-figures.js';
import {trialsThatCount} from '../results/comparable.js';
import {verdictOfRatio} from '../stats/thresholds.js';
import {brokerNeedOf, brokerOf, findTransport, floorTransport, keyOfNeed} from '../transports/index.js';
import {floorOf, meanMsOf, ratioOfCells} from '../verdict/compare-cells.js';
import {verdictOnRatio} from '../verdict/comparison.js';
import {judge} from '../verdict/warnings.js';
import {workloads} from '../workloads/index.js';
import {movedIn} from './core-distances.js';
import {guaranteeOf, surviveTheSame} from './guarantees.js';
import {progressOf} from './state.js';
import {labelsOf} from './variants.js';

/**
 * @import {CellRecord} from '../results/record-schema.js'
 * @import {JournalTrial} from '../results/types.js'
 * @import {Evidence} from '../verdict/warning.js'
 * @import {BattleContext, BattleState, Cell} from './types.js'
 */

/**
 * Makes the records of a battle's cells, after the last round or an interruption.
 * @param {BattleState} state @param {BattleContext} context
 * @param {{complete: boolean}} how complete: if false, cells that have not failed are aborted
 * @returns {CellRecord[]} in the order of the plan
 */
export function makeRecords(state, context, {complete}) {
  const moved = movedIn(state, state.cells);
  const drafts = state.cells.map((cell) => draft(cell, state, context, {complete, moved}));
  const evidence = drafts.flatMap(({evidence: one}) => (one ? [one] : []));
  const verdicts = judge(evidence);
  return drafts.map(({identity, error, evidence: one}) => {
    const verdict = one && verdicts.get(one.id);
    if (one && verdict)
      return {
        ...identity,
        outcome: /** @type {const} */ ('completed'),
        ...one.figures,
        floor: floorFigure(one, evidence, verdicts),
        vsFastest: fastestFigure(one, evidence, verdicts),
        verdict,
      };
    if (error)
      return {
        ...identity,
        outcome: /** @type {const} */ ('failed'),
        error: {code: error.code, message: error.message},
      };
    return {...identity, outcome: /** @type {const} */ ('aborted')};
  });
}

/** @param {Cell} cell @param {BattleContext} context */
function versionsFor(cell, {versions, brokerVersions = {}}) {
  const need = findTransport(cell.transport) ? brokerNeedOf(cell) : null;
  return need === null ? versions : {...versions, ...brokerVersions[keyOfNeed(need)]};
}

/**
 * @param {Cell} cell @param {BattleState} state @param {BattleContext} context
 * @param {{complete: boolean, moved: ReadonlySet<JournalTrial>}} how
 */
function draft(cell, state, context, {complete, moved}) {
  const {trials, error} = progressOf(state, cell.number);
  const variant = {...cell.variant, ...trials.at(-1)?.details};
  // A record of a killed battle may need a transport that is not loaded in this process.
  const transport = findTransport(cell.transport);
  const place = transport?.serverOf?.(variant) ?? null;
  const isApart = place !== null && context.environment === 'local' && !isHere(place.host);
  const versions = versionsFor(cell, context);
  const guarantee = guaranteeOf(cell, {guarantees: state.guarantees, versions});
  const identity = {
    schema: /** @type {const} */ (1),
    kind: /** @type {const} */ ('cell'),
    id: `${state.id}-${cell.number}`,
    battleId: state.id,
    startedAt: trials[0]?.startedAt ?? context.startedAt,
    transport: cell.transport,
    variant,
    labels: transport ? labelsOf(transport, variant, workloads[cell.workload]) : cell.labels,
    ...(cell.module && {module: cell.module}),
    ...(guarantee && {guarantee}),
    workload: cell.workload,
    comparedBy: workloads[cell.workload].figure,
    payloadBytes: cell.payloadBytes,
    environment: isApart ? 'cross-host' : context.environment,
    machine: context.machine,
    hosts: {
      ...context.roles,
      ...(place && {server: isHere(place.host) ? context.roles.client : place.host}),
      broker: brokerHost(cell, context),
    },
    versions,
    seed: state.values.seed,
    ...roundsOf(state),
    config: context.config,
  };
  if (error || !complete || trials.length === 0) return {identity, error, evidence: null};
  const workload = workloads[cell.workload];
  const {aggregate = 'mean'} = workload;
  const figures = {
    ...figuresOf(trials, {
      payloadBytes: cell.payloadBytes,
      aggregate,
      moved,
      linkBytesPerSecond: context.linkBytesPerSecond ?? null,
      offeredPerSecond: workload.offeredRate?.(cell.variant) ?? null,
      cpu: {...workload.cpu(cell.variant), ...(transport?.answersInClient && {serverInClient: true})},
    }),
    floor: null,
    vsFastest: null,
  };
  /** @type {Evidence} */
  const evidence = {
    id: identity.id,
    transport: cell.transport,
    variant: cell.variant,
    workload: cell.workload,
    comparedBy: workload.figure,
    aggregate,
    ...(guarantee && {guarantee}),
    isFloor: cell.transport === floorTransport.name,
    mayBeatFloor: findTransport(cell.transport)?.mayBeatFloor ?? false,
    maxInFlight: workload.concurrency(cell.variant),
    keepsWindowFull: workload.keepsWindowFull ?? false,
    busyRoles: workload.busyRoles(cell.variant),
    payloadBytes: cell.payloadBytes,
    host: context.hosts[context.roles.client.split(', ')[0]],
    figures,
    trials: trialsThatCount(trials, moved),
  };
  return {identity, error: null, evidence};
}

/** @param {BattleState} state */
function roundsOf({stoppedBy, progress}) {
  if (stoppedBy === null) return {};
  const rounds = [...progress.values()].flatMap(({trials}) => trials.map(({round}) => round));
  return {rounds: {count: Math.max(0, ...rounds), stoppedBy}};
}

/** A context from a journal of version 0.1.0 has no brokers. @param {Cell} cell @param {BattleContext} context */
function brokerHost(cell, {brokers = {}}) {
  const kind = findTransport(cell.transport) ? brokerOf(cell) : null;
  return kind === null ? null : (brokers[kind] ?? null);
}

/** @param {Evidence} cell @param {readonly Evidence[]} cells @param {ReturnType<typeof judge>} verdicts */
function floorFigure(cell, cells, verdicts) {
  const floor = floorOf(cell, cells);
  const figure = floor && ratioFigure(cell, measuredBeside(floor, cell), {name: 'the floor', verdicts});
  if (!floor || !figure) return null;
  const {pValue, ...shared} = figure;
  return {meanMs: meanMsOf(floor), ...shared};
}

/**
 * Replaces the floor's trials by those from the blocks of a cell. A round may have several blocks, each with a trial of the floor.
 * @param {Evidence} floor @param {Evidence} cell
 */
function measuredBeside(floor, cell) {
  const beside = cell.trials.flatMap(({floorMs, ...trial}) =>
    floorMs === undefined ? [] : {...trial, figureMs: floorMs},
  );
  if (beside.length === 0) return floor;
  const own = floor.trials.filter(({round}) => !beside.some((trial) => trial.round === round));
  return {...floor, trials: [...own, ...beside]};
}

/**
 * The floor is excluded, because it is not a transport to choose.
 * @param {Evidence} cell @param {readonly Evidence[]} cells @param {ReturnType<typeof judge>} verdicts
 */
function fastestFigure(cell, cells, verdicts) {
  if (cell.isFloor) return null;
  const rivals = cells.filter((other) => !other.isFloor && isComparable(other, cell));
  const fastest = rivals.reduce((one, other) => (meanMsOf(other) < meanMsOf(one) ? other : one), cell);
  const figure = ratioFigure(cell, fastest, {name: 'the fastest', verdicts});
  return (
    figure && {id: fastest.id, ...figure, difference: verdictOfRatio({...figure, ci95: figure.ratioCi95})}
  );
}

/**
 * @param {Evidence} cell @param {Evidence} base
 * @param {{name: string, verdicts: ReturnType<typeof judge>}} how name: the name of the base in warnings
 */
function ratioFigure(cell, base, {name, verdicts}) {
  const ratio = ratioOfCells(cell, base);
  if (ratio === null) return null;
  const [own, other] = [cell, base].map((one) => ({
    trials: one.trials,
    verdict: verdicts.get(one.id) ?? {warnings: []},
  }));
  return {
    ratio: ratio.ratio,
    ratioCi95: ratio.ci95,
    pValue: ratio.pValue,
    verdict:
      cell.id === base.id
        ? {status: /** @type {const} */ ('valid'), warnings: []}
        : verdictOnRatio(own, {...other, name}, ratio),
  };
}

/** @param {Evidence} one @param {Evidence} other */
function isComparable(one, other) {
  return (
    one.workload === other.workload &&
    one.payloadBytes === other.payloadBytes &&
    one.figures.openLoop?.offeredPerSecond === other.figures.openLoop?.offeredPerSecond &&
    surviveTheSame(one.guarantee, other.guarantee)
  );
}
