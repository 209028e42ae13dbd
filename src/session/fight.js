import {hostname} from 'node:os';
import {makeRecords} from '../battle/records.js';
import {runBattle} from '../battle/run-battle.js';
import {makeBrokerSource} from '../cli/broker-source.js';
import {makeProgress} from '../report/progress.js';
import {abandonedBattles, battlesIn} from './recorded-battles.js';

/**
 * @import {BattleState} from '../battle/run-battle.js'
 * @import {BattleContext} from '../battle/records.js'
 * @import {Broker} from '../brokers/index.js'
 * @import {Hosts} from '../hosts/index.js'
 * @import {Settings} from '../options/resolve.js'
 * @import {Entry, Journal} from '../results/journal.js'
 * @import {CellRecord} from '../results/record-schema.js'
 */

/**
 * A battle that is about to run.
 * @typedef {object} Run
 * @property {Hosts} hosts
 * @property {BattleState} state
 * @property {Settings} settings
 * @property {BattleContext} context
 * @property {Journal} journal
 * @property {AbortSignal} signal
 */

/**
 * Runs the rounds and stores the cells' records. When it is interrupted its finished trials are stored already, and each cell is
 * recorded as aborted before the interruption goes on.
 * @param {Run} run
 * @returns {Promise<CellRecord[]>}
 */
export async function fight({state, settings, context, journal, hosts, signal}) {
  const progress = makeProgress(state, settings.values);
  const source = makeBrokerSource(settings, {id: state.id, hosts: hosts.brokers, log: progress.note, signal});
  const onBroker = async (/** @type {Broker} */ broker) => {
    describeBroker(context, broker, hosts);
    await journal.append({
      kind: 'broker',
      battleId: state.id,
      roles: context.roles,
      versions: context.versions,
    });
  };
  try {
    await runBattle(state, {hosts, journal, ...source, onBroker, tell: progress.tell, signal});
  } catch (error) {
    if (signal.aborted) await journal.append(...makeRecords(state, context, {complete: false}));
    throw error;
  } finally {
    progress.end();
  }
  const records = makeRecords(state, context, {complete: true});
  await journal.append(...records);
  return records;
}

/**
 * @param {BattleContext} context is completed
 * @param {Broker} broker
 * @param {Hosts} hosts
 */
function describeBroker(context, {kind, connection, versions}, hosts) {
  const isHere = ['localhost', '127.0.0.1', '::1'].includes(connection.hostname);
  const standsOn = hosts.brokers.map(({described}) => described?.fingerprint.hostname ?? hostname());
  const namedOn = isHere ? hostname() : connection.hostname;
  const broker = kind === 'private' ? [...new Set(standsOn)].join(', ') : namedOn;
  context.roles = {...context.roles, broker};
  context.versions = {...context.versions, ...versions};
}

/**
 * Gives the cells of battles that were killed their records, aborted and without figures.
 * @param {Journal} journal
 * @param {readonly Entry[]} entries
 * @param {string} except the battle that goes on now
 */
export async function closeAbandoned(journal, entries, except) {
  for (const {battle, cells: known} of await abandonedBattles(battlesIn(entries))) {
    if (battle.id === except) continue;
    const state = {id: battle.id, cells: battle.cells, progress: new Map(), values: battle.config};
    const records = makeRecords(state, /** @type {any} */ (battle), {complete: false});
    await journal.append(...records.filter(({id}) => !known.has(id)));
  }
}
