import {checkCertificate, ignoresOfTls, tlsOptions} from '../../net/tls.js';
import {option} from '../../options/option.js';
import {oneOf, onOff} from '../../options/types.js';

/**
 * @import {ScriptValuesOf} from '../../options/contract.js'
 * @import {Transport} from '../transport.js'
 */

const group = 'HTTP';

const serverNames = {express: 'Express', fastify: 'Fastify', node: 'node:http'};
const serverMs = {express: 0.4, fastify: 0.27, node: 0.25};
const clientNames = {undici: 'undici', node: 'node:http client', fetch: 'fetch client'};

/** The options for HTTP libraries, over any kind of socket. */
export const libraryOptions = [
  option('http-server', {
    key: 'serverLibrary',
    type: oneOf(['express', 'fastify', 'node']),
    default: 'express',
    battleDefault: ['express', 'node'],
    list: true,
    label: (value) => serverNames[value],
    help: 'Library of the server: Express, Fastify, or node:http alone. A battle runs Express and node:http.',
    group,
  }),
  option('http-client', {
    key: 'clientLibrary',
    type: oneOf(['undici', 'node', 'fetch']),
    default: 'undici',
    list: true,
    label: (value) => clientNames[value],
    help: "Library of the client: undici's dispatch, the request function of node:http, or fetch().",
    group,
  }),
];

/** The option to reuse connections, over any kind of socket. */
export const keepAliveOption = option('http-keep-alive', {
  key: 'keepAlive',
  type: onOff,
  default: true,
  list: true,
  label: (value) => (value ? 'keep-alive' : 'no keep-alive'),
  help: 'Reuse connections. off: open a connection for each request.',
  group,
});

const options = [
  ...libraryOptions,
  ...tlsOptions,
  keepAliveOption,
  option('http-etag', {
    key: 'etag',
    type: onOff,
    default: false,
    list: true,
    label: (value) => (value ? 'ETag' : 'no ETag'),
    help: 'Let Express compute an ETag for each reply, as it does by default.',
    needs: 'the transport http, and a workload with replies',
    appliesTo: ({hasReplies}) => hasReplies,
    group,
  }),
];

/** @typedef {ScriptValuesOf<typeof options[number]>} HttpSettings */

/**
 * HTTP/1.1: a POST with the payload. Express has a raw body parser with a suitable limit, no ETag and no x-powered-by. Fastify has such a
 * parser and limit, too, and no logger.
 * @satisfies {Transport<HttpSettings>}
 */
const http = {
  name: /** @type {const} */ ('http'),
  label: 'HTTP',
  options,
  capabilities: ['request', 'send', 'broadcast'],
  groups: ['http-family'],
  roundTripMs: (payloadBytes, {serverLibrary}) => serverMs[serverLibrary] + 2.4e-6 * payloadBytes,
  connectsPerRequest: true,
  boundsSends: () => true,
  broker: null,
  ignores: ignoresOfTls,
  checkFiles: checkCertificate,
  libraries: ['express', 'fastify', 'undici'],
  refuse: ({serverLibrary, etag}) =>
    serverLibrary !== 'express' && etag
      ? `--http-etag on needs --http-server express: ${serverNames[serverLibrary]} sends no ETag.`
      : null,
  given: {
    protocols: ['http:', 'https:'],
    hasMethods: true,
    client: () => import('./client.js'),
  },
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default http;
