import {option} from '../../options/option.js';
import {oneOf} from '../../options/types.js';

/**
 * @import {ScriptValuesOf} from '../../options/contract.js'
 * @import {Transport} from '../transport.js'
 */

const group = 'JetStream';

const options = [
  option('jetstream-storage', {
    type: oneOf(['memory', 'file']),
    default: 'file',
    battleDefault: ['memory', 'file'],
    list: true,
    label: () => null,
    help: 'Where a stream keeps its messages: in the memory of the NATS server, or in files.',
    group,
  }),
  option('jetstream-sync', {
    type: oneOf(['interval', 'always']),
    default: 'interval',
    list: true,
    label: (value) => `sync ${value}`,
    help: 'When a private NATS server writes files to the disk: every two minutes, as it does by default, or before it acknowledges a message. always needs NATS 2.10 or later, and --jetstream-storage file.',
    needs: 'the transport jetstream with --jetstream-storage file',
    group,
  }),
];

/** @typedef {ScriptValuesOf<typeof options[number]>} JetStreamSettings */

/**
 * Request and reply through a stream of a NATS server. The client publishes to a work-queue stream, and waits for the acknowledgement. The
 * servers share one durable pull consumer. A server replies over core NATS to a subject of the client, and then acknowledges the request,
 * which the stream deletes. Replies are not stored, because only one client waits for each.
 * @satisfies {Transport<JetStreamSettings>}
 */
const jetstream = {
  name: /** @type {const} */ ('jetstream'),
  label: 'JetStream',
  options,
  capabilities: ['request', 'send', 'store', 'broadcast'],
  broker: 'nats',
  isOptIn: true,
  libraries: ['@nats-io/transport-node', '@nats-io/jetstream'],
  roundTripMs: (payloadBytes) => 0.5 + 5e-6 * payloadBytes,
  boundsSends: () => true,
  ignores: ({jetstreamStorage}) => (jetstreamStorage === 'memory' ? ['jetstreamSync'] : []),
  brokerSettings: ({jetstreamStorage, jetstreamSync}) =>
    jetstreamStorage === 'file' && jetstreamSync === 'always' ? {sync: 'always'} : {},
  qualifier: ({jetstreamStorage}) => jetstreamStorage,
  persistent: ({jetstreamStorage}) => (jetstreamStorage === 'file' ? 'Yes' : 'No'),
  guarantees: {
    usual: {jetstreamStorage: ['memory', 'file']},
    all: {jetstreamStorage: ['memory', 'file'], jetstreamSync: ['interval', 'always']},
    consumer: {},
  },
  // A server without a leader for its stream does not answer. The library gives up after 5 s by default.
  publishTimeoutMs: 4000,
  notesOn: (variants) => (variants.some(waitsForNoDisk) ? [syncNote] : []),
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

const syncNote =
  'JetStream with files: the NATS server acknowledges a message that is in the page cache, and writes it to the disk every two minutes. So the figures do not include a wait for the disk. With --jetstream-sync always, the figures do.';

/** @param {JetStreamSettings} variant */
function waitsForNoDisk({jetstreamStorage, jetstreamSync}) {
  return jetstreamStorage === 'file' && jetstreamSync !== 'always';
}

export default jetstream;
