import {maskRefusedUrl, maskUrl} from '../net/broker-url.js';
import {certificateFile, checkPair, keyFile, ownCertificateFile} from '../net/tls-files.js';
import {option} from '../options/option.js';
import {hostName, integer, text} from '../options/types.js';

/**
 * @import {ClientFiles} from '../net/tls-files.js'
 * @import {CellFeatures, OptionType} from '../options/contract.js'
 * @import {AddressSettings, SecureConnection} from './kind.js'
 */

/**
 * The type of an option that names a broker by its URL.
 * @param {string} allowed a phrase that follows "must be"
 * @param {(text: string) => object} parse throws if the text is not allowed
 * @param {(text: string) => string} [mask] hides passwords
 * @returns {OptionType<string>}
 */
export function urlType(allowed, parse, mask = (value) => maskUrl(value)) {
  return {
    allowed,
    placeholder: 'URL',
    parse: (value) => (parse(value) ? value : undefined),
    format: String,
    mask,
    maskRefused: (value) => maskRefusedUrl(value, mask),
  };
}

/** The type of the prefix of all names on a broker. @param {number} maxLength @returns {OptionType<string>} */
export function prefixType(maxLength) {
  const allowed = new RegExp(`^[\\w-]{1,${maxLength}}$`);
  return {
    allowed: `letters, digits, - and _, at most ${maxLength}`,
    placeholder: 'PREFIX',
    parse: (value) => (allowed.test(value) ? value : undefined),
    format: String,
  };
}

/**
 * The options that name a broker: `--NAME-url`, and an option for each part of the URL. Setting one of them is enough.
 * @template {string} const Name
 * @template {string | null} [User=null]
 * @param {Name} name the name of the kind
 * @param {{
 *   group: string, broker: string, url: {type: OptionType<string>, help: string}, port: number, user?: User, login?: string,
 * }} kind broker: the broker in help texts; user: the default of user and password; login: the end of the user's help text
 */
export function addressOptions(name, {broker, url, port, user, login = '; by default none', group}) {
  const byDefault = /** @type {User} */ (user ?? null);
  return [
    option(`${name}-url`, {...url, group}),
    option(`${name}-host`, {type: hostName, default: 'localhost', help: `Host of ${broker}.`, group}),
    option(`${name}-port`, {
      type: integer({minimum: 1, maximum: 65_535}),
      default: port,
      help: `Port of ${broker}.`,
      group,
    }),
    option(`${name}-username`, {
      type: text('a user name'),
      default: byDefault,
      help: `User on ${broker}${login}.`,
      group,
    }),
    option(`${name}-password`, {
      type: text('a password'),
      placeholder: 'PASSWORD',
      default: byDefault,
      secret: true,
      help: `Password on ${broker}. Set it in the environment or in .env: other users can read a command line.`,
      group,
    }),
  ];
}

/**
 * The options for the certificate files of a client that uses TLS.
 * @template {string} const Name
 * @param {Name} name the name of the kind
 * @param {{
 *   group: string, broker: string, more?: string, needs: string, appliesTo: (cell: CellFeatures) => boolean,
 * }} kind broker: the broker in help texts, with an article; more: the end of the help text of the authority
 */
export function fileOptions(name, {group, broker, more = '.', ...needs}) {
  return [
    option(`${name}-ca-file`, {
      type: certificateFile,
      help: `Certificate authority that signed the certificate of ${broker}${more}`,
      ...needs,
      group,
    }),
    option(`${name}-cert-file`, {
      type: ownCertificateFile,
      help: `Certificate of the client, with its chain, for ${broker} that asks for one (mutual TLS).`,
      ...needs,
      group,
    }),
    option(`${name}-key-file`, {type: keyFile, help: 'Private key of the client.', ...needs, group}),
  ];
}

/** The end of the authority's help text for a kind whose URL alone does not decide on TLS. */
export const impliesTls = ' with TLS. Any of these three files implies TLS.';

/** Checks that a client's certificate and key are given together. @param {string} name the name of the kind */
export function fileCheck(name) {
  const names = `--${name}-cert-file and --${name}-key-file`;
  return (/** @type {ClientFiles} */ {certFile, keyFile}) => checkPair(certFile, keyFile, names);
}

/** A broker on this host, without users and without TLS. @param {number} port @returns {SecureConnection} */
export function localConnection(port) {
  const files = {caFile: null, certFile: null, keyFile: null};
  return {hostname: 'localhost', port, tls: false, username: null, password: null, ...files};
}

/**
 * The connection that settings name by a URL, or otherwise by its parts. Any certificate file implies TLS.
 * @template {string} Name @template {SecureConnection} Connection
 * @param {Name} name the name of the kind
 * @param {AddressSettings<Name>} values
 * @param {Connection} local has what the parts do not give
 * @param {(url: string) => Connection} parse
 * @returns {Connection}
 */
export function connectionOf(name, values, local, parse) {
  const of = (/** @type {string} */ part) => /** @type {Record<string, any>} */ (values)[name + part] ?? null;
  const files = {caFile: of('CaFile'), certFile: of('CertFile'), keyFile: of('KeyFile')};
  const isSecure = Object.values(files).some((path) => path !== null);
  const parts = {hostname: of('Host'), port: of('Port'), username: of('Username'), password: of('Password')};
  const connection = of('Url') ? parse(of('Url')) : {...local, ...parts};
  return {...connection, ...files, tls: connection.tls || isSecure};
}
