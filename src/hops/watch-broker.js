import {PerfBattleError} from '../errors.js';
import {localPortsOf} from '../hosts/processes.js';
import {Capture} from './capture.js';
import {PacketReader} from './packets.js';
import {PassageSums} from './passages.js';
import {wallClockAheadMs} from './wall-clock.js';

/** @import {Passages, Sum, Watched} from './passages.js' */

/**
 * When messages passed the broker, by the monotonic clock of this host; or why that is not known, as a clause.
 * @typedef {{passages: Passages, reason: null} | {passages: null, reason: string}} Seen
 *
 * @typedef {object} Watch
 * @property {() => Promise<Seen>} end
 * @property {() => Promise<void>} close ends it without an answer
 */

/** The wall clock may be set while it is measured. Beyond this, hops would be off by more than their digits. */
const maxStepMs = 0.01;

/**
 * Watches the messages of one cell, which pass a broker of this host.
 * @param {object} what
 * @param {readonly number[]} what.brokerPorts
 * @param {readonly number[]} what.clients their process ids
 * @param {readonly number[]} what.servers likewise
 * @param {Pick<Watched, 'payloadBytes' | 'beginsMessage'>} what.messages
 * @returns {Promise<Watch>}
 */
export async function watchBroker({brokerPorts, clients, servers, messages}) {
  const ports = new Set(brokerPorts);
  const watched = {
    ...messages,
    brokerPorts: ports,
    clientPorts: await portsOf(clients, ports),
    serverPorts: await portsOf(servers, ports),
  };
  try {
    const capture = await Capture.start(brokerPorts);
    const aheadMs = wallClockAheadMs();
    return {end: () => evaluate(capture, watched, aheadMs), close: () => capture.close()};
  } catch (error) {
    if (!(error instanceof PerfBattleError)) throw error;
    return withoutSight(error.message);
  }
}

/** @param {string} reason a clause @returns {Watch} */
export function withoutSight(reason) {
  return {end: async () => unseen(reason), close: async () => {}};
}

/** @param {string} reason @returns {Seen} */
function unseen(reason) {
  return {passages: null, reason};
}

/** @param {readonly number[]} pids @param {ReadonlySet<number>} brokerPorts @returns {Promise<Set<number>>} */
async function portsOf(pids, brokerPorts) {
  const found = await Promise.all(pids.map((pid) => localPortsOf(pid, brokerPorts)));
  return new Set(found.flat());
}

/** @param {Capture} capture @param {Watched} watched @param {number} aheadMs @returns {Promise<Seen>} */
async function evaluate(capture, watched, aheadMs) {
  try {
    const stepMs = wallClockAheadMs() - aheadMs;
    const {lost} = await capture.stop();
    if (Math.abs(stepMs) > maxStepMs) return unseen('the system clock was set meanwhile');
    if (lost > 0) return unseen(`tcpdump missed ${lost} packets`);
    return {passages: await passagesIn(capture, watched, aheadMs + stepMs / 2), reason: null};
  } finally {
    await capture.close();
  }
}

/** @param {Capture} capture @param {Watched} watched @param {number} aheadMs @returns {Promise<Passages>} */
async function passagesIn(capture, watched, aheadMs) {
  const reader = new PacketReader();
  const sums = new PassageSums(watched);
  for await (const chunk of capture.read()) for (const segment of reader.read(chunk)) sums.add(segment);
  const originMs = (reader.baseMs ?? 0) - aheadMs;
  const onOurClock = (/** @type {Sum} */ {messages, atMs}) => ({messages, atMs: atMs + messages * originMs});
  const {requestIn, requestOut, replyIn, replyOut} = sums.passages;
  return {
    requestIn: onOurClock(requestIn),
    requestOut: onOurClock(requestOut),
    replyIn: onOurClock(replyIn),
    replyOut: onOurClock(replyOut),
  };
}
