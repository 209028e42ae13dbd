import {missingCapability, planCells} from '../../battle/plan.js';
import {labelsOf} from '../../battle/variants.js';
import {brokerKindNamed} from '../../brokers/index.js';
import {counted, nameOfVariant} from '../../columns/names.js';
import {UsageError} from '../../errors.js';
import {endsItsTarget, faultNamed, targetIn} from '../../faults/faults.js';
import {isAskedFor, overlay, withValues} from '../../options/resolve.js';
import {minNumberedBytes} from '../../payload/stamp.js';
import {
  brokerNeedOf,
  brokersOf,
  isOfWholeGroup,
  maxServersOf,
  transportNamed,
} from '../../transports/index.js';
import {workloads} from '../../workloads/index.js';

/**
 * @import {Cell} from '../../battle/types.js'
 * @import {AskedFault, FaultName} from '../../faults/faults.js'
 * @import {FoundOfRow, Row} from '../../faults/found.js'
 * @import {BattleSettings, FaultSettings} from '../../settings/index.js'
 * @import {LoadSettings} from './types.js'
 */

/**
 * The workloads that put messages into a queue, send requests, send one-way messages, publish messages to subscribers, and send requests with a window.
 * The load of requests has a window anyway.
 */
const [storing, asking, streaming, publishing, pipelined] = [
  Object.values(workloads).filter(({needs}) => needs.includes('store')),
  Object.values(workloads).filter(({isRoundTrips}) => isRoundTrips),
  Object.values(workloads).filter(({needs}) => needs.includes('send')),
  Object.values(workloads).filter(({broadcasts}) => broadcasts),
  Object.values(workloads).filter(({keepsWindowFull, isRoundTrips}) => keepsWindowFull && !isRoundTrips),
].map(([{name}]) => name);
/** The workloads whose requests have a load of their own. */
const accounted = Object.values(workloads).flatMap(({name, underFaults}) => (underFaults ? [name] : []));
const allowed = [storing, asking, streaming, publishing, ...accounted];

export {asking};

/** A rate below the knee of every transport on a small host, in messages per second. */
export const defaultLoad = {rate: [500], window: [64]};

/**
 * Returns the rows of a run: the variants of a battle with these settings, of one payload size.
 * @param {FaultSettings} settings @returns {Row[]} @throws {UsageError}
 */
export function rowsOf(settings) {
  const {values} = settings;
  const [payloadBytes, ...more] = values.payloadBytes;
  if (more.length > 0) throw new UsageError('faults takes one payload size: give one with --payload.');
  if (payloadBytes < minNumberedBytes)
    throw new UsageError(
      `faults numbers each message, which takes ${minNumberedBytes} bytes. --payload is ${payloadBytes}.`,
    );
  const other = values.transport
    .flatMap((name) => workloadsOf(name, settings))
    .find((name) => !allowed.includes(name));
  if (other !== undefined)
    throw new UsageError(
      `faults takes --workload ${allowed.join(', ')} or ${pipelined}; it was given ${other}. ${workloads[other].withoutFaults ?? 'Its messages have no account.'}`,
    );
  const cells = values.transport.flatMap((name) => {
    const {runsPrograms, answersInClient} = transportNamed(name);
    if (runsPrograms) refusePrograms(name, settings);
    if (answersInClient && isOfWholeGroup(name, values.transport)) return [];
    if (answersInClient)
      throw new UsageError(
        `faults does not take --transport ${name}: a thread of the client answers, and not the server that it would harm.`,
      );
    return workloadsOf(name, settings)
      .filter(
        (workload) =>
          missingCapability(name, workloads[workload]) === undefined ||
          !isOfWholeGroup(name, values.transport),
      )
      .flatMap((workload) => cellsOf(settings, {name, workload}));
  });
  const given = cells.find(({transport, variant}) => transportNamed(transport).serverOf?.(variant));
  if (given)
    throw new UsageError(
      `faults does not take ${given.labels.facilitator}: it harms only servers and brokers that it has started.`,
    );
  return named(cells.map(rowOf))
    .flatMap((row) => withServers(row, values.servers))
    .flatMap((row) => withResend(row, settings))
    .map((row, index) => ({...row, number: index + 1}));
}

/**
 * Returns the workloads of a transport's rows: those that the user or a preset chose, otherwise the one for its queue or its requests.
 * @param {string} transport @param {FaultSettings} settings
 * @returns {readonly string[]}
 */
export function workloadsOf(transport, {values, origins}) {
  if (isAskedFor(origins.workload) || origins.workload.kind === 'preset')
    return [...new Set(values.workload.map((name) => (name === pipelined ? asking : name)))];
  const {capabilities, runsPrograms} = transportNamed(transport);
  return [capabilities.includes('store') && !runsPrograms ? storing : asking];
}

