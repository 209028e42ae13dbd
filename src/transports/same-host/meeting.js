import {once} from 'node:events';
import {readFileSync, readlinkSync} from 'node:fs';
import {RunError} from '../../errors.js';
import {parseOrNull} from '../../safe-text.js';

/**
 * @import {Offer} from './end.js'
 * @import {Socket} from 'node:net'
 */

/**
 * The two ends exchange one line of JSON each over a TCP connection. The connection remains open, so that either end notices the end of the
 * other process.
 */

const maxLineBytes = 4096;

/**
 * @typedef {{place: string, offer: Offer, own: number, error?: unknown}} Line place: where the process runs; own: the number of the receiving end at
 *   the sending end
 */

/** @param {string} label of the transport @throws {RunError} PB_NO_LIBC on systems other than Linux */
export function refuseOtherSystems(label) {
  if (process.platform !== 'linux')
    throw new RunError(`${label} needs Linux; this host has ${process.platform}.`, {code: 'PB_NO_LIBC'});
}

/** Identifies a kernel and a PID namespace. Process ids have the same meaning for all processes with the same place. */
const place = () =>
  `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;

/** Sends the reason for a refusal, which the other end reports. @param {Socket} socket @param {Error} error */
export function sendRefusal(socket, {message}) {
  socket.end(`${JSON.stringify({error: message})}\n`);
}

/** @param {Socket} socket @param {Offer} offer @param {number} own */
export function sendOffer(socket, offer, own) {
  socket.write(`${JSON.stringify({place: place(), offer, own})}\n`);
}

/**
 * @param {Socket} socket
 * @param {string} label of the transport
 * @returns {Promise<Pick<Line, 'offer' | 'own'>>}
 * @throws {RunError} PB_NO_CONNECTION when the other end is on another host, or sends an invalid line
 */
export async function readOffer(socket, label) {
  let line = '';
  while (!line.includes('\n')) {
    const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [null])]);
    if (chunk === null || line.length > maxLineBytes)
      throw cannotMeet(`The other end of ${label} did not say how to reach it.`);
    line += chunk.toString('latin1');
  }
  /** @type {Line | null} */
  const said = parseOrNull(line);
  if (typeof said?.error === 'string') throw cannotMeet(said.error.slice(0, maxLineBytes));
  const numbers = [...Object.values(said?.offer ?? {}), said?.own ?? -1];
  if (!said || numbers.length < 2 || !numbers.every(isNumber))
    throw cannotMeet(`The other end of ${label} said something else than how to reach it.`);
  if (said.place !== place())
    throw cannotMeet(
      `${label} connects two processes of one host; the other end is on another host, or in another container.`,
    );
  return said;
}

/** @param {unknown} value the number of a process, a file or an end, or a size */
function isNumber(value) {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 32;
}

/** @param {string} message */
function cannotMeet(message) {
  return new RunError(message, {code: 'PB_NO_CONNECTION'});
}
