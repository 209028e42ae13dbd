import {performance} from 'node:perf_hooks';
import {setTimeout as sleep} from 'node:timers/promises';
import {randomSource} from '../payload/random.js';

/**
 * @import {Timed} from '../measure/types.js'
 * @import {Scheduled} from '../messages.js'
 * @import {Arrivals} from './workload.js'
 */

/** Timers fire up to this late. In the last part of a wait, the sender runs the event loop until the time has come. */
const timerSlackMs = 2;
/** While no reply is expected, the sender runs the event loop this often, and blocks in between. */
const idleTurnMs = 0.5;
/** A blocked sender wakes up to this late: the kernel delays timers by 50 us, and a core takes time to switch. */
const wakeUpMs = 0.2;
/** After a reply, its library may have work to do in these turns of the event loop. */
const turnsAfterReply = 3;
/** No other thread has it, so that waiting for it blocks until the time is over. */
const never = new Int32Array(new SharedArrayBuffer(4));
/** A late sender sends at most this many messages before it yields to the event loop. */
export const maxAtOnce = 16;
/** The sum of n exponentially distributed distances lies within n ± 6 √n mean distances, except with a probability of one in a million. */
const poissonDeviations = 6;

/**
 * Makes the times at which an open loop sends its messages. The times do not depend on replies.
 * @param {{rate: number, arrivals: Arrivals, seed: number, client?: number, clients?: number}} load rate: of all clients
 *   together, per second
 * @returns {() => number} the time of the next message in ms since the start
 */
export function makeSchedule({rate, arrivals, seed, client = 0, clients = 1}) {
  const distance = distanceMs({rate, clients});
  if (arrivals === 'constant') {
    let count = 0;
    const offsetMs = (distance * client) / clients;
    return () => {
      const at = offsetMs + count * distance;
      count += 1;
      return at;
    };
  }
  const random = randomSource(seed, `arrivals of client ${client}`);
  let at = 0;
  return () => {
    // The distances of a Poisson process are exponentially distributed; this is the inverse of their distribution function.
    at -= Math.log(1 - random()) * distance;
    return at;
  };
}

/**
 * Returns the mean distance between two messages of one client.
 * @param {{rate: number, clients?: number}} load @returns {number} in ms
 */
export function distanceMs({rate, clients = 1}) {
  return (1000 * clients) / rate;
}

/**
 * Returns an upper bound for the time of a schedule.
 * @param {number} samples of one client
 * @param {{rate: number, arrivals?: Arrivals, clients?: number}} load @returns {number} in ms
 */
export function maxScheduleMs(samples, {rate, arrivals, clients = 1}) {
  const distances = arrivals === 'poisson' ? samples + poissonDeviations * Math.sqrt(samples) : samples;
  return distances * distanceMs({rate, clients});
}

/**
 * Sends at the times of a schedule. A late message is sent at once; no message is left out.
 * @param {Parameters<typeof makeSchedule>[0] & {samples: number | null, durationMs: number | null}} load ends at its number of
 *   samples or its duration, whichever comes first
 * @param {object} deps
 * @param {(intendedMs: number, nowMs: number) => void | Promise<void>} deps.send times by performance.now(); a promise is awaited
 * @param {() => boolean} [deps.isIdle] whether no reply is expected; default: one may be
 * @param {AbortSignal} deps.signal
 * @returns {Promise<{schedule: Scheduled, nextAt: number}>} nextAt: the time at which the next message would be due, on average
 */
export async function sendOnSchedule(load, {send, isIdle = () => false, signal}) {
  const schedule = makeSchedule(load);
  const samples = load.samples ?? Number.POSITIVE_INFINITY;
  const durationMs = load.durationMs ?? Number.POSITIVE_INFINITY;
  const startedAt = performance.now();
  let firstMs = 0;
  let lastMs = 0;
  let sent = 0;
  let inARow = 0;
  while (sent < samples) {
    const offset = schedule();
    if (offset >= durationMs) break;
    if (sent === 0) firstMs = offset;
    lastMs = offset;
    const intended = startedAt + offset;
    let now = performance.now();
    if (now < intended || inARow >= maxAtOnce) {
      inARow = 0;
      signal.throwIfAborted();
      if (intended - now > timerSlackMs) await sleep(intended - now - timerSlackMs, undefined, {signal});
      now = await untilTime(intended, isIdle, signal);
    }
    inARow += 1;
    const pressed = send(intended, now);
    if (pressed) await pressed;
    sent += 1;
  }
  const ms = periodMs(load, {messages: sent, lastMs});
  return {schedule: {messages: sent, ms, firstMs, lastMs}, nextAt: startedAt + lastMs + distanceMs(load)};
}

/**
 * Runs the event loop, at least once, until a time. Each turn of the loop allocates memory: hundreds of MB per second, whose collection would delay
 * messages by milliseconds. So the thread blocks while no reply is expected, and a turn allocates no promise.
 * @param {number} atMs by performance.now() @param {() => boolean} isIdle @param {AbortSignal} signal
 * @returns {Promise<number>} the time of the last turn
 */
function untilTime(atMs, isIdle, signal) {
  return new Promise((resolve, reject) => {
    let idleTurns = 0;
    const turn = () => {
      if (signal.aborted) return reject(signal.reason);
      const now = performance.now();
      if (now >= atMs) return resolve(now);
      idleTurns = isIdle() ? idleTurns + 1 : 0;
      const blockedMs = Math.min(idleTurnMs, atMs - now - wakeUpMs);
      if (idleTurns > turnsAfterReply && blockedMs > 0) Atomics.wait(never, 0, 0, blockedMs);
      setImmediate(turn);
    };
    setImmediate(turn);
  });
}

/**
 * Returns the time of as many distances as messages, so that the mean time per message matches the rate. Constant arrivals begin with a message,
 * and the last distance follows the last message. Poisson arrivals begin with a distance, and end with a message or with the time.
 * @param {{rate: number, arrivals: Arrivals, clients?: number, samples: number | null, durationMs: number | null}} load
 * @param {{messages: number, lastMs: number}} sent @returns {number} in ms
 */
export function periodMs(load, {messages, lastMs}) {
  if (load.arrivals === 'constant') return messages * distanceMs(load);
  return messages === load.samples ? lastMs : (load.durationMs ?? lastMs);
}

/**
 * Returns the time of a schedule's messages: its period, plus the delay of the end.
 * @param {number} endAt time of the last reply, by performance.now()
 * @param {{schedule: Scheduled, nextAt: number}} sent @returns {number} in ms
 */
export function timeUntil(endAt, {schedule, nextAt}) {
  return schedule.ms + Math.max(0, endAt - nextAt);
}

/**
 * Returns the rate of the schedules of several clients that send at the same time. Clients with a number of messages end at different times. The
 * time in which all messages are due is therefore the mean of their periods, not the longest period.
 * @param {readonly Timed[]} parts of each client
 * @returns {number} per second
 */
export function rateOfAll(parts) {
  const messages = sumOf(parts, 'messages');
  return messages === 0 ? 0 : (parts.length * 1000 * messages) / sumOf(parts, 'ms');
}

/** @param {readonly Timed[]} parts @param {keyof Timed} name */
function sumOf(parts, name) {
  return parts.reduce((total, part) => total + part[name], 0);
}
