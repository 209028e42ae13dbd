import {checkCertificate, ignoresOfTls, tlsOptions} from '../../net/tls.js';
import {option} from '../../options/option.js';
import {bytes, integer, oneOf} from '../../options/types.js';
import {formatBytes} from '../../payload/bytes.js';

/**
 * @import {ScriptValuesOf} from '../../options/contract.js'
 * @import {Transport} from '../transport.js'
 */

const group = 'gRPC';

const callNames = {unary: 'unary', stream: 'one stream'};

const options = [
  ...tlsOptions,
  option('grpc-call', {
    key: 'grpcCall',
    type: oneOf(['unary', 'stream']),
    default: 'unary',
    list: true,
    label: (value) => callNames[value],
    help: 'A unary call for each request, or one bidirectional stream for each client.',
    needs: 'the transport grpc, and a workload with replies',
    appliesTo: ({hasReplies}) => hasReplies,
    group,
  }),
  option('grpc-channels', {
    key: 'grpcChannels',
    type: integer({minimum: 1, maximum: 256}),
    default: 1,
    list: true,
    label: (value) => `${value} channels`,
    help: 'Number of channels of a client, each with a connection of its own.',
    group,
  }),
  option('grpc-window', {
    key: 'grpcWindowBytes',
    type: bytes({minimum: 65_535, maximum: 16 * 1024 ** 2}),
    default: 1024 ** 2,
    list: true,
    label: (value) => `window ${formatBytes(value)}`,
    help: 'The bytes that a server may send before its client allows more, for each call and for the connection.',
    group,
  }),
];

/** @typedef {ScriptValuesOf<typeof options[number]>} GrpcSettings */

/**
 * gRPC by @grpc/grpc-js, with the service of battle.proto: a unary call for each round trip, and a client stream for one-way messages. The
 * library always disables Nagle's algorithm.
 * @satisfies {Transport<GrpcSettings>}
 */
const grpc = {
  name: /** @type {const} */ ('grpc'),
  label: 'gRPC',
  options,
  capabilities: ['request', 'send', 'broadcast'],
  groups: ['http-family'],
  roundTripMs: (payloadBytes) => 0.5 + 4e-6 * payloadBytes,
  broker: null,
  isOptIn: true,
  libraries: ['@grpc/grpc-js'],
  ignores: (settings) => [...ignoresOfTls(settings), 'noDelay'],
  checkFiles: checkCertificate,
  given: {
    protocols: ['grpc:', 'grpcs:'],
    hasMessages: true,
    refuse: ({pathname, search}) =>
      /^\/[\w.]+\/\w+$/.test(pathname) && search === ''
        ? null
        : 'A URL of grpc names a method: grpc://HOST:PORT/package.Service/Method.',
    client: () => import('./client.js'),
  },
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default grpc;
