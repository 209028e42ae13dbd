import {configureRoles} from '../../battle/configure-roles.js';
import {answerOf, roleProgramIn} from '../../battle/roles.js';
import {findSetpriv} from '../../brokers/programs.js';
import {decodeNumbers} from '../../measure/message-log.js';
import {inPhase, named} from '../../protocol.js';
import {transportNamed} from '../../transports/index.js';
import {asking as askingWorkload} from './rows.js';

/**
 * The processes of a row: how they are started and configured, and the one that empties its queue.
 *
 * @import {Cell, Roles, TrialContext} from '../../battle/types.js'
 * @import {Row} from '../../faults/found.js'
 * @import {RoleName} from '../../messages.js'
 * @import {Drained, LoadContext} from './types.js'
 */

/** A client that drains a queue ends by itself when no messages arrive. */
const drainWithinMs = 900_000;

/**
 * Takes all messages out of the queue of a row.
 * @param {Row} row @param {LoadContext} context with the names of the load @param {{keepsStore: boolean}} how whether the queue is kept
 * @returns {Promise<Drained>} @throws when the queue is unavailable
 */
export async function drain(row, context, {keepsStore}) {
  const client = await startRole(row, context.hosts, 'client');
  const {signal} = context;
  try {
    const roles = {servers: [], clients: [client]};
    await configure(row, context, {
      roles,
      workload: 'account/drain',
      settings: {findsQueue: true, keepsStore, window: 1},
    });
    client.send({type: 'start'});
    await answerOf(client, inPhase('warm'), {what: 'connect', signal});
    client.send({type: 'go'});
    const {account, counts} = await answerOf(client, named('result'), {
      ...{what: 'empty its queue', ms: drainWithinMs, signal},
    });
    const {duplicated, reordered, corrupted} = counts;
    return {
      received: decodeNumbers(account?.received ?? ''),
      acknowledged: account?.acknowledged === undefined ? null : decodeNumbers(account.acknowledged),
      ...{duplicated, reordered, corrupted},
    };
  } finally {
    await client.stop();
  }
}

/** @template {RoleName} Role @param {Row} row @param {LoadContext['hosts']} hosts @param {Role} role */
export async function startRole({transport}, hosts, role) {
  const {script, words} = roleProgramIn(new URL('../../', import.meta.url), transportNamed(transport), role);
  return await hosts[role].start(script, role, {
    ...{words, cores: null, keepMemory: false},
    setpriv: await findSetpriv(),
  });
}

/**
 * @param {Row} row @param {LoadContext} context
 * @param {{roles: Roles, workload: string, settings: object, programMs?: number}} what
 */
export async function configure(
  row,
  {hosts: own, broker, values, names, signal},
  {roles, workload, settings, programMs = 0},
) {
  const clocks = {
    servers: roles.servers.map(() => ({offsetMs: 0})),
    clients: roles.clients.map(() => ({offsetMs: 0})),
  };
  /** @type {Cell} */
  const cell = /** @type {any} */ ({
    ...{number: row.number, transport: row.transport, payloadBytes: row.payloadBytes},
    // A program sends one request at a time, for a fixed time.
    ...(transportNamed(row.transport).runsPrograms
      ? {
          workload: askingWorkload,
          variant: {...row.variant, isAccounted: true},
          length: {samples: null, durationMs: programMs, warmUp: {kind: 'auto'}},
        }
      : {
          workload,
          variant: {...row.variant, ...settings},
          length: {samples: null, durationMs: null, warmUp: {kind: 'duration', durationMs: 0}},
        }),
  });
  const hosts = /** @type {any} */ ({servers: [own.server], clients: [own.client]});
  /** @type {TrialContext} */
  const context = {cell, round: 1, hosts, broker, values, names, signal};
  return await configureRoles(context, roles, /** @type {any} */ (clocks), signal);
}
