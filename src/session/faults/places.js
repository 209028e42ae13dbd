import {UsageError} from '../../errors.js';
import {faultNamed} from '../../faults/faults.js';
import {openHosts} from '../../hosts/index.js';
import {monotonicMs} from '../../measure/clock.js';
import {isAskedFor} from '../../options/resolve.js';
import {transportNamed} from '../../transports/index.js';

/**
 * @import {Broker} from '../../brokers/kind.js'
 * @import {FaultName} from '../../faults/faults.js'
 * @import {Row} from '../../faults/found.js'
 * @import {Host} from '../../hosts/types.js'
 * @import {FaultSettings} from '../../settings/index.js'
 */

/**
 * Where the parts of a run of faults are. The clients are on this host: by its clock they note what became of each message, and the faults when they were done.
 * @typedef {object} Places
 * @property {Host} client
 * @property {Host} server
 * @property {Host} broker
 * @property {() => Promise<void>} close
 */

/** Which parts run on other hosts. @typedef {{server: boolean, broker: boolean}} Elsewhere */

/** @param {FaultSettings} settings @returns {Elsewhere} a private broker runs on the host of the servers, unless it has one of its own */
export function elsewhereIn({values: {serverOn, brokerOn}}) {
  return {server: serverOn !== null, broker: (brokerOn ?? serverOn) !== null};
}

/** @param {FaultSettings} settings @returns {{server: string | null, broker: string | null} | null} the names of other hosts; null: there are none */
export function namesOfPlaces({values: {serverOn, brokerOn}}) {
  const [server = null] = serverOn ?? [];
  const [broker = server] = brokerOn ?? [];
  return server === null && broker === null ? null : {server, broker};
}

/**
 * @param {FaultSettings} settings @param {readonly Row[]} rows
 * @throws {UsageError} when the hosts, or a fault that a person asked for, cannot be used
 */
export function refusePlaces(settings, rows) {
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
 * What a fault needs of this host that these parts elsewhere do not have; null: nothing.
 * @param {FaultName} name @param {Elsewhere} elsewhere @param {readonly Pick<Row, 'broker'>[]} rows
 */
export function needsHere(name, {server, broker}, rows) {
  const {steps, target} = faultNamed(name);
  const isBrokerElsewhere = broker && rows.some((row) => row.broker !== null);
  if (target === 'network' && (server || isBrokerElsewhere)) return 'a network within this host';
  if (target === 'connection' && (server || isBrokerElsewhere)) return 'connections within this host';
  return steps.includes('slow') && server
    ? 'a server on this host, because it signals it every few ms'
    : null;
}

/**
 * Connects to the hosts that a person named.
 * @param {FaultSettings} settings @param {readonly Row[]} rows
 * @param {{note: (line: string) => void, signal: AbortSignal}} deps
 * @returns {Promise<Places>}
 * @throws {UnavailableError} when one is not available
 */
export async function openPlaces({values, origins}, rows, {note, signal}) {
  const hosts = await openHosts(
    {
      ...{clientOn: null, serverOn: values.serverOn, brokerOn: values.brokerOn, sshConfig: values.sshConfig},
      serverAddress: isAskedFor(origins.serverAddress) ? values.serverAddress : null,
      brokerAddress: values.brokerAddress,
      // Nothing is compared whose processes would need cores of their own.
      ...{pin: 'none', clients: null, servers: null},
      needsBroker: rows.some(({broker}) => broker !== null),
    },
    {log: note, signal},
  );
  const {clients, servers, brokers, close} = hosts;
  return {client: clients[0], server: servers[0], broker: brokers[0], close};
}

/**
 * A broker on another host has the clock of that host. What is done to it gets times of this one, so that the way there counts as part of it.
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
