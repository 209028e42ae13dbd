/** @import {Transport} from '../transport.js' */

/**
 * Memory that two processes share: a ring of bytes each way, and a semaphore for each process that waits.
 * @satisfies {Transport<{}>}
 */
export const sharedMemory = {
  name: /** @type {const} */ ('shared-memory'),
  label: 'Shared memory',
  options: /** @type {readonly never[]} */ ([]),
  capabilities: ['request', 'send'],
  broker: null,
  isOptIn: true,
  needsOneHost: true,
  mayBeatFloor: true,
  libraries: ['koffi'],
  roundTripMs: (payloadBytes) => 0.015 + 5e-7 * payloadBytes,
  notesOn: (variants) =>
    variants.length > 0
      ? [
          'Shared memory connects processes of one host only. A message is copied once into a ring and once out of it, and the kernel only wakes who waits; so it may be faster than the floor.',
        ]
      : [],
};
