import {UnavailableError, UsageError} from '../errors.js';
import {joinAddress} from '../net/address.js';
import {maskUrl, readUrl} from '../net/broker-url.js';
import {
  identityRules,
  isFileUrl,
  isFunction,
  mistakeIn,
  moduleUrl,
  optionsRule,
  trueOrFalse,
} from '../options/declaration.js';
import {option} from '../options/option.js';
import {importLibrary} from '../packages/import-library.js';
import {addressOptions, fileCheck, fileOptions, prefixType, urlType} from './address.js';

/**
 * @import {Option, Rules} from '../options/contract.js'
 * @import {BrokerKind} from './kind.js'
 * @import {ServerDriver} from './one-server.js'
 */

/**
 * How a role reaches a broker of a kind that `defineBroker` declares.
 * @typedef {object} Connection
 * @property {string} protocol the scheme of its URL
 * @property {string} hostname a name or an address; IPv6 without brackets
 * @property {number} port
 * @property {string | null} username
 * @property {string | null} password
 * @property {string} path the path of the URL, without the first /
 * @property {string | null} [caFile] the files are missing if the kind has no options for them
 * @property {string | null} [certFile]
 * @property {string | null} [keyFile]
 *
 * @typedef {object} BrokerDeclaration
 * @property {1} apiVersion
 * @property {string} url the URL of the declaring module, import.meta.url: the process that starts a private broker loads it
 * @property {string} name the name of the kind, which is also the prefix of its options
 * @property {string} label the name in messages
 * @property {string} program the file name of the program that runs a private broker
 * @property {number} port the port where perf-battle looks for a broker on this host
 * @property {string} [install] how a person installs the program
 * @property {readonly string[]} [schemes] the schemes of the URLs, the first without encryption; default: the name
 * @property {readonly Option[]} [options] further options, in addition to the address and the prefix of names
 * @property {boolean} [files] whether the options of certificate files exist, which the connection has as `caFile`, `certFile` and `keyFile`
 * @property {() => Promise<{default: ServerDriver<Connection> & Pick<BrokerKind, 'programFolders'>}>} driver
 */

/**
 * Declares a kind of broker that is one process. Its options are `--NAME-url`, `--NAME-host`, `--NAME-port`,
 * `--NAME-username`, `--NAME-password`, and `--NAME-prefix` for the names of everything that a run creates on the broker.
 * @param {BrokerDeclaration} declaration
 * @returns {BrokerKind<Connection>}
 * @throws {UsageError} names the field that is missing or not allowed
 */
export function defineBroker(declaration) {
  const mistake = mistakeIn(declaration, rules);
  if (mistake !== null) throw new UsageError(`A kind of broker cannot be declared so: ${mistake}`);
  const {url: module, name, label, program, port, install, schemes = [name], options = []} = declaration;
  const driverModule = async () => (await importLibrary(declaration.driver, label)).default;
  const files = declaration.files ? certificateOptions(name, label) : [];
  const format = {schemes, port, example: `${schemes[0]}://user:password@host:${port}`};
  const local = {protocol: schemes[0], hostname: 'localhost', port, username: null, password: null, path: ''};
  const address = addressOptions(name, {
    group: label,
    broker: label,
    url: {
      type: urlType(`a ${schemes.map((scheme) => `${scheme}://`).join(' or ')} URL`, (text) =>
        parseUrl(text, format),
      ),
      help: `${label} as a URL, instead of host, port, user and password.`,
    },
    port,
  });
  const prefix = option(`${name}-prefix`, {
    type: {...prefixType(180), placeholder: 'NAME'},
    default: 'perf-battle',
    help: `What the names of all that a run creates on ${label} begin with. By default a battle adds a unique part.`,
    group: label,
  });
  const [url, host, portOption, username, password] = address.map(({key}) => key);
  return {
    name,
    label,
    program,
    url: module,
    ...(install !== undefined && {install}),
    schemes,
    options: [...address, ...files, ...options, prefix],
    urlOption: address[0],
    addressOptions: address,
    nameOptions: [prefix],
    versions: [name],
    local,
    connectionFrom: (values) => ({
      ...(values[url]
        ? parseUrl(values[url], format)
        : {
            ...local,
            hostname: values[host],
            port: values[portOption],
            username: values[username],
            password: values[password],
          }),
      ...filesIn(values, files),
    }),
    ...(declaration.files && {
      checkFiles: ({caFile = null, certFile = null, keyFile = null}) =>
        fileCheck(name)({caFile, certFile, keyFile}),
    }),
    mask: maskConnection,
    nodes: () => 1,
    programFolders: async () => await (await driverModule()).programFolders?.(),
    load: async () => {
      const {driverOfOneServer} = await import('./one-server.js');
      const connectionTo = (/** @type {Partial<Connection>} */ server) => ({...local, ...server});
      const driver = await driverModule();
      return driverOfOneServer(
        {label, program, connectionTo},
        {
          ...driver,
          greet: (...asked) => driver.greet(...asked).catch((error) => refuse(label, asked, error)),
        },
      );
    },
  };
}

