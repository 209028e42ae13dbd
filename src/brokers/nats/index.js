import {maskRefusedUrl} from '../../net/broker-url.js';
import {certificateFile, checkPair, keyFile, ownCertificateFile} from '../../net/tls-files.js';
import {option} from '../../options/option.js';
import {hostName, integer, text} from '../../options/types.js';
import {connectionFrom, localServer, maskConnection, maskNatsUrls, parseNatsUrl} from './url.js';

/**
 * @import {CellFeatures, OptionType} from '../../options/contract.js'
 * @import {BrokerKind} from '../kind.js'
 * @import {NatsConnection} from './url.js'
 */

const group = 'NATS';

/** @type {OptionType<string>} */
const serverUrl = {
  allowed: 'a nats:// or tls:// URL',
  placeholder: 'URL',
  parse: (value) => (parseNatsUrl(value) ? value : undefined),
  format: String,
  mask: maskNatsUrls,
  maskRefused: (value) => maskRefusedUrl(value, maskNatsUrls),
};

/** @type {OptionType<string>} */
const subject = {
  allowed: 'a subject of letters, digits, - and _, in parts with dots between, of at most 180 characters',
  placeholder: 'SUBJECT',
  parse: (value) => (/^[\w-]+(\.[\w-]+)*$/.test(value) && value.length <= 180 ? value : undefined),
  format: String,
};

/** The server, as one URL. */
const urlOption = option('nats-url', {
  type: serverUrl,
  help: 'The NATS server as a URL, instead of host, port, user, password and token: nats://user:password@host:4222, or nats://token@host. tls:// uses TLS. Of several servers, nats://one:4222,two:4222, the first that answers is used.',
  group,
});

/** Setting one of these names a server. */
const addressOptions = [
  urlOption,
  option('nats-host', {
    type: hostName,
    default: 'localhost',
    help: 'Host of the NATS server.',
    group,
  }),
  option('nats-port', {
    type: integer({minimum: 1, maximum: 65_535}),
    default: 4222,
    help: 'Port of the NATS server.',
    group,
  }),
  option('nats-username', {
    type: text('a user name'),
    help: 'User on the NATS server; by default none.',
    group,
  }),
  option('nats-password', {
    type: text('a password'),
    placeholder: 'PASSWORD',
    secret: true,
    help: 'Password on the NATS server. Set it in the environment or in .env: other users can read a command line.',
    group,
  }),
  option('nats-token', {
    type: text('a token'),
    placeholder: 'TOKEN',
    secret: true,
    help: 'Token for the NATS server, instead of user and password. Set it in the environment or in .env.',
    group,
  }),
];

/** The names that a run uses on the server. */
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
  ...addressOptions,
  option('nats-ca-file', {
    type: certificateFile,
    help: 'Certificate authority that signed the certificate of a NATS server with TLS. Any of these three files implies TLS.',
    ...needsServer,
    group,
  }),
  option('nats-cert-file', {
    type: ownCertificateFile,
    help: 'Certificate of the client, with its chain, for a NATS server that asks for one (mutual TLS).',
    ...needsServer,
    group,
  }),
  option('nats-key-file', {
    type: keyFile,
    help: 'Private key of that certificate.',
    ...needsServer,
    group,
  }),
  ...nameOptions,
];

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
