import {option} from '../../options/option.js';
import {addressOptions, fileCheck, fileOptions, impliesTls, prefixType, urlType} from '../address.js';
import {connectionFrom, localServer, maskConnection, parseRedisUrl} from './url.js';

/**
 * @import {CellFeatures} from '../../options/contract.js'
 * @import {BrokerKind} from '../kind.js'
 * @import {RedisConnection} from './url.js'
 */

const group = 'Redis';

const address = addressOptions('redis', {
  group,
  broker: 'the Redis server',
  url: {
    type: urlType('a redis:// or rediss:// URL', parseRedisUrl),
    help: 'The Redis or Valkey server as a URL, instead of host, port, user and password: redis://user:password@host:6379/0. rediss:// uses TLS.',
  },
  port: localServer.port,
  login: '; by default the default user',
});

const nameOptions = [
  option('redis-prefix', {
    type: prefixType(180),
    default: 'perf-battle',
    help: 'Prefix of the names of keys and channels. By default a battle adds a unique part.',
    group,
  }),
];

const needsServer = {
  needs: 'a transport that uses Redis, and a server that --broker, --redis-url or --redis-host names',
  appliesTo: (/** @type {CellFeatures} */ {mayStartBroker}) => !mayStartBroker,
};

const options = [
  ...address,
  ...fileOptions('redis', {group, broker: 'a Redis server', more: impliesTls, ...needsServer}),
  ...nameOptions,
];

/**
 * A Redis server, or another server of its protocol, such as Valkey.
 * @satisfies {BrokerKind<RedisConnection>}
 */
export const redis = {
  name: 'redis',
  label: 'Redis',
  program: 'redis-server',
  otherPrograms: ['valkey-server'],
  schemes: ['redis', 'rediss'],
  options,
  urlOption: address[0],
  addressOptions: address,
  nameOptions,
  versions: ['redis'],
  local: localServer,
  connectionFrom,
  checkFiles: fileCheck('redis'),
  mask: maskConnection,
  verifiesSettings: true,
  nodes: () => 1,
  load: async () => (await import('./driver.js')).driver,
};
