import {UnavailableError, UsageError} from '../errors.js';
import {bindingFor} from './host.js';
import {LocalHost} from './local.js';
import {makeShipment} from './shipment.js';
import {SshHost} from './ssh-host.js';

/** @import {Host} from './host.js' */

/**
 * Where the roles of a battle run.
 * @typedef {object} Hosts
 * @property {readonly Host[]} clients in turn, when there are more clients than hosts
 * @property {readonly Host[]} servers likewise
 * @property {readonly Host[]} brokers where the nodes of a private one are started, in turn
 * @property {readonly Host[]} all each once
 * @property {boolean} isNetworked whether roles meet over a network
 * @property {() => Promise<void>} close
 *
 */

/** All on this host. @returns {Hosts} */
function hostsHere() {
  const here = new LocalHost();
  return {
    clients: [here],
    servers: [here],
    brokers: [here],
    all: [here],
    isNetworked: false,
    close: () => here.close(),
  };
}

/**
 * Connects to the hosts that the person named, each once whatever runs there. A private broker stands with the server unless it has a host
 * of its own; its nodes stand on several hosts turn by turn.
 *
 * @param {{clientOn: string[] | null, serverOn: string[] | null, brokerOn: string[] | null, sshConfig: string | null,
 *   serverAddress: string | null, brokerAddress: string[] | null}} where addresses: what the roles call a host, when that is not the address by
 *   which ssh arrived there
 * @param {{log: (line: string) => void, signal: AbortSignal}} means
 * @returns {Promise<Hosts>}
 * @throws {UnavailableError} naming the host that could not be had
 */
export async function openHosts(where, {log, signal}) {
  const {clientOn, serverOn, brokerOn, sshConfig, serverAddress, brokerAddress} = where;
  const names = [...new Set([...(clientOn ?? []), ...(serverOn ?? []), ...(brokerOn ?? [])])];
  if (names.length === 0) return hostsHere();
  const shipment = await makeShipment();
  /** @type {Map<string, SshHost>} */
  const remote = new Map(names.map((name) => [name, new SshHost(name, {config: sshConfig, signal})]));
  const close = async () => void (await Promise.all([...remote.values()].map((host) => host.close())));
  try {
    const opened = await Promise.allSettled([...remote.values()].map((host) => host.open(shipment, log)));
    signal.throwIfAborted();
    const missing = names.filter((_, index) => opened[index].status === 'rejected');
    const reasonFor = (/** @type {string} */ name) =>
      /** @type {PromiseRejectedResult} */ (opened[names.indexOf(name)]).reason;
    // Without a host for the broker there are still the cells that need none.
    const needed = missing.find((name) => clientOn?.includes(name) || serverOn?.includes(name));
    if (needed !== undefined) throw reasonFor(needed);
    for (const name of missing) if (!(reasonFor(name) instanceof UnavailableError)) throw reasonFor(name);
    const there = [...remote.values()].filter(({described}) => described !== null);
    const here = thisHost(there, serverOn === null ? serverAddress : null);
    const hostNamed = (/** @type {string} */ name) => /** @type {Host} */ (remote.get(name));
    const hostsOf = (/** @type {string[] | null} */ list) => list?.map(hostNamed) ?? [here];
    const [clients, servers] = [hostsOf(clientOn), hostsOf(serverOn)];
    const brokers = brokerOn === null ? servers.slice(0, 1) : hostsOf(brokerOn);
    for (const name of missing) hostNamed(name).startSupervisor = () => Promise.reject(reasonFor(name));
    nameAddresses(servers, serverAddress);
    brokers.forEach((host, index) => {
      host.brokerAddress = brokerAddress?.[index] ?? host.brokerAddress;
    });
    const isMissing = (/** @type {Host} */ host) => missing.some((name) => remote.get(name) === host);
    const all = [...new Set([...clients, ...servers, ...brokers])].filter((host) => !isMissing(host));
    return {clients, servers, brokers, all, isNetworked: all.length > 1, close};
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * The others, if there are any, call this host what they see of it, unless the person says.
 * @param {readonly SshHost[]} others
 * @param {string | null} given
 */
function thisHost([first], given) {
  if (!first) return new LocalHost();
  const address = given ?? first.callerAddress;
  return new LocalHost({address, listenAddress: bindingFor(address, [first.callerAddress])});
}

/** @param {readonly Host[]} servers @param {string | null} given an address for each, in their order */
function nameAddresses(servers, given) {
  if (given === null) return;
  const addresses = given.split(',').map((text) => text.trim());
  if (addresses.length !== servers.length) {
    throw new UsageError(
      `--server-address must name an address for each server's host: there are ${servers.length}; it names ${addresses.length}.`,
    );
  }
  servers.forEach((host, index) => {
    host.reachAt?.(addresses[index]);
  });
}
