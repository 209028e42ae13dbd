import {UsageError} from '../errors.js';
import {readGivenText} from '../files/given-file.js';
import {option} from '../options/option.js';
import {onOff} from '../options/types.js';
import {makeThrowawayCertificate} from './throwaway-certificate.js';
import {certificateFile, keyFile, maxPemBytes, refuseForeignKey} from './tls-files.js';

/**
 * @import {ScriptValuesOf} from '../options/option.js'
 * @import {ConnectSettings} from './transport.js'
 * @import {TLSSocket} from 'node:tls'
 */

const group = 'TLS';

/** The settings of the transports that support TLS by option. RabbitMQ uses an amqps:// URL instead. */
export const tlsOptions = [
  option('tls', {
    type: onOff,
    default: false,
    list: true,
    label: (value) => (value ? 'TLS' : 'no TLS'),
    help: 'TLS for HTTP (https) and WebSocket (wss), with a temporary certificate unless files are given.',
    group,
  }),
  option('tls-cert-file', {
    type: certificateFile,
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
];

/** @typedef {ScriptValuesOf<typeof tlsOptions[number]>} TlsSettings */

/** Without TLS there is nothing to certify. @param {Pick<TlsSettings, 'tls'>} settings */
export function ignoresOfTls({tls}) {
  return tls ? [] : ['tlsCertFile', 'tlsKeyFile', 'tlsCaFile'];
}

/**
 * @param {Partial<Pick<TlsSettings, 'tlsCertFile' | 'tlsKeyFile'>>} settings
 * @throws {UsageError} when only one of the two files is given, or the key is not that of the certificate
 */
export function checkCertificate({tlsCertFile = null, tlsKeyFile = null}) {
  if ((tlsCertFile === null) !== (tlsKeyFile === null))
    throw new UsageError(
      '--tls-cert-file and --tls-key-file must be given together; only one of them was given.',
    );
  if (tlsCertFile !== null && tlsKeyFile !== null) refuseForeignKey(tlsCertFile, tlsKeyFile);
}

/**
 * The private key and the certificate of a server. They were checked before.
 * @param {TlsSettings} settings
 * @returns {Promise<{key: string, cert: string} | null>} null without TLS
 * @throws {UsageError} when one of the files cannot be read
 */
export async function serverCredentials({tls, tlsCertFile, tlsKeyFile}) {
  if (!tls) return null;
  if (tlsCertFile === null || tlsKeyFile === null) return makeThrowawayCertificate('perf-battle');
  const [cert, key] = [tlsCertFile, tlsKeyFile].map((path) => readGivenText(path, {maxBytes: maxPemBytes}));
  return {cert, key};
}

/**
 * What a client trusts: the given certificate authority, or exactly the certificates that its servers reported. A client by hand cannot know
 * these, so it does not verify an unknown certificate. The measured work is the same.
 * @param {Pick<TlsSettings, 'tls' | 'tlsCaFile'> & Pick<ConnectSettings, 'certificates'>} settings
 * @returns {Promise<{ca?: string[], rejectUnauthorized?: boolean, allowPartialTrustChain?: boolean, checkServerIdentity?: () => undefined} |
 *   null>} null without TLS
 */
export async function clientTrust({tls, tlsCaFile, certificates = []}) {
  if (!tls) return null;
  if (tlsCaFile !== null) return {ca: [readGivenText(tlsCaFile, {maxBytes: maxPemBytes})]};
  if (certificates.length === 0) return {rejectUnauthorized: false};
  // A certificate that is trusted directly need not name the server's address.
  return {ca: [...certificates], allowPartialTrustChain: true, checkServerIdentity: () => undefined};
}

/**
 * The negotiated protocol and cipher, for the record.
 * @param {TLSSocket} socket
 */
export function describeTls(socket) {
  return {tlsProtocol: socket.getProtocol(), tlsCipher: socket.getCipher().standardName};
}