/** @param {string} name @param {FaultSettings} settings @throws {UsageError} for programs whose messages cannot be accounted for */
function refusePrograms(name, settings) {
  const {values} = settings;
  const why = !values.fault.some((fault) => faultNamed(fault.name).target === 'daemon')
    ? 'the only fault for programs is kill-daemon (--fault kill-daemon)'
    : brokersOf(name, values).length > 0
      ? 'programs behind a broker have no fault'
      : workloadsOf(name, settings).some((workload) => workload !== asking)
        ? `it accounts for --workload ${asking} of programs alone`
        : null;
  if (why !== null) throw new UsageError(`faults does not take --transport ${name} here: ${why}.`);
}

/** @param {Cell} cell @returns {Row} */
function rowOf(cell) {
  const {number, transport, variant, payloadBytes, workload} = cell;
  const stores = workload === storing;
  const need = brokerNeedOf(cell);
  const broker = need?.kind ?? null;
  const ofBroker = {broker, brokerSettings: need?.settings ?? {}, brokerNodes: variant.brokerNodes ?? 1};
  const way = {
    ...((workload === streaming || workload === publishing) && {isOneWay: /** @type {const} */ (true)}),
    ...(workload === publishing && {subscribers: Number(variant.subscribers)}),
    ...(accounted.includes(workload) && {workload}),
  };
  // All rows have the window of the load, so that it names none.
  const {window: _, ...own} = variant;
  const labels = labelsOf(transportNamed(transport), own, workloads[workload]);
  return {number, transport, variant, labels, payloadBytes, stores, ...way, ...ofBroker};
}

/** Names the workload of a row whose transport has rows of several workloads. @param {readonly Row[]} rows @returns {Row[]} */
function named(rows) {
  return rows.map((row) => {
    const {workload} = cellOf(row);
    const isAlone = rows.every(
      (other) => other.transport !== row.transport || cellOf(other).workload === workload,
    );
    const {labels} = row;
    return isAlone ? row : {...row, labels: {...labels, settings: [...labels.settings, workload]}};
  });
}

/** The workload of the processes of a row under a steady load. @param {Row} row */
export function loadWorkloadOf({stores, isOneWay, subscribers, workload}) {
  if (workload !== undefined) return `account/${workload}`;
  if (subscribers !== undefined) return 'account/broadcast';
  return stores ? 'account/store' : isOneWay ? 'account/stream' : 'account/requests';
}

/** Returns the features of a row that decide which settings have an effect on it. @param {Row} row */
export function cellOf({transport, variant: own, stores, isOneWay, subscribers, workload = asking}) {
  const variant = /** @type {Cell['variant']} */ (own);
  const oneWay = subscribers === undefined ? streaming : publishing;
  return {transport, variant, workload: stores ? storing : isOneWay ? oneWay : workload};
}

/**
 * Returns a row for each number of servers, because a second server takes over from the first one. A battle with one client has no use for it.
 * @param {Row} row @param {readonly number[]} counts
 */
function withServers(row, counts) {
  if (row.stores || row.subscribers !== undefined) return [row];
  const maxServers = maxServersOf(row);
  const possible = counts.filter((count) => count <= maxServers);
  if (possible.length === 0)
    throw new UsageError(
      `--transport ${row.transport} supports at most ${counted(maxServers, 'server')}; --servers is ${counts.join()}.`,
    );
  return possible.map((count) => {
    const named = count === 1 ? [] : [`${count} servers`];
    const labels = {...row.labels, settings: [...row.labels.settings, ...named]};
    return {...row, variant: {...row.variant, servers: count}, labels};
  });
}

/**
 * Returns a row with and a row without resending for requests. A queue keeps the same messages in both cases, so it has both rows only if the user
 * asks for them. A message without an outcome is never sent again.
 * @param {Row} row @param {FaultSettings} settings
 */
function withResend(row, {values: {resend: asked}, origins}) {
  if (!hasOutcomes(row)) return [{...row, resend: false}];
  const choices = row.stores && !isAskedFor(origins.resend) ? asked.slice(0, 1) : asked;
  const named = (/** @type {boolean} */ resend) => (resend && choices.length > 1 ? ['sent again'] : []);
  return choices.map((resend) => ({
    ...row,
    resend,
    labels: {...row.labels, settings: [...row.labels.settings, ...named(resend)]},
  }));
}

/** Whether the sender learns of each message whether it arrived: no one-way message, and no message to a queue that confirms nothing. @param {Row} row */
export function hasOutcomes({transport, variant, stores, isOneWay}) {
  if (isOneWay) return false;
  return !stores || (transportNamed(transport).boundsSends?.(/** @type {any} */ (variant)) ?? true);
}

/** @param {BattleSettings} settings @param {{name: string, workload: string}} what */
function cellsOf(settings, {name, workload}) {
  // --rate is the rate of the load, and does not add rows.
  const own = /** @type {any} */ ({transport: [name], workload: [workload], servers: [1], rate: null});
  const {byHand, underFaults} = workloads[workload];
  // A setting of which a battle measures several values has one value.
  const values = /** @type {any} */ (underFaults ? {...underFaults, window: defaultLoad.window} : byHand);
  const single = overlay(settings, values ?? {}, {kind: 'preset', name: 'faults'});
  const cells = planCells(withValues(single, own)).filter(({transport}) => transport === name);
  if (cells.length === 0)
    throw new UsageError(`faults cannot use --workload ${workload} with --transport ${name}.`);
  return cells;
}

