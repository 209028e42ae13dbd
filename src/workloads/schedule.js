import {performance} from 'node:perf_hooks';
import {setTimeout as sleep, setImmediate as turn} from 'node:timers/promises';
import {randomSource} from '../payload/random.js';

/** Timers are late by up to this much: the rest is spent turning the event loop. */
const timerSlackMs = 2;
/** One that is behind catches up, but lets the event loop turn after so many messages. */
const mostAtOnce = 16;

/**
 * When the messages of an open loop are to be sent: times fixed beforehand, on whatever comes back they do not depend.
 *
 * @param {{rate: number, arrivals: Arrivals, seed: number, client?: number, clients?: number}} load rate: of all clients
 *   together, per second
 * @returns {() => number} the time of the next message in ms since the begin
 *
 * @typedef {'constant' | 'poisson'} Arrivals
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
    // The distances of a Poisson process are exponentially distributed: the inverse of their distribution function.
    at -= Math.log(1 - random()) * distance;
    return at;
  };
}

/**
 * The mean distance between two messages of one client.
 * @param {{rate: number, clients?: number}} load
 * @returns {number} in ms
 */
export function distanceMs({rate, clients = 1}) {
  return (1000 * clients) / rate;
}

/**
 * Sends at the times of a schedule. One that is late sends at once; none is left out.
 *
 * @param {Parameters<typeof makeSchedule>[0] & {samples: number | null, durationMs: number | null}} load ends with whichever is first of
 *   samples and duration
 * @param {{send: (intendedMs: number, nowMs: number) => void | Promise<void>, signal: AbortSignal}} means send: by performance.now(); a
 *   promise is waited for
 * @returns {Promise<{sent: number, scheduledMs: number, askedPerSecond: number}>} scheduledMs: from the begin to the time of the last,
 *   with its distance behind it, as each before it has; askedPerSecond: what the schedule made of the rate
 */
export async function sendOnSchedule(load, {send, signal}) {
  const schedule = makeSchedule(load);
  const samples = load.samples ?? Number.POSITIVE_INFINITY;
  const durationMs = load.durationMs ?? Number.POSITIVE_INFINITY;
  const begin = performance.now();
  let lastOffset = 0;
  let sent = 0;
  let inARow = 0;
  while (sent < samples) {
    const offset = schedule();
    if (offset >= durationMs) break;
    lastOffset = offset;
    const intended = begin + offset;
    let now = performance.now();
    if (now < intended || inARow >= mostAtOnce) {
      inARow = 0;
      do {
        signal.throwIfAborted();
        if (intended - now > timerSlackMs) await sleep(intended - now - timerSlackMs, undefined, {signal});
        else await turn();
        now = performance.now();
      } while (now < intended);
    }
    inARow += 1;
    const pressed = send(intended, now);
    if (pressed) await pressed;
    sent += 1;
  }
  const scheduledMs = lastOffset + distanceMs(load);
  return {sent, scheduledMs, askedPerSecond: (sent * 1000) / scheduledMs};
}
