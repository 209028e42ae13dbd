import {checkEffects} from '../../battle/effects.js';
import {UsageError} from '../../errors.js';
import {faultNamed, faultNames} from '../../faults/faults.js';
import {openHosts} from '../../hosts/index.js';
import {monotonicMs} from '../../measure/clock.js';
import {isAskedFor, overlay} from '../../options/resolve.js';
import {wholeTable} from '../../presets/faults.js';
import {transportNamed, transportOptions} from '../../transports/index.js';
import {workloadOptionsUnderFaults} from '../../workloads/index.js';
import {
  applies,
  cellOf,
  defaultLoad,
  hasOutcomes,
  ownTimeouts,
  rowsOf,
  staysDown,
  workloadsOf,
} from './rows.js';

/**
 * @import {Broker} from '../../brokers/kind.js'
 * @import {AskedFault, FaultName} from '../../faults/faults.js'
 * @import {Row} from '../../faults/found.js'
 * @import {FaultPreset} from '../../presets/types.js'
 * @import {Origin} from '../../options/contract.js'
 * @import {Exception} from '../../settings/describe-settings.js'
 * @import {FaultSettings} from '../../settings/index.js'
 * @import {Elsewhere, FaultPlan, Places} from './types.js'
 */

/** @type {readonly AskedFault[]} */
const faultsOfAllSettings = faultNames.flatMap((name) => {
  const {isDefault, isOfAllSettings} = faultNamed(name);
  return isDefault || isOfAllSettings ? [{name, at: null}] : [];
});
const defaults = {payloadBytes: [1024]};
/** @type {Origin} */
const byDefault = {kind: 'default', name: 'faults'};

/**
 * Plans a run of faults, and starts nothing.
 * @param {FaultSettings} asked without a preset @param {FaultPreset | null} preset @returns {FaultPlan}
 * @throws {UsageError} when a fault has no target, or is impossible
 */
export function planFaults(asked, preset) {
  const settings = settingsOfRun(asked, preset);
  const {values} = settings;
  const rows = rowsOf(settings);
  refuseWithoutTarget(settings, rows);
  refuseLonelyServers(settings, rows);
  refusePlaces(settings, rows);
  refuseLoadOfPrograms(settings);
  refuseResend(settings, rows);
  refuseServers(settings, rows);
  const load = {
    rate: only(values.rate, '--rate') ?? defaultLoad.rate[0],
    window: only(values.window, '--window') ?? defaultLoad.window[0],
  };
  return {settings, rows, load, warnings: [...leftOut(settings, rows), ...checkSettings(settings, rows)]};
}

/** Names the transports of a group that have no row. @param {FaultSettings} settings @param {readonly Row[]} rows @returns {string[]} */
function leftOut({values}, rows) {
  const missing = values.transport.filter((name) => !rows.some(({transport}) => transport === name));
  return missing.length > 0
    ? [`Without a row, because faults cannot account for their messages here: ${missing.join(', ')}.`]
    : [];
}

/**
 * Refuses settings of transports and of their brokers that have no effect on any row, like a battle.
 * @param {FaultSettings} settings @param {readonly Row[]} rows @returns {string[]} warnings on environment variables
 */
function checkSettings(settings, rows) {
  const ofWorkloads = ['subscribers', 'payloadBytes', ...workloadOptionsUnderFaults.map(({key}) => key)];
  const keys = new Set([...transportOptions.map(({key}) => key), 'brokerNodes', ...ofWorkloads]);
  return checkEffects(settings, rows.map(cellOf), (key) => keys.has(key));
}

/**
 * Returns the settings of a run for people: with the workloads and the load that faults uses by default, and the timeouts that differ from `--timeout`.
 * @param {FaultSettings} settings in force
 * @returns {{settings: FaultSettings, exceptions: Exception[]}}
 */
export function shownSettings(settings) {
  const {values} = settings;
  const workload = [...new Set(values.transport.flatMap((name) => workloadsOf(name, settings)))];
  const own = /** @type {any} */ ({...(hasRate(settings) && defaultLoad), workload});
  const exceptions = ownTimeouts(settings).map(({fault, timeoutMs, transports}) => ({
    key: 'timeoutMs',
    value: timeoutMs,
    origin: byDefault.name,
    for: `${fault} with ${transports.join(', ')}`,
  }));
  return {settings: overlay(settings, own, byDefault), exceptions};
}

/** Whether a rate and a window apply to some row of a run: a program gets one request at a time. @param {Pick<FaultSettings, 'values'>} settings */
export function hasRate({values}) {
  return !values.transport.every((name) => transportNamed(name).runsPrograms);
}

