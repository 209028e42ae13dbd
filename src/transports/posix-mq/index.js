import {halvesOnHost, noteIfAny, withinOneHost} from '../same-host/declaration.js';
import {refuseProcesses} from './limits.js';

/** @import {Transport} from '../transport.js' */

const label = 'POSIX queues';

/**
 * POSIX message queues of the kernel (mq_overview(7)). Each process receives from its own queue. A longer payload is split into several
 * messages.
 * @satisfies {Transport<{queueMessages?: number, queueMessageBytes?: number}>}
 */
const posixMq = {
  ...withinOneHost,
  name: /** @type {const} */ ('posix-mq'),
  label,
  refuseProcesses: (count) => refuseProcesses(count),
  roundTripMs: (payloadBytes) => 0.02 + 1.8e-6 * payloadBytes,
  details: ({queueMessages, queueMessageBytes}) =>
    queueMessages === undefined ? [] : [`${queueMessages} × ${queueMessageBytes} bytes`],
  notesOn: noteIfAny(
    'POSIX queues connect processes of one host only. Client and server wait inside the kernel, whereas raw TCP in Node.js goes through its event loop; so they may be faster than the floor.',
  ),
  ...halvesOnHost(label, async () => (await import('./queues.js')).QueueEnd),
};

export default posixMq;
