import {option} from '../../options/option.js';
import {oneOf} from '../../options/types.js';
import http, {keepAliveOption, libraryOptions} from '../http/index.js';
import {noteIfAny} from '../same-host/declaration.js';

/**
 * @import {ScriptValuesOf} from '../../options/contract.js'
 * @import {Transport} from '../transport.js'
 */

const httpOptions = [...libraryOptions, keepAliveOption];

const options = [
  option('unix-protocol', {
    type: oneOf(['raw', 'http']),
    default: 'raw',
    battleDefault: ['raw', 'http'],
    list: true,
    label: () => null,
    help: 'What a Unix socket carries: frames as over raw TCP, or HTTP by the libraries that --http-server and --http-client name.',
    group: 'Unix sockets',
  }),
  ...httpOptions,
];

/** @typedef {ScriptValuesOf<typeof options[number]>} UnixSettings */

/**
 * Unix domain sockets, with the clients and servers of raw TCP and of HTTP.
 * @satisfies {Transport<UnixSettings>}
 */
const unix = {
  name: /** @type {const} */ ('unix'),
  label: 'Unix socket',
  labelOf: ({unixProtocol}) => (unixProtocol === 'http' ? 'HTTP on a Unix socket' : 'Unix socket'),
  options,
  capabilities: ['request', 'send', 'broadcast'],
  broker: null,
  isOptIn: true,
  needsOneHost: true,
  mayBeatFloor: true,
  libraries: http.libraries,
  roundTripMs: (payloadBytes, {unixProtocol}) =>
    unixProtocol === 'http' ? 0.3 + 2.4e-6 * payloadBytes : 0.04 + 1e-6 * payloadBytes,
  ignores: ({unixProtocol}) => [
    'noDelay',
    ...(unixProtocol === 'http' ? [] : httpOptions.map(({key}) => key)),
  ],
  connectsPerRequest: ({unixProtocol}) => unixProtocol === 'http',
  boundsSends: ({unixProtocol}) => unixProtocol === 'http',
  notesOn: noteIfAny(
    'A Unix socket connects processes of one host only. The kernel copies messages as over TCP, but without the work of TCP itself; so raw frames may be faster than the floor.',
  ),
  notInRuntimes: {bun: 'Bun refuses abstract names of the length that Node.js 20 gives them'},
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default unix;
