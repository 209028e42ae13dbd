import {option} from '../../options/option.js';
import {integer, onOff} from '../../options/types.js';
import {maxDatagramBytes, minDatagramBytes} from './datagram.js';

/**
 * @import {ScriptValuesOf} from '../../options/contract.js'
 * @import {Transport} from '../transport.js'
 */

const group = 'UDP';

/** An Ethernet frame of 1500 bytes less the headers of IPv4 (20 bytes) and UDP (8 bytes). */
const ethernetDatagramBytes = 1472;

const options = [
  option('udp-batch', {
    key: 'udpBatch',
    type: onOff,
    default: true,
    list: true,
    label: (value) => (value ? 'batched' : 'no batching'),
    help: 'Whether the one-way messages of one turn of the event loop share datagrams. off: each message begins a new datagram.',
    group,
    needs: 'the transport udp, and a workload with one-way messages',
    appliesTo: ({sendsOneWay}) => sendsOneWay,
  }),
  option('udp-datagram', {
    key: 'udpDatagramBytes',
    type: integer({minimum: minDatagramBytes, maximum: maxDatagramBytes}),
    default: ethernetDatagramBytes,
    list: true,
    label: (value) => `datagrams of ${value} bytes`,
    help: 'Maximum size of a datagram in bytes, without the headers of UDP and IP. One Ethernet frame carries 1472 bytes over IPv4, and 1452 over IPv6. IP splits larger datagrams, and the loss of one part loses the whole datagram. Over the loopback interface, which loses nothing, 65507 is faster.',
    group,
  }),
];

/** @typedef {ScriptValuesOf<typeof options[number]>} UdpSettings */

/**
 * Messages over UDP that arrive once and in order, by numbered datagrams, acknowledgements, and retransmission of lost datagrams.
 * @satisfies {Transport<UdpSettings>}
 */
const udp = {
  name: /** @type {const} */ ('udp'),
  label: 'UDP',
  usesDatagrams: true,
  options,
  capabilities: ['request', 'send'],
  broker: null,
  isOptIn: true,
  mayBeatFloor: true,
  libraries: [],
  ignores: () => ['noDelay'],
  roundTripMs: (payloadBytes, {udpDatagramBytes}) =>
    0.05 + 0.01 * Math.ceil(payloadBytes / udpDatagramBytes) + 5e-7 * payloadBytes,
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default udp;
