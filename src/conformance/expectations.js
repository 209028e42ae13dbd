import {setTimeout as sleep} from 'node:timers/promises';
import {TimeLimitError, untilAborted, within} from '../measure/bounds.js';

/** @import {Client} from '../transports/transport.js' */

/** The time limit of each wait in a check, sufficient on any host. */
const boundMs = 10_000;

/** Timers and immediates are ignored, because the checks themselves use them. */
export function openResources() {
  return process.getActiveResourcesInfo().filter((name) => !['Timeout', 'Immediate'].includes(name));
}

/** @param {number} size @param {number} seed @returns {Buffer} pseudo-random bytes, which depend on the seed */
export function patternOf(size, seed) {
  const bytes = Buffer.allocUnsafe(size);
  for (let index = 0, value = seed + 1; index < size; index += 1) {
    value = (Math.imul(value, 1_103_515_245) + 12_345) | 0;
    bytes[index] = (value >>> 16) | 1;
  }
  return bytes;
}

/** @param {number} number @param {number} size */
export function numbered(number, size) {
  const bytes = patternOf(size, number);
  bytes.writeUInt32BE(number);
  return bytes;
}

/** Reads the number of a message that `numbered` made. @param {Buffer} message */
export function numberOf(message) {
  if (!Buffer.isBuffer(message)) throw new Error('The server got a message that is no Buffer.');
  if (message.length < 4)
    throw new Error(
      `The server got a message of ${message.length} bytes, which is shorter than any that was sent.`,
    );
  return message.readUInt32BE(0);
}

/** @param {Buffer} found @param {Buffer} wanted @param {string} what */
export function refuseDifferent(found, wanted, what) {
  if (!Buffer.isBuffer(found)) throw new Error(`${what} is no Buffer.`);
  if (found.equals(wanted)) return;
  if (found.length !== wanted.length)
    throw new Error(`${what} has ${found.length} bytes in place of ${wanted.length}.`);
  throw new Error(
    `${what} differs from byte ${wanted.findIndex((byte, index) => byte !== found[index])} on.`,
  );
}

/** @param {Client} client */
export function senderOf(client) {
  if (!client.send || !client.drained || !client.flushed)
    throw new Error('The client of a transport that can send has send(), drained() and flushed().');
  return /** @type {Required<Client>} */ (client);
}

/** @param {Client} client */
export function storeOf({store}) {
  if (!store?.put || !store.drained || !store.flushed || !store.take)
    throw new Error(
      'The client of a transport that can store has a store with put(), drained(), flushed() and take().',
    );
  return store;
}

/** @template Value @param {Promise<Value>} promise @param {string} what names the awaited event */
export async function soon(promise, what) {
  try {
    return await within(boundMs, null, (signal) => untilAborted(promise, signal));
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    throw new Error(`Waited ${boundMs / 1000} s for ${what}, which did not come.`);
  }
}

/** @param {() => boolean} isTrue @param {() => string} explain */
export async function until(isTrue, explain) {
  const deadline = performance.now() + boundMs;
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error(`After ${boundMs / 1000} s ${explain()}.`);
    await sleep(10);
  }
}
