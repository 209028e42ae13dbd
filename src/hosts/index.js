import {UnavailableError, UsageError} from '../errors.js';
import {makeBundle} from './bundle.js';
import {listenAddressFor} from './host.js';
import {readTopology} from './host-cores.js';
import {LocalHost} from './local.js';
import {planPlacement} from './placement.js';
import {SshHost} from './ssh-host.js';

/** @import {Host, Hosts} from './types.js' */

/**
 * @typedef {object} HostSettings
 * @property {readonly string[] | null} clientOn
 * @property {readonly string[] | null} serverOn
 * @property {readonly string[] | null} brokerOn null: a private broker runs on the first server's host
 * @property {string | null} sshConfig
 * @property {string | null} serverAddress under which clients reach the servers, when it differs from the address that ssh uses
 * @property {readonly string[] | null} brokerAddress likewise for the brokers
 * @property {string} pin on which cores processes run
 * @property {readonly number[] | null} clients how many at once, in different cells
 * @property {readonly number[] | null} servers
 * @property {readonly string[]} [modules] URLs of the transports that are not part of perf-battle
 * @property {boolean} needsBroker whether a cell uses a broker, which may run on one of the hosts
 */

/**
 * Connects to the hosts that the user named, to each of them once. Without such hosts every role runs on this host.
 * @param {HostSettings} settings @param {{log: (line: string) => void, signal: AbortSignal}} deps
 * @returns {Promise<Hosts>}
 * @throws {UnavailableError} when a client's or server's host is not available
 * @throws {UsageError} when a host does not have the cores of `--pin`
 */
export async function openHosts(settings, {log, signal}) {
  const {clientOn, serverOn, brokerOn, sshConfig, modules} = settings;
  const names = new Set([clientOn, serverOn, brokerOn].flatMap((list) => list ?? []));
  if (names.size === 0) return await placed(hostsHere(), settings);
  const bundle = makeBundle(modules);
  const remote = [...names].map((name) => new SshHost(name, {config: sshConfig, signal}));
  const close = async () => void (await Promise.all(remote.map((host) => host.close())));
  try {
    await Promise.allSettled(remote.map((host) => host.open(bundle, log)));
    signal.throwIfAborted();
    refuseMissing(remote, settings);
    return await placed({...assignRoles(remote, settings), close}, settings);
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {Omit<Hosts, 'placement'>} hosts @param {HostSettings} settings @returns {Promise<Hosts>} */
async function placed(hosts, {pin, clients, servers, needsBroker}) {
  const most = {clients: Math.max(1, ...(clients ?? [])), servers: Math.max(1, ...(servers ?? []))};
  const topologies = new Map(
    await Promise.all(
      hosts.all.map(
        async (host) => /** @type {const} */ ([host, pin === 'none' ? null : await readTopology(host)]),
      ),
    ),
  );
  const brokers = needsBroker ? hosts.brokers : [];
  return {...hosts, placement: planPlacement(pin, {...hosts, brokers}, {most, topologies})};
}

/** @returns {Omit<Hosts, 'placement'>} */
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
 * Without a host for the broker, the cells that need no broker can still run.
 * @param {readonly SshHost[]} remote @param {HostSettings} settings
 */
function refuseMissing(remote, {clientOn, serverOn}) {
  for (const {name, failure} of remote) {
    const isOptional = !clientOn?.includes(name) && !serverOn?.includes(name);
    if (failure && !(isOptional && failure instanceof UnavailableError)) throw failure;
  }
}

/** @param {readonly SshHost[]} remote @param {HostSettings} settings @returns {Omit<Hosts, 'close' | 'placement'>} */
function assignRoles(remote, {clientOn, serverOn, brokerOn, serverAddress, brokerAddress}) {
  const available = remote.filter(({failure}) => failure === null);
  const here = thisHost(available, serverOn === null ? serverAddress : null);
  const hostsOf = (/** @type {readonly string[] | null} */ names) =>
    names?.map((name) => /** @type {Host} */ (remote.find((host) => host.name === name))) ?? [here];
  const [clients, servers] = [hostsOf(clientOn), hostsOf(serverOn)];
  const brokers = brokerOn === null ? servers.slice(0, 1) : hostsOf(brokerOn);
  setServerAddresses(servers, serverAddress);
  for (const [index, host] of brokers.entries())
    host.brokerAddress = brokerAddress?.[index] ?? host.brokerAddress;
  const used = new Set([...clients, ...servers, ...brokers]);
  const all = [...used].filter((host) => host === here || available.some((other) => other === host));
  return {clients, servers, brokers, all, isNetworked: all.length > 1};
}

/**
 * By default the other hosts reach this host at the address that the first of them sees.
 * @param {readonly SshHost[]} others @param {string | null} given
 */
function thisHost([first], given) {
  if (!first) return new LocalHost();
  const address = given ?? first.callerAddress;
  return new LocalHost({address, listenAddress: listenAddressFor(address, [first.callerAddress])});
}

/** @param {readonly Host[]} servers @param {string | null} given an address for each, in their order */
function setServerAddresses(servers, given) {
  if (given === null) return;
  const addresses = given.split(',').map((text) => text.trim());
  if (addresses.length !== servers.length) {
    throw new UsageError(
      `--server-address must have one address for each server host: there are ${servers.length} hosts and ${addresses.length} addresses.`,
    );
  }
  for (const [index, host] of servers.entries()) host.setServerAddress?.(addresses[index]);
}
