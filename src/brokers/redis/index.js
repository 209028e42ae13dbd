import {maskRefusedUrl, maskUrl} from '../../net/broker-url.js';
import {certificateFile, checkPair, keyFile, ownCertificateFile} from '../../net/tls-files.js';
import {option} from '../../options/option.js';
import {hostName, integer, text} from '../../options/types.js';
import {connectionFrom, localServer, maskConnection, parseRedisUrl} from './url.js';

/**
 * @import {CellFeatures, OptionType} from '../../options/contract.js'
 * @import {BrokerKind} from '../kind.js'
 * @import {RedisConnection} from './url.js'
 */

const group = 'Redis';

/** @type {OptionType<string>} */
const serverUrl = {
  allowed: 'a redis:// or rediss:// URL',
  placeholder: 'URL',
  parse: (value) => (parseRedisUrl(value) ? value : undefined),
  format: String,
  mask: (value) => maskUrl(value),
  maskRefused: (value) => maskRefusedUrl(value, maskUrl),
};

/** @type {OptionType<string>} */
const prefix = {
  allowed: 'letters, digits, - and _, at most 180',
  placeholder: 'PREFIX',
  parse: (value) => (/^[\w-]{1,180}$/.test(value) ? value : undefined),
  format: String,
};

/** The server, as one URL. */
const urlOption = option('redis-url', {
  type: serverUrl,
  help: 'The Redis or Valkey server as a URL, instead of host, port, user and password: redis://user:password@host:6379/0. rediss:// uses TLS.',
  group,
});

/** Setting one of these names a server. */
const addressOptions = [
  urlOption,
  option('redis-host', {
    type: hostName,
    default: 'localhost',
    help: 'Host of the Redis server.',
    group,
  }),
  option('redis-port', {
    type: integer({minimum: 1, maximum: 65_535}),
    default: 6379,
    help: 'Port of the Redis server.',
    group,
  }),
  option('redis-username', {
    type: text('a user name'),
    help: 'User on the Redis server; by default the one of the server.',
    group,
  }),
  option('redis-password', {
    type: text('a password'),
    placeholder: 'PASSWORD',
    secret: true,
    help: 'Password on the Redis server. Set it in the environment or in .env: other users can read a command line.',
    group,
  }),
];

/** What the names of all that a run creates on the server begin with. */
const nameOptions = [
  option('redis-prefix', {
    type: prefix,
    default: 'perf-battle',
    help: 'What the names of keys and channels begin with. By default a battle adds a unique part.',
    group,
  }),
];

const needsServer = {
  needs: 'a transport that uses Redis, and a server that --broker, --redis-url or --redis-host names',
  appliesTo: (/** @type {CellFeatures} */ {mayStartBroker}) => !mayStartBroker,
};

const options = [
  ...addressOptions,
  option('redis-ca-file', {
    type: certificateFile,
    help: 'Certificate authority that signed the certificate of a Redis server with TLS. Any of these three files implies TLS.',
    ...needsServer,
    group,
  }),
  option('redis-cert-file', {
    type: ownCertificateFile,
    help: 'Certificate of the client, with its chain, for a Redis server that asks for one (mutual TLS).',
    ...needsServer,
    group,
  }),
  option('redis-key-file', {
    type: keyFile,
    help: 'Private key of that certificate.',
    ...needsServer,
    group,
  }),
  ...nameOptions,
];

/**
 * A Redis server, or one that speaks its protocol, such as Valkey.
 * @satisfies {BrokerKind<RedisConnection>}
 */
export const redis = {
  name: 'redis',
  label: 'Redis',
  program: 'redis-server',
  otherPrograms: ['valkey-server'],
  schemes: ['redis', 'rediss'],
  options,
  urlOption,
  addressOptions,
  nameOptions,
  versions: ['redis'],
  local: localServer,
  connectionFrom,
  checkFiles: ({certFile, keyFile}) => checkPair(certFile, keyFile, '--redis-cert-file and --redis-key-file'),
  mask: maskConnection,
  verifiesSettings: true,
  nodes: () => 1,
  load: async () => (await import('./driver.js')).driver,
};