/** @param {string} name @param {string} label */
function certificateOptions(name, label) {
  return fileOptions(name, {
    ...{group: label, broker: `the ${label}`},
    needs: `a transport that uses the ${label}, and one that --broker, --${name}-url or --${name}-host names`,
    appliesTo: ({mayStartBroker}) => !mayStartBroker,
  });
}

/** The paths of the files, by the names that a connection has. @param {Record<string, any>} values @param {readonly Option[]} files */
function filesIn(values, files) {
  const names = ['caFile', 'certFile', 'keyFile'];
  return Object.fromEntries(files.map(({key}, index) => [names[index], values[key] ?? null]));
}

/**
 * @param {string} label @param {Parameters<ServerDriver<Connection>['greet']>} asked @param {unknown} error
 * @returns {never}
 * @throws {UnavailableError} replaces any other error
 */
function refuse(label, [{hostname, port}, {signal}], error) {
  signal.throwIfAborted();
  if (error instanceof UnavailableError) throw error;
  const {message} = /** @type {Error} */ (error);
  throw new UnavailableError(`${label} at ${joinAddress(hostname, port)} cannot be reached: ${message}`, {
    code: 'PB_BROKER_UNAVAILABLE',
    cause: error,
  });
}

/** @type {Rules} */
const rules = {
  ...identityRules,
  url: {allowed: moduleUrl, isAllowed: isFileUrl},
  program: {allowed: 'the file name of a program', isAllowed: (value) => /^[\w.+-]+$/.test(value ?? '')},
  port: {
    allowed: 'an integer from 1 to 65535',
    isAllowed: (value) => Number.isInteger(value) && value > 0 && value < 65_536,
  },
  install: {
    allowed: 'a text',
    isAllowed: (value) => value === undefined || typeof value === 'string',
  },
  schemes: {
    allowed: 'a list of the schemes of its URLs, such as amqp',
    isAllowed: (value) =>
      value === undefined ||
      (Array.isArray(value) && value.length > 0 && value.every((one) => /^[a-z][a-z\d+.-]*$/.test(one))),
  },
  options: optionsRule,
  files: trueOrFalse,
  driver: {allowed: "a function that loads a module: () => import('./driver.js')", isAllowed: isFunction},
};

/** @typedef {{schemes: readonly string[], port: number, example: string}} UrlFormat */

/**
 * @param {string} value @param {UrlFormat} format
 * @returns {Connection}
 * @throws {UsageError} when the URL is malformed; the message shows it without its password
 */
function parseUrl(value, {schemes, port, example}) {
  const {url, hostname, port: named, decode, refuse} = readUrl(value, {example, mask: maskUrl});
  const protocol = url.protocol.slice(0, -1);
  if (!schemes.includes(protocol))
    refuse(`it must begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`);
  if (url.search !== '') refuse('it takes no parameters');
  return {
    protocol,
    hostname,
    port: named ?? port,
    username: decode(url.username) || null,
    password: decode(url.password) || null,
    path: decode(url.pathname.slice(1)),
  };
}

/** @param {Connection} connection */
function maskConnection({protocol, hostname, port, username, path}) {
  const user = username === null ? '' : `${encodeURIComponent(username)}:***@`;
  return `${protocol}://${user}${joinAddress(hostname, port)}${path === '' ? '' : `/${path}`}`;
}