/**
 * Returns the settings in force in a run: the user's, those of a preset, and those that transports declare because they affect guarantees.
 * @param {FaultSettings} asked without a preset @param {FaultPreset | null} preset @returns {FaultSettings}
 */
export function settingsOfRun(asked, preset) {
  const origin = /** @type {const} */ ({kind: 'preset', name: preset?.name ?? 'faults'});
  if (asked.values.table && preset)
    throw new UsageError(
      `--table and --preset ${preset.name} exclude each other: each says what is done to what.`,
    );
  const own = /** @type {any} */ ({
    ...defaults,
    ...withPrograms(asked, preset),
    ...(asked.values.table && wholeTable),
  });
  const settings = overlay(asked, own, origin);
  const {transport: names, allSettings} = settings.values;
  const declared = names.flatMap((name) => transportNamed(name).guarantees ?? []);
  const values = Object.assign(
    {},
    ...declared.map(({usual, all, consumer}) => (allSettings ? {...all, ...consumer} : usual)),
    allSettings && {fault: faultsOfAllSettings},
  );
  return overlay(settings, values, byDefault);
}

/**
 * Returns the settings of a preset. Programs of the user take part, if the preset has a fault for them.
 * @param {FaultSettings} asked @param {FaultPreset | null} preset
 */
function withPrograms({values}, preset) {
  const programs = values.transport.filter((name) => transportNamed(name).runsPrograms);
  if (!preset?.programs || programs.length === 0) return preset?.settings;
  const {transport, fault} = /** @type {{transport: string[], fault: AskedFault[]}} */ (preset.settings);
  return {
    ...preset.settings,
    transport: [...transport, ...programs],
    fault: [...fault, {name: preset.programs.fault, at: null}],
  };
}

