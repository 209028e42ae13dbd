import {publicSettings} from '../cli/describe-settings.js';
import {readVersions} from '../cli/versions.js';
import {openHosts} from '../hosts/index.js';
import {isAskedFor} from '../options/resolve.js';
import {readFingerprint} from '../results/fingerprint.js';
import {fight} from './fight.js';
import {thisProcess} from './recorded-battles.js';

/**
 * @import {BattleState} from '../battle/run-battle.js'
 * @import {BattleContext} from '../battle/records.js'
 * @import {Host} from '../hosts/host.js'
 * @import {Hosts} from '../hosts/index.js'
 * @import {Settings} from '../options/resolve.js'
 * @import {Journal} from '../results/journal.js'
 * @import {CellRecord} from '../results/record-schema.js'
 */

/**
 * A battle that is over.
 * @typedef {object} Held
 * @property {BattleState} state
 * @property {Settings} settings
 * @property {BattleContext} context
 * @property {{id: string}} battle as --json shows it
 * @property {CellRecord[]} records
 */

/**
 * Gets the hosts, and runs a battle there, which the journal then holds.
 * @param {{state: BattleState, settings: Settings,
 *   known: Partial<BattleContext>, journal: Journal, signal: AbortSignal}} asked
 *   known: what the records of the battle share already
 * @returns {Promise<Held>}
 */
export async function holdBattle({state, settings, known, journal, signal}) {
  const hosts = await openHosts(whereOf(settings), {log: noteUnless(settings.values.quiet), signal});
  try {
    const context = {...(await readContext(settings, hosts)), ...known};
    const owner = await thisProcess();
    await journal.append({kind: 'battle', id: state.id, ...context, cells: state.cells, owner});
    const records = await fight({state, settings, context, journal, hosts, signal});
    return {state, settings, context, battle: {id: state.id, ...context}, records};
  } finally {
    await hosts.close();
  }
}

/**
 * An address of the server is for scripts by hand too, in whose .env it may stand: here it means something only where servers stand elsewhere,
 * or are reached from there.
 * @param {Settings} settings
 */
function whereOf({values, origins}) {
  const serverAddress = isAskedFor(origins.serverAddress) ? values.serverAddress : null;
  return {.../** @type {Parameters<typeof openHosts>[0]} */ (values), serverAddress};
}

/** @param {boolean} isQuiet */
function noteUnless(isQuiet) {
  return (/** @type {string} */ line) => void (isQuiet || process.stderr.write(`${line}\n`));
}

/**
 * What the records of one battle share, and what its journal line says.
 * @param {Settings} settings
 * @param {Hosts} hosts
 * @returns {Promise<BattleContext>}
 */
async function readContext(settings, hosts) {
  const here = await readFingerprint();
  const {values, origins} = settings;
  const fingerprintOf = (/** @type {Host} */ host) => host.described?.fingerprint ?? here;
  const namesOf = (/** @type {readonly Host[]} */ list) =>
    [...new Set(list.map((host) => fingerprintOf(host).hostname))].join(', ');
  const fingerprints = hosts.all.map(fingerprintOf);
  const seen = fingerprints.every(({instance}) => instance !== null) ? 'EC2' : 'cross-host';
  const environment = hosts.isNetworked && !isAskedFor(origins.environment) ? seen : values.environment;
  const client = fingerprintOf(hosts.clients[0]);
  return {
    startedAt: new Date().toISOString(),
    environment,
    machine: values.machine ?? client.instance?.type ?? client.cpu,
    hosts: Object.fromEntries(fingerprints.map((one) => [one.hostname, one])),
    roles: {client: namesOf(hosts.clients), server: namesOf(hosts.servers), broker: null},
    versions: await readVersions(),
    config: publicSettings(settings),
  };
}
