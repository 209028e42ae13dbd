import {tmpdir} from 'node:os';
import {LocalHost} from '../hosts/local.js';
import {loopbackAddress} from '../measure/network.js';
import {findLocalBroker, useGivenBroker} from './found.js';
import {startPrivateBroker} from './private.js';
import {findProgram, notInstalled} from './programs.js';

/**
 * @import {UnavailableError} from '../errors.js'
 * @import {Host} from '../hosts/types.js'
 * @import {Broker, BrokerConnection, BrokerKind, BrokerSettings} from './kind.js'
 */

/**
 * @template {BrokerConnection} Connection
 * @typedef {object} BrokerRequest
 * @property {'auto' | 'private'} choice auto: the one given, otherwise one that answers on this host, otherwise a private one; private: always
 *   a private one
 * @property {Connection | null} given the broker that the user named
 * @property {string | undefined} [temporaryFolder] where a private broker's folder is made; default the system's
 * @property {number} [nodes] how many a private one has; more than one are a cluster, which 'auto' starts unless a broker was given
 * @property {readonly Host[] | undefined} [hosts] where its nodes are started, round-robin, on at most as many hosts as there are nodes; default
 *   this host, for this host alone
 * @property {number | undefined} [memoryBytes] the memory that its nodes assume their host to have; default what it has
 * @property {BrokerSettings} [settings] of a private one. With some, no other is taken
 * @property {number | undefined} [diskBytes] the size of a disk of its own for what a private one stores; default none
 * @property {(host: Host) => number[] | null} [coresOn] the cores that a private one may use on a host; null: any, which is the default
 * @property {(line: string) => void} log shows a line to the user
 * @property {AbortSignal} signal ends the search; nothing is left running when the promise rejects with its reason
 * @property {string[] | undefined} [programFolders] where to look for the program of a private one; default where packages put it
 * @property {number} [localPort] where to look for a running broker; default the kind's own port
 */

/**
 * Provisions a broker of a kind.
 * @template {BrokerConnection} Connection
 * @param {BrokerKind<Connection>} kind
 * @param {BrokerRequest<Connection>} request
 * @returns {Promise<Broker<Connection>>}
 * @throws {UnavailableError} code PB_BROKER_UNAVAILABLE: no broker was available; it says what to do about it
 */
export async function provisionBroker(kind, request) {
  const {choice, given, nodes = 1, hosts = [new LocalHost()], settings = {}, log, signal} = request;
  signal.throwIfAborted();
  if (choice === 'private') return await startPrivate(kind, {...request, nodes, hosts});
  if (given) return await useGivenBroker(kind, given, signal);
  // The default user may connect from this host only, and to one node.
  const isForThisHost = hosts.every(({isRemote, brokerAddress}) => !isRemote && brokerAddress === null);
  const isPlain = Object.keys(settings).length === 0;
  if (nodes > 1 || !isForThisHost || !isPlain) return await startPrivate(kind, {...request, nodes, hosts});
  const local = {...kind.local, port: request.localPort ?? kind.local.port};
  return (
    (await findLocalBroker(kind, local, {log, signal})) ??
    (await startPrivate(kind, {...request, nodes, hosts}, local))
  );
}

/**
 * @template {BrokerConnection} Connection
 * @param {BrokerKind<Connection>} kind
 * @param {BrokerRequest<Connection> & {nodes: number, hosts: readonly Host[]}} request
 * @param {Connection} [tried] where no broker answered
 */
async function startPrivate(kind, {hosts, temporaryFolder, programFolders: folders, ...request}, tried) {
  const isHere = hosts.some(({isRemote}) => !isRemote);
  if (isHere && (await findProgram(kind, {folders, settings: request.settings})) === null)
    throw notInstalled(kind, tried && `no broker answers at ${kind.mask(tried)}`);
  return await startPrivateBroker(kind, {
    ...request,
    hosts: hosts
      .slice(0, request.nodes)
      .map((host) => ({host, hostname: host.brokerAddress ?? loopbackAddress()})),
    programFolders: folders,
    base: temporaryFolder ?? tmpdir(),
  });
}
