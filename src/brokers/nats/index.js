import {checkPair} from '../../net/tls-files.js';
import {addressOptions, nameOptions, options, urlOption} from './options.js';
import {connectionFrom, localServer, maskConnection} from './url.js';

/**
 * @import {NatsConnection} from './url.js'
 * @import {BrokerKind} from '../kind.js'
 */

/**
 * A NATS server.
 * @satisfies {BrokerKind<NatsConnection>}
 */
export const nats = {
  name: 'nats',
  label: 'NATS',
  program: 'nats-server',
  schemes: ['nats', 'tls'],
  options,
  urlOption,
  addressOptions,
  nameOptions,
  versions: ['nats'],
  local: localServer,
  connectionFrom,
  checkFiles: ({certFile, keyFile}) => checkPair(certFile, keyFile, '--nats-cert-file and --nats-key-file'),
  mask: maskConnection,
  nodes: () => 1,
  load: async () => (await import('./driver.js')).driver,
};
