import {maskRefusedUrl, maskUrl} from '../../net/broker-url.js';
import {certificateFile, checkPair, keyFile, ownCertificateFile} from '../../net/tls-files.js';
import {option} from '../../options/option.js';
import {hostName, integer, text} from '../../options/types.js';
import {packageFolders} from '../programs.js';
import {connectionFrom, localServer, maskConnection, parseArtemisUrl} from './url.js';

/**
 * @import {CellFeatures} from '../../options/option.js'
 * @import {OptionType} from '../../options/types.js'
 * @import {ArtemisConnection} from './url.js'
 * @import {BrokerKind} from '../kind.js'
 */

const group = 'Artemis';

/** @type {OptionType<string>} */
const brokerUrl = {
  allowed: 'an amqp:// or amqps:// URL',
  placeholder: 'URL',
  parse: (value) => (parseArtemisUrl(value) ? value : undefined),
  format: String,
  mask: (value) => maskUrl(value),
  maskRefused: (value) => maskRefusedUrl(value, maskUrl),
};

/** @type {OptionType<string>} */
const prefix = {
  allowed: 'letters, digits, - and _, at most 150',
  placeholder: 'PREFIX',
  parse: (value) => (/^[\w-]{1,150}$/.test(value) ? value : undefined),
  format: String,
};

const needsAuto = '--amqp1-broker artemis, with --broker auto';
const needsNoUrl = `${needsAuto} and no --artemis-url`;

/** The broker, as one URL. */
const urlOption = option('artemis-url', {
  type: brokerUrl,
  help: 'The Artemis broker as a URL, instead of host, port, user and password: amqp://user:password@host:5672. amqps:// uses TLS.',
  needs: needsAuto,
  group,
});

/** Setting one of these names a broker. */
const addressOptions = [
  urlOption,
  option('artemis-host', {
    type: hostName,
    default: localServer.hostname,
    help: 'Host of the Artemis broker.',
    needs: needsNoUrl,
    group,
  }),
  option('artemis-port', {
    type: integer({minimum: 1, maximum: 65_535}),
    default: localServer.port,
    help: 'Port of the Artemis broker, on which it takes AMQP.',
    needs: needsNoUrl,
    group,
  }),
  option('artemis-username', {
    type: text('a user name'),
    default: localServer.username,
    help: 'User on the Artemis broker.',
    needs: needsNoUrl,
    group,
  }),
  option('artemis-password', {
    type: text('a password'),
    placeholder: 'PASSWORD',
    default: localServer.password,
    secret: true,
    help: 'Password on the Artemis broker. Set it in the environment or in .env: other users can read a command line.',
    needs: needsNoUrl,
    group,
  }),
];

/** What the names of all that a run creates on the broker begin with. */
const nameOptions = [
  option('artemis-prefix', {
    type: prefix,
    default: 'perf-battle',
    help: 'What the names of addresses and queues begin with. By default a battle adds a unique part.',
    group,
  }),
];

const needsBroker = {
  needs: '--amqp1-broker artemis, and a broker that --artemis-url or --artemis-host names',
  appliesTo: (/** @type {CellFeatures} */ {mayStartBroker}) => !mayStartBroker,
};

const options = [
  ...addressOptions,
  option('artemis-ca-file', {
    type: certificateFile,
    help: 'Certificate authority that signed the certificate of an Artemis broker with TLS. Any of these three files implies TLS.',
    ...needsBroker,
    group,
  }),
  option('artemis-cert-file', {
    type: ownCertificateFile,
    help: 'Certificate of the client, with its chain, for an Artemis broker that asks for one (mutual TLS).',
    ...needsBroker,
    group,
  }),
  option('artemis-key-file', {
    type: keyFile,
    help: 'Private key of that certificate.',
    ...needsBroker,
    group,
  }),
  ...nameOptions,
];

/** Where infra/artemis/install.sh puts it. */
const ownFolder = '/opt/perf-battle/artemis/bin';

/**
 * Apache ActiveMQ Artemis, which is reached by AMQP 1.0.
 * @satisfies {BrokerKind<ArtemisConnection>}
 */
export const artemis = {
  name: 'artemis',
  label: 'Artemis',
  program: 'artemis',
  programFolders: async () => [ownFolder, ...packageFolders()],
  // Its URLs are those of another kind, so only its own option takes one.
  schemes: [],
  options,
  urlOption,
  addressOptions,
  nameOptions,
  versions: ['artemis'],
  local: localServer,
  connectionFrom,
  checkFiles: ({certFile, keyFile}) =>
    checkPair(certFile, keyFile, '--artemis-cert-file and --artemis-key-file'),
  mask: maskConnection,
  nodes: () => 1,
  /** The heap that Apache's script gives it. */
  minMemoryBytes: 2 * 1024 ** 3,
  /** See `min-disk-free` of the driver. */
  minFreeBytes: 50e6,
  load: async () => (await import('./driver.js')).driver,
};
