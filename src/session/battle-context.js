import {hostname} from 'node:os';
import {isAskedFor} from '../options/resolve.js';
import {readFingerprint} from '../results/fingerprint.js';
import {publicSettings} from '../settings/describe-settings.js';
import {readVersions} from './versions.js';

/**
 * @import {BattleContext} from '../battle/make-records.js'
 * @import {Broker} from '../brokers/kind.js'
 * @import {Host} from '../hosts/host.js'
 * @import {Hosts} from '../hosts/index.js'
 * @import {BattleSettings} from '../settings/index.js'
 */

/**
 * What the records of one battle share.
 * @param {BattleSettings} settings
 * @param {Hosts} hosts
 * @returns {Promise<BattleContext>}
 */
export async function readContext(settings, hosts) {
  const here = await readFingerprint();
  const {values, origins} = settings;
  const fingerprintOf = (/** @type {Host} */ host) => host.report?.fingerprint ?? here;
  const namesOf = (/** @type {readonly Host[]} */ list) =>
    [...new Set(list.map((host) => fingerprintOf(host).hostname))].join(', ');
  const fingerprints = hosts.all.map(fingerprintOf);
  const seen = fingerprints.every(({instance}) => instance !== null) ? 'EC2' : 'cross-host';
  const environment = hosts.isNetworked && !isAskedFor(origins.environment) ? seen : values.environment;
  const client = fingerprintOf(hosts.clients[0]);
  return {
    startedAt: new Date().toISOString(),
    environment,
    machine: values.machine ?? client.instance?.type ?? client.cpu ?? 'unknown CPU',
    hosts: Object.fromEntries(fingerprints.map((one) => [one.hostname, one])),
    roles: {client: namesOf(hosts.clients), server: namesOf(hosts.servers)},
    brokers: {},
    placementNotes: hosts.placement.notes,
    versions: await readVersions(),
    config: {...publicSettings(settings), environment},
  };
}

/**
 * Adds what is known of a broker.
 * @param {BattleContext} context
 * @param {Broker} broker
 * @returns {BattleContext}
 */
export function withBroker(context, {kind, hosts, connection, versions}) {
  const isHere = ['localhost', '127.0.0.1', '::1'].includes(connection.hostname);
  const namedOn = isHere ? hostname() : connection.hostname;
  const startedOn = hosts?.map(({report}) => report?.fingerprint.hostname ?? hostname());
  const host = [...new Set(startedOn ?? [namedOn])].join(', ');
  return {
    ...context,
    brokers: {...context.brokers, [kind]: host},
    versions: {...context.versions, ...versions},
  };
}
