import {generateKeyPairSync, randomBytes, sign, X509Certificate} from 'node:crypto';
import {UsageError} from '../errors.js';
import {option} from '../options/option.js';
import {onOff} from '../options/types.js';
import {
  certificateFile,
  checkChain,
  checkPair,
  clientCredentials,
  keyFile,
  ownCertificateFile,
  readSentFile,
} from './tls-files.js';

/**
 * @import {TLSSocket} from 'node:tls'
 * @import {ScriptValuesOf} from '../options/contract.js'
 */

const group = 'TLS';

/** The options of the transports that support TLS by option. Brokers select TLS by the scheme of their URL instead. */
export const tlsOptions = [
  option('tls', {
    type: onOff,
    default: false,
    list: true,
    label: (value) => (value ? 'TLS' : 'no TLS'),
    help: 'TLS for HTTP (https), HTTP/2, gRPC, SSE, WebSocket (wss) and Socket.IO, with a temporary certificate unless files are given.',
    group,
  }),
  option('tls-cert-file', {
    type: ownCertificateFile,
    help: 'Certificate of the server, with its chain.',
    needs: '--tls on',
    group,
  }),
  option('tls-key-file', {
    type: keyFile,
    help: 'Private key of that certificate.',
    needs: '--tls on',
    group,
  }),
  option('tls-ca-file', {
    type: certificateFile,
    help: "Certificate authority that the client trusts. By default a battle trusts exactly the server's certificate.",
    needs: '--tls on',
    group,
  }),
  option('tls-client-cert-file', {
    type: ownCertificateFile,
    help: 'Certificate of the client, with its chain, for a server that asks for one (mutual TLS).',
    needs: '--tls on',
    group,
  }),
  option('tls-client-key-file', {
    type: keyFile,
    help: 'Private key of that certificate.',
    needs: '--tls on',
    group,
  }),
  option('tls-client-ca-file', {
    type: certificateFile,
    help: 'Certificate authority of the clients: the server refuses a client without a certificate of it.',
    needs: '--tls on',
    group,
  }),
];

/** @typedef {ScriptValuesOf<typeof tlsOptions[number]> & {files?: Readonly<Record<string, string>>}} TlsSettings files: contents by path */

/** The options that have no effect without TLS. @param {Pick<TlsSettings, 'tls'>} settings */
export function ignoresOfTls({tls}) {
  return tls ? [] : tlsOptions.map(({key}) => key).filter((key) => key !== 'tls');
}

/**
 * @param {Partial<Omit<TlsSettings, 'tls' | 'tlsCaFile'>> & {tls?: boolean | readonly boolean[]}} settings
 * @param {{hasBothEnds: boolean}} [ends] hasBothEnds: whether the settings are for servers and clients
 * @throws {UsageError} when only one of two files is given, a key does not belong to its certificate, or the server would refuse every client
 */
export function checkCertificate(settings, {hasBothEnds} = {hasBothEnds: false}) {
  const {tls = false, tlsCertFile = null, tlsKeyFile = null} = settings;
  const {tlsClientCertFile = null, tlsClientKeyFile = null, tlsClientCaFile = null} = settings;
  checkPair(tlsCertFile, tlsKeyFile, '--tls-cert-file and --tls-key-file');
  checkPair(tlsClientCertFile, tlsClientKeyFile, '--tls-client-cert-file and --tls-client-key-file');
  const isOn = [tls].flat().includes(true);
  if (!isOn || !hasBothEnds || tlsClientCaFile === null) return;
  if (tlsClientCertFile === null)
    throw new UsageError(
      '--tls-client-ca-file makes the server refuse clients without a certificate, and the clients have none. Also give --tls-client-cert-file and --tls-client-key-file.',
    );
  checkChain(tlsClientCertFile, tlsClientCaFile);
}

/**
 * The private key and the certificate of a server, and the authority of the clients that the server accepts.
 * @param {TlsSettings} settings the caller has checked their files
 * @returns {Promise<{key: string, cert: string, ca?: string[], requestCert?: boolean} | null>} null without TLS
 * @throws {UsageError} when a file cannot be read
 */
export async function serverCredentials({tls, tlsCertFile, tlsKeyFile, tlsClientCaFile, files}) {
  if (!tls) return null;
  const clients = tlsClientCaFile !== null && {ca: [readSentFile(tlsClientCaFile, files)], requestCert: true};
  if (tlsCertFile === null || tlsKeyFile === null)
    return {...makeThrowawayCertificate('perf-battle'), ...clients};
  return {cert: readSentFile(tlsCertFile, files), key: readSentFile(tlsKeyFile, files), ...clients};
}

/**
 * The certificates that a client trusts: the given authority, or exactly the certificates that its servers have reported. A
 * client that a person starts does not know these certificates, so it verifies none. The measured work is the same.
 * @param {TlsSettings & {certificates?: readonly string[]}} settings
 * @returns {Promise<ClientTls | null>} null without TLS
 * @throws {UsageError} when a file cannot be read
 *
 * @typedef {{ca?: string[], rejectUnauthorized?: boolean, allowPartialTrustChain?: boolean, checkServerIdentity?: () => undefined, cert?: string,
 *   key?: string}} ClientTls
 */