/**
 * @param {Row} row @param {string} pair unique
 * @returns {Record<string, string>} the names of a row on its broker, by the key of their option; and `pair`
 */
export function rowNames({broker}, pair) {
  if (broker === null) return {pair};
  const own = brokerKindNamed(broker).nameOptions.map(({key, default: name}) => [key, `${name}-${pair}`]);
  return {...Object.fromEntries(own), pair};
}

/** @param {Row} row */
export function nameOf({labels}) {
  return nameOfVariant(labels);
}

/**
 * Returns how often a fault is injected: once if its target stays down, and once if the user chose its time but not the number of tries.
 * @param {AskedFault} asked @param {FaultSettings} settings
 */
export function triesOf({name, at}, {values, origins}) {
  if (staysDown(name, values)) return 1;
  return at !== null && !isAskedFor(origins.tries) ? 1 : values.tries;
}

/** The timeout is shorter than the rest of the load after a fault. */
const hiddenTimeoutMs = 2000;

/**
 * Returns how long a load waits for the outcome of a message. A broker hides the death of a server, or of its connection, so a whole window of requests may
 * wait for its timeout. A paused server answers later. A broker that stores messages may never answer.
 * @param {Pick<Row, 'transport' | 'stores' | 'broker' | 'isOneWay'>} row @param {FaultName | null} fault null for no fault @param {FaultSettings} settings
 */
export function timeoutOf({transport, stores, broker, isOneWay}, fault, {values: {timeoutMs}, origins}) {
  if (isOneWay || broker === null || fault === null || isAskedFor(origins.timeoutMs)) return timeoutMs;
  if (stores) return Math.min(timeoutMs, transportNamed(transport).publishTimeoutMs ?? timeoutMs);
  const done = faultNamed(fault);
  const isHidden = done.target === 'connection' || (done.target === 'server' && endsItsTarget(done));
  return isHidden ? Math.min(timeoutMs, hiddenTimeoutMs) : timeoutMs;
}

/**
 * Returns the timeouts that faults have of their own, as `timeoutOf` has them.
 * @param {FaultSettings} settings
 * @returns {{fault: FaultName, timeoutMs: number, transports: string[]}[]} transports: those whose requests have it
 */
export function ownTimeouts(settings) {
  const {values} = settings;
  return values.fault.flatMap(({name: fault}) => {
    const timeoutWith = (/** @type {string} */ name) => {
      const asks = workloadsOf(name, settings).some((one) => one === asking || accounted.includes(one));
      const stores = !asks;
      return timeoutOf(
        {transport: name, stores, broker: brokersOf(name, values)[0] ?? null},
        fault,
        settings,
      );
    };
    const transports = values.transport.filter((name) => timeoutWith(name) !== values.timeoutMs);
    return transports.length > 0 ? [{fault, timeoutMs: timeoutWith(transports[0]), transports}] : [];
  });
}

/**
 * Returns the load of a row. A default rate is at most half of what the row sustained, so that an outage contains no backlog of the load itself.
 * @param {Pick<FoundOfRow, 'evidence'>} found @param {LoadSettings} load @param {Pick<FaultSettings, 'origins'>} settings
 * @returns {LoadSettings}
 */
export function loadOfRow({evidence}, load, {origins}) {
  const sustained = evidence?.ratePerSecond ?? null;
  if (origins.rate.kind !== 'default' || sustained === null) return load;
  return {...load, rate: Math.min(load.rate, Math.max(1, Math.floor(sustained / 2)))};
}

/** Returns whether the target of a fault ends and is not restarted. @param {FaultName} name @param {Pick<FaultSettings['values'], 'respawn'>} values */
export function staysDown(name, {respawn}) {
  const fault = faultNamed(name);
  // Only the program itself could start its daemon again.
  return fault.target === 'daemon' || (!respawn && endsItsTarget(fault));
}

/** Returns whether a fault has a target in a row. @param {FaultName} name @param {Row} row */
export function applies(name, {transport, stores, subscribers, broker, brokerNodes}) {
  const fault = faultNamed(name);
  const {isCut, nodesHit = () => 1} = fault;
  const target = targetIn(fault, {stores});
  const {runsPrograms = false} = transportNamed(transport);
  if (runsPrograms || target === 'daemon') return runsPrograms && target === 'daemon';
  // A power cut copies the disk of a running broker, and its disk has no requests.
  if (isCut && !stores) return false;
  if (target === 'consumer') return stores && transportNamed(transport).guarantees?.consumer !== undefined;
  if (target === 'node') return brokerNodes > 1 && nodesHit(brokerNodes) > 0;
  const {needsOneHost = false, usesDatagrams = false} = transportNamed(transport);
  if (target === 'connection') return !needsOneHost && !usesDatagrams;
  if (target === 'network') return !needsOneHost;
  if (target === 'broker') return broker !== null;
  // A broker with subscribers copies the messages itself. Its server only answers that it is there.
  return !stores && (subscribers === undefined || broker === null);
}
