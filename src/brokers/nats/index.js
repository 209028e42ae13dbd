import {option} from '../../options/option.js';
import {text} from '../../options/types.js';
import {addressOptions, fileCheck, fileOptions, impliesTls, urlType} from '../address.js';
import {connectionFrom, localServer, maskConnection, maskNatsUrls, parseNatsUrl} from './url.js';

/**
 * @import {CellFeatures, OptionType} from '../../options/contract.js'
 * @import {BrokerKind} from '../kind.js'
 * @import {NatsConnection} from './url.js'
 */

const group = 'NATS';

/** @type {OptionType<string>} */
const subject = {
  allowed: 'a subject of letters, digits, - and _, in parts with dots between, of at most 180 characters',
  placeholder: 'SUBJECT',
  parse: (value) => (/^[\w-]+(\.[\w-]+)*$/.test(value) && value.length <= 180 ? value : undefined),
  format: String,
};

const address = [
  ...addressOptions('nats', {
    group,
    broker: 'the NATS server',
    url: {
      type: urlType('a nats:// or tls:// URL', parseNatsUrl, maskNatsUrls),
      help: 'The NATS server as a URL, instead of host, port, user, password and token: nats://user:password@host:4222, or nats://token@host. tls:// uses TLS. With several servers, such as nats://one:4222,two:4222, the first that answers is used.',
    },
    port: localServer.port,
  }),
  option('nats-token', {
    type: text('a token'),
    placeholder: 'TOKEN',
    secret: true,
    help: 'Token for the NATS server, instead of user and password. Set it in the environment or in .env.',
    group,
  }),
];

const nameOptions = [
  option('nats-subject', {
    key: 'subject',
    type: subject,
    default: 'perf-battle',
    help: 'Prefix of the subjects. By default a battle adds a unique part.',
    group,
  }),
];

const needsServer = {
  needs: 'a transport that uses NATS, and a server that --broker, --nats-url or --nats-host names',
  appliesTo: (/** @type {CellFeatures} */ {mayStartBroker}) => !mayStartBroker,
};

const options = [
  ...address,
  ...fileOptions('nats', {group, broker: 'a NATS server', more: impliesTls, ...needsServer}),
  ...nameOptions,
];

/** @satisfies {BrokerKind<NatsConnection>} */
export const nats = {
  name: 'nats',
  label: 'NATS',
  program: 'nats-server',
  schemes: ['nats', 'tls'],
  options,
  urlOption: address[0],
  addressOptions: address,
  nameOptions,
  versions: ['nats'],
  local: localServer,
  connectionFrom,
  checkFiles: fileCheck('nats'),
  mask: maskConnection,
  nodes: () => 1,
  load: async () => (await import('./driver.js')).driver,
};