export async function clientTrust({tls, tlsCaFile, certificates = [], files, ...own}) {
  if (!tls) return null;
  const {tlsClientCertFile, tlsClientKeyFile} = own;
  const identity = clientCredentials(
    {caFile: null, certFile: tlsClientCertFile, keyFile: tlsClientKeyFile},
    files,
  );
  if (tlsCaFile !== null) return {...identity, ca: [readSentFile(tlsCaFile, files)]};
  if (certificates.length === 0) return {...identity, rejectUnauthorized: false};
  // A certificate that the client trusts directly need not contain the server's address.
  return {
    ...identity,
    ca: [...certificates],
    allowPartialTrustChain: true,
    checkServerIdentity: () => undefined,
  };
}

/** The TLS 1.2 and 1.3 alerts about the client's certificate, by their code (RFC 8446, section 6.2). */
const refusals = new Map([
  ['CERTIFICATE_REQUIRED', 'it requires one, and the client gave none'],
  ['HANDSHAKE_FAILURE', 'it may require one, and the client gave none'],
  ['CERTIFICATE_UNKNOWN', 'it requires one that it accepts'],
  ['BAD_CERTIFICATE', 'it requires one that it accepts'],
  ['UNSUPPORTED_CERTIFICATE', 'it does not accept one of this kind'],
  ['CERTIFICATE_EXPIRED', 'it has expired'],
  ['CERTIFICATE_REVOKED', 'it is revoked'],
  ['UNKNOWN_CA', 'it does not know its authority'],
]);

/**
 * Whether a server has ended a connection because of the client's certificate.
 * @param {unknown} error the error of a TLS socket
 * @returns {string | null} a clause for a message; null: the server had another reason
 */
export function refusedCertificate(error) {
  const alert = /ALERT_(\w+)$/.exec(String(/** @type {NodeJS.ErrnoException} */ (error)?.code))?.[1];
  const why = alert && refusals.get(alert);
  return why ? `the server refused the client's certificate: ${why}` : null;
}

/**
 * Explains a failure that certificates cause.
 * @param {{kind: string, who: string, code?: string | undefined, message: string, isSecure?: boolean}} failure kind: the prefix of the options for
 *   files; who: the user, in words; isSecure: whether the client uses TLS, and the server has not answered yet
 * @returns {string | null} a predicate of the server; null: the failure has another cause
 */
export function explainCertificates({kind, who, code = '', message, isSecure = false}) {
  const files = `--${kind}-cert-file and --${kind}-key-file`;
  const refused = refusedCertificate({code});
  if (refused !== null) return `cannot be reached (${who}): ${refused}. Check ${files}.`;
  // The reset may arrive before the reason if the client sent more data in the meantime.
  if (isSecure && code === 'ECONNRESET')
    return `reset the connection (${who}): it may offer no TLS, or may have refused the client's certificate. Check the URL, ${files}.`;
  if (/CERT|SIGNATURE|ALTNAME/.test(code))
    return `has a certificate that cannot be verified (${who}): ${message}. Give the file of its authority's certificate with --${kind}-ca-file, or the host name that the certificate has.`;
  return null;
}

/** The negotiated protocol and cipher, for the record. @param {TLSSocket} socket */
export function describeTls(socket) {
  return {tlsProtocol: socket.getProtocol(), tlsCipher: socket.getCipher().standardName};
}

const dayMs = 86_400_000;

/** Encoded object identifiers of X9.62 and X.520. */
const oid = {
  ecdsaWithSha256: Buffer.from('06082a8648ce3d040302', 'hex'),
  commonName: Buffer.from('0603550403', 'hex'),
};

/**
 * Makes a self-signed certificate for a server of one battle: P-256, valid for a year. This code writes the certificate
 * because node:crypto cannot make one (RFC 5280, section 4.1; DER: X.690).
 * @param {string} commonName
 * @returns {{cert: string, key: string}} PEM
 */
export function makeThrowawayCertificate(commonName) {
  const {privateKey, publicKey} = generateKeyPairSync('ec', {namedCurve: 'P-256'});
  const algorithm = sequence(oid.ecdsaWithSha256);
  const name = sequence(encode(tag.set, sequence(oid.commonName, encode(tag.utf8, Buffer.from(commonName)))));
  const now = Date.now();
  const certificate = sequence(
    serialNumber(),
    algorithm,
    name,
    sequence(utcTime(now - dayMs), utcTime(now + 365 * dayMs)),
    name,
    publicKey.export({type: 'spki', format: 'der'}),
  );
  const signature = encode(tag.bitString, Buffer.from([0]), sign('sha256', certificate, privateKey));
  return {
    cert: new X509Certificate(sequence(certificate, algorithm, signature)).toString(),
    key: privateKey.export({type: 'pkcs8', format: 'pem'}).toString(),
  };
}

const tag = {integer: 0x02, bitString: 0x03, utf8: 0x0c, utcTime: 0x17, sequence: 0x30, set: 0x31};

/** @param {number} type @param {...Buffer} contents */
function encode(type, ...contents) {
  const content = Buffer.concat(contents);
  const {length} = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([type, ...size]), content]);
}

/** @param {...Buffer} contents */
function sequence(...contents) {
  return encode(tag.sequence, ...contents);
}

/** The number is positive, and has no leading zero byte. */
function serialNumber() {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0] & 0x3f) | 0x40;
  return encode(tag.integer, bytes);
}

/** @param {number} ms since 1970 */
function utcTime(ms) {
  const digits = new Date(ms).toISOString().replace(/\D/g, '');
  return encode(tag.utcTime, Buffer.from(`${digits.slice(2, 14)}Z`));
}
