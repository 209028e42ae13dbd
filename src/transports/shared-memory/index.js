import {halvesOnHost, noteIfAny, withinOneHost} from '../same-host/declaration.js';

/** @import {Transport} from '../transport.js' */

const label = 'Shared memory';

/**
 * Memory that two processes share: a ring of bytes for each direction, and a semaphore for each waiting process.
 * @satisfies {Transport<{}>}
 */
const sharedMemory = {
  ...withinOneHost,
  name: /** @type {const} */ ('shared-memory'),
  label,
  roundTripMs: (payloadBytes) => 0.015 + 5e-7 * payloadBytes,
  notesOn: noteIfAny(
    'Shared memory connects processes of one host only. A message is copied once into a ring and once out of it, and the kernel only wakes the waiting process; so it may be faster than the floor.',
  ),
  notInRuntimes: {deno: 'Deno knows only the files that it has opened itself'},
  ...halvesOnHost(label, async () => (await import('./rings.js')).RingEnd),
};

export default sharedMemory;
