import {option} from '../../options/option.js';
import {addressOptions, fileCheck, fileOptions, impliesTls, prefixType, urlType} from '../address.js';
import {packageFolders} from '../programs.js';
import {connectionFrom, localServer, maskConnection, parseArtemisUrl} from './url.js';

/**
 * @import {CellFeatures} from '../../options/contract.js'
 * @import {ArtemisConnection} from './url.js'
 * @import {BrokerKind} from '../kind.js'
 */

const group = 'Artemis';

const address = addressOptions('artemis', {
  group,
  broker: 'the Artemis broker',
  url: {
    type: urlType('an amqp:// or amqps:// URL', parseArtemisUrl),
    help: 'The Artemis broker as a URL, instead of host, port, user and password: amqp://user:password@host:5672. amqps:// uses TLS.',
  },
  port: localServer.port,
  user: 'artemis',
  login: '',
});

const nameOptions = [
  option('artemis-prefix', {
    type: prefixType(150),
    default: 'perf-battle',
    help: 'Prefix of the names of addresses and queues. By default a battle adds a unique part.',
    group,
  }),
];

const needsBroker = {
  needs: '--amqp1-broker artemis, and a broker that --artemis-url or --artemis-host names',
  appliesTo: (/** @type {CellFeatures} */ {mayStartBroker}) => !mayStartBroker,
};

const options = [
  ...address,
  ...fileOptions('artemis', {group, broker: 'an Artemis broker', more: impliesTls, ...needsBroker}),
  ...nameOptions,
];

/** The folder where infra/artemis/install.sh installs Artemis. */
const ownFolder = '/opt/perf-battle/artemis/bin';

/** Apache ActiveMQ Artemis, by AMQP 1.0. @satisfies {BrokerKind<ArtemisConnection>} */
export const artemis = {
  name: 'artemis',
  label: 'Artemis',
  program: 'artemis',
  programFolders: async () => [ownFolder, ...packageFolders()],
  // RabbitMQ has the same schemes, so only --artemis-url takes a URL of Artemis.
  schemes: [],
  options,
  urlOption: address[0],
  addressOptions: address,
  nameOptions,
  versions: ['artemis'],
  local: localServer,
  connectionFrom,
  checkFiles: fileCheck('artemis'),
  mask: maskConnection,
  nodes: () => 1,
  /** The heap of Apache's start script. */
  minMemoryBytes: 2 * 1024 ** 3,
  /** See `min-disk-free` of the driver. */
  minFreeBytes: 50e6,
  load: async () => (await import('./driver.js')).driver,
};