/** @param {FaultSettings} settings @param {readonly Row[]} rows */
function refuseWithoutTarget({values, origins}, rows) {
  const names = values.fault.map(({name}) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw new UsageError(`--fault names ${twice} twice; --tries does it several times.`);
  const idle = names.find((name) => !rows.some((row) => applies(name, row)));
  if (idle === undefined) return;
  const why = `has no target here: ${targetless[faultNamed(idle).target]}`;
  if (isAskedFor(origins.fault))
    throw new UsageError(`--fault ${idle} ${why}. Leave it out, or measure what has one.`);
  if (origins.fault.kind === 'preset')
    throw new UsageError(
      `${idle}, which --preset ${origins.fault.name} does, ${why}. Leave out the settings that differ from those of the preset.`,
    );
}

/**
 * Refuses faults of nodes that stay down, for rows with servers. A server that lost its node is restarted after the fault only, so requests would fail
 * although the other nodes still serve.
 * @param {FaultSettings} settings @param {readonly Row[]} rows
 */
function refuseLonelyServers({values, origins}, rows) {
  const hit = values.fault.find(
    ({name}) =>
      faultNamed(name).target === 'node' &&
      staysDown(name, values) &&
      rows.some((row) => !row.stores && applies(name, row)),
  );
  if (hit !== undefined)
    throw new UsageError(
      `${origins.respawn.name} off with ${hit.name} is for queues only (--workload queue): a server of requests may end with its node, and nothing would start it again.`,
    );
}

/** @param {FaultSettings} settings */
function refuseLoadOfPrograms(settings) {
  const {origins} = settings;
  const idle = /** @type {const} */ (['rate', 'window']).find((key) => origins[key].kind === 'flag');
  if (idle !== undefined && !hasRate(settings))
    throw new UsageError(
      `${origins[idle].name} has no effect here: programs of --external get one request at a time, without a rate. Leave it out.`,
    );
}

/** @param {FaultSettings} settings @param {readonly Row[]} rows */
function refuseResend({values, origins}, rows) {
  if (origins.resend.kind === 'flag' && values.resend.includes(true) && !rows.some(hasOutcomes))
    throw new UsageError(
      `${origins.resend.name} has no effect here: the outcome of a one-way message or of an unconfirmed message is unknown, so no message is sent again. Leave it out.`,
    );
}

/** @param {FaultSettings} settings @param {readonly Row[]} rows */
function refuseServers({values, origins}, rows) {
  const isIdle = rows.every(({stores, subscribers}) => stores || subscribers !== undefined);
  if (origins.servers.kind === 'flag' && isIdle && values.servers.some((count) => count > 1))
    throw new UsageError(
      `${origins.servers.name} has no effect here: a queue has no server, and one server sends to all subscribers. Leave it out.`,
    );
}

/** Why a fault has no target, by the kind of target. */
const targetless = {
  broker: 'no row has a broker, or a queue on it',
  node: 'no row has a cluster of enough nodes (--broker-nodes 3)',
  server: 'no row has a server (--workload rtt)',
  consumer: 'no row has a queue with a consumer',
  connection: 'no row has a connection',
  network: 'no row has a network',
  daemon: 'no row has programs (--external)',
};

/** @param {readonly number[] | null} values @param {string} flag */
function only(values, flag) {
  if (values === null) return null;
  if (values.length > 1) throw new UsageError(`faults takes one ${flag}.`);
  return values[0];
}

/** @param {FaultSettings} settings @returns {Elsewhere} a private broker runs on the host of the servers, unless --broker-on names another host */
export function elsewhereIn({values: {serverOn, brokerOn}}) {
  return {server: serverOn !== null, broker: (brokerOn ?? serverOn) !== null};
}

/** @param {FaultSettings} settings @returns {{server: string | null, broker: string | null} | null} the names of other hosts; null if there are none */
export function namesOfPlaces({values: {serverOn, brokerOn}}) {
  const [server = null] = serverOn ?? [];
  const [broker = server] = brokerOn ?? [];
  return server === null && broker === null ? null : {server, broker};
}

/** @param {FaultSettings} settings @param {readonly Row[]} rows */
function refusePlaces(settings, rows) {
  const {values, origins} = settings;
  for (const key of /** @type {const} */ (['serverOn', 'brokerOn']))
    if ((values[key]?.length ?? 0) > 1)
      throw new UsageError(
        `faults takes one host with ${origins[key].name}, for all of them. Name one host.`,
      );
  if (values.brokerOn !== null && rows.every((row) => row.broker === null))
    throw new UsageError(
      `${origins.brokerOn.name} has no use here: no row has a broker. Leave it out, or measure what has one.`,
    );
  const bound = rows.find((row) => transportNamed(row.transport).needsOneHost);
  if (bound && values.serverOn !== null)
    throw new UsageError(
      `--transport ${bound.transport} needs clients and servers on one host. Leave out ${origins.serverOn.name}, or the transport.`,
    );
  const elsewhere = elsewhereIn(settings);
  if (!isAskedFor(origins.fault)) return;
  for (const {name} of values.fault) {
    const needed = needsHere(name, elsewhere, rows);
    if (needed !== null)
      throw new UsageError(`--fault ${name} needs ${needed}. Leave out the fault, or the other hosts.`);
  }
}

/**
 * @param {FaultName} name @param {Elsewhere} elsewhere @param {readonly Pick<Row, 'broker' | 'stores'>[]} rows
 * @returns what the fault needs on this host although a part runs elsewhere, worded to follow "needs"; null: nothing
 */
export function needsHere(name, {server, broker}, rows) {
  const {steps, target} = faultNamed(name);
  const isBrokerElsewhere = broker && rows.some((row) => row.broker !== null);
  if (target === 'network' && (server || isBrokerElsewhere)) return 'a network within this host';
  if (target === 'connection' && (server || isBrokerElsewhere)) return 'connections within this host';
  if (target === 'daemon' && server) return 'a daemon on this host';
  return steps.includes('slow') && server && rows.some(({stores}) => !stores)
    ? 'a server on this host, because it signals it every few ms'
    : null;
}

/**
 * Connects to the hosts that the user named.
 * @param {FaultSettings} settings @param {readonly Row[]} rows @param {{note: (line: string) => void, signal: AbortSignal}} deps
 * @returns {Promise<Places>} @throws {UnavailableError} when a host is not available
 */
export async function openPlaces({values, origins}, rows, {note, signal}) {
  const hosts = await openHosts(
    {
      ...{clientOn: null, serverOn: values.serverOn, brokerOn: values.brokerOn, sshConfig: values.sshConfig},
      serverAddress: isAskedFor(origins.serverAddress) ? values.serverAddress : null,
      brokerAddress: values.brokerAddress,
      // Faults do not compare figures, so processes need no cores of their own.
      ...{pin: 'none', clients: null, servers: null},
      needsBroker: rows.some(({broker}) => broker !== null),
    },
    {log: note, signal},
  );
  const {clients, servers, brokers, close} = hosts;
  return {client: clients[0], server: servers[0], broker: brokers[0], close};
}

/**
 * Makes a broker on another host report the times of actions by the clock of this host. The times then include the way to the broker.
 * @param {Broker} broker @returns {Broker}
 */
export function onThisClock(broker) {
  const {perform} = broker;
  if (!perform || !broker.hosts?.some(({isRemote}) => isRemote)) return broker;
  return {
    ...broker,
    perform: async (action) => {
      const fromMs = monotonicMs();
      const done = await perform(action);
      return {...done, fromMs, atMs: monotonicMs()};
    },
  };
}
