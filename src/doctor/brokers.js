import {findProgram, notInstalled} from '../brokers/programs.js';
import {findLocalBroker, useGivenBroker} from '../brokers/provision.js';
import {PerfBattleError} from '../errors.js';

/**
 * @import {Broker, BrokerConnection, BrokerKind} from '../brokers/kind.js'
 * @import {Finding} from './types.js'
 */

/**
 * Reports which broker of a kind a battle would use: the given broker, a broker that runs here, or a private broker.
 * @param {BrokerKind} kind @param {BrokerConnection | null} given the broker that the settings name
 * @param {AbortSignal} signal @returns {Promise<Finding>}
 */
export async function examineBroker(kind, given, signal) {
  const check = kind.label;
  try {
    if (given !== null) return await examineRunning(kind, await useGivenBroker(kind, given, signal), signal);
    const notes = /** @type {string[]} */ ([]);
    const found = await findLocalBroker(kind, kind.local, {log: (note) => notes.push(note), signal});
    if (found) return await examineRunning(kind, found, signal);
    const program = await findProgram(kind);
    const before = notes.length === 0 ? '' : `${notes.join(' ')} `;
    if (program !== null)
      return {
        check,
        level: 'ok',
        finding: `${before}${before === '' ? 'a' : 'A'} battle starts a private one: ${program}`,
        advice: null,
      };
    const {message} = notInstalled(kind);
    return {
      check,
      level: 'warning',
      finding: `${before}${before === '' ? 'no' : 'No'} broker runs here, and ${kind.program} is not installed`,
      advice: message,
    };
  } catch (cause) {
    signal.throwIfAborted();
    if (!(cause instanceof PerfBattleError)) throw cause;
    if (cause.code === 'PB_NOT_INSTALLED')
      return {
        check,
        level: 'warning',
        finding: 'not examined, because a package is missing',
        advice: cause.message,
      };
    return {
      check,
      level: 'error',
      finding: cause.message,
      advice: 'Start the broker, or correct its settings.',
    };
  }
}

/**
 * A broker that is missing is no defect of the host if no default transport needs it, and no setting names it.
 * @param {Finding} found by examineBroker @returns {Finding}
 */
export function asOptional(found) {
  if (found.level !== 'warning') return found;
  const finding = `${found.finding}; only transports that you name need it. ${found.advice}`;
  return {...found, level: 'ok', finding, advice: null};
}

/** The kinds of broker that are installed on this host. @param {readonly BrokerKind[]} kinds */
export async function installedOf(kinds) {
  const programs = await Promise.allSettled(kinds.map((kind) => findProgram(kind)));
  return kinds.filter((_, index) => 'value' in programs[index] && programs[index].value !== null);
}

/** The time limit for a broker to accept a message. */
const takeWithinMs = 5000;

/** @param {BrokerKind} kind @param {Broker} broker @param {AbortSignal} signal @returns {Promise<Finding>} */
async function examineRunning(kind, {label, connection}, signal) {
  const check = kind.label;
  const {readAlarm} = await kind.load();
  const alarm = (await readAlarm?.(connection, {timeoutMs: takeWithinMs, signal})) ?? null;
  if (alarm === null) return {check, level: 'ok', finding: label, advice: null};
  return {
    check,
    level: 'error',
    finding: `${label} takes no messages: ${alarm}`,
    advice:
      'If memory or disk is low, free some or change the limit; until then the broker accepts no messages. Otherwise its log may have the reason.',
  };
}
