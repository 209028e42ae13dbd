import {option} from '../../options/option.js';
import {oneOf} from '../../options/types.js';
import {noteIfAny, withinOneHost} from '../same-host/declaration.js';

/**
 * @import {ScriptValuesOf} from '../../options/contract.js'
 * @import {Transport} from '../transport.js'
 */

const options = [
  option('worker-transfer', {
    type: oneOf(['copy', 'transfer']),
    default: 'copy',
    list: true,
    label: (value) => (value === 'copy' ? 'copied' : 'transferred'),
    help: 'How a payload reaches the other thread. copy: postMessage() clones it. transfer: the memory passes to the other thread, and the sender loses it; so the client first copies each payload into new memory, and the thread sends this memory back.',
    group: 'Worker threads',
  }),
];

/** @typedef {ScriptValuesOf<typeof options[number]>} WorkerSettings */

/**
 * Threads of one process (node:worker_threads). Each client starts a thread that answers its requests. The threads run on the cores of the
 * server process, and end with it.
 * @satisfies {Transport<WorkerSettings>}
 */
const worker = {
  ...withinOneHost,
  name: /** @type {const} */ ('worker'),
  label: 'Worker thread',
  options,
  capabilities: /** @type {('request')[]} */ (['request']),
  maxServers: 1,
  answersInClient: true,
  libraries: /** @type {readonly never[]} */ ([]),
  roundTripMs: (payloadBytes, {workerTransfer}) =>
    0.03 + (workerTransfer === 'copy' ? 1e-6 : 3e-7) * payloadBytes,
  notesOn: noteIfAny(
    "A worker thread answers within the process of its client, where the server's main thread is placed. So the client's CPU time includes the server's, which is shown as n/a. Messages pass through no socket, so they may be faster than the floor.",
  ),
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default worker;
