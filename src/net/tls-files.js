import {createPrivateKey, X509Certificate} from 'node:crypto';
import {UsageError} from '../errors.js';
import {readGivenText} from '../files/given-file.js';
import {file} from '../options/types.js';

/** @import {OptionType} from '../options/contract.js' */

/** A bundle of all public certificate authorities has a quarter of this size. */
const maxPemBytes = 1024 ** 2;

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** A file with one or several certificates, such as a chain or a bundle of authorities. @type {OptionType<string>} */
export const certificateFile = file('the path of a PEM file with certificates', {
  maxBytes: maxPemBytes,
  isSent: true,
  refuse: (content) => {
    const found = content.toString('latin1').match(certificates) ?? [];
    if (found.length === 0) return 'contains no certificate (BEGIN CERTIFICATE)';
    return found.every(isCertificate) ? null : 'contains a certificate that cannot be read';
  },
});

/**
 * The certificate of a client or a server, followed by its chain. The peer would refuse an expired certificate with a less helpful message.
 * @type {OptionType<string>}
 */
export const ownCertificateFile = file('the path of a PEM file with certificates', {
  maxBytes: maxPemBytes,
  isSent: true,
  refuse: (content) => certificateFile.file?.refuse?.(content) ?? refuseDates(new X509Certificate(content)),
});

/** @type {OptionType<string>} */
export const keyFile = file('the path of a PEM file with a private key', {
  maxBytes: maxPemBytes,
  isSent: true,
  refuse: (content) => {
    const text = content.toString('latin1');
    if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text))
      return 'contains no private key (BEGIN PRIVATE KEY)';
    if (/ENCRYPTED/.test(text)) return 'is encrypted. Give a key without a passphrase';
    return isPrivateKey(content) ? null : 'contains a private key that cannot be read';
  },
});

/**
 * The paths of a client's PEM files; null: none.
 * @typedef {object} ClientFiles
 * @property {string | null} caFile the trusted authorities, which replace the system's
 * @property {string | null} certFile the certificate that identifies the client
 * @property {string | null} keyFile the private key of the certificate
 */

/**
 * @param {string | null} certFile @param {string | null} privateKeyFile
 * @param {string} names the names of both options
 * @throws {UsageError} when only one of the files is given, or the key does not belong to the first certificate
 */
export function checkPair(certFile, privateKeyFile, names) {
  if ((certFile === null) !== (privateKeyFile === null))
    throw new UsageError(`${names} must be given together; only one of them was given.`);
  if (certFile === null || privateKeyFile === null) return;
  const [cert, key] = [certFile, privateKeyFile].map((path) => readSentFile(path));
  if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return;
  throw new UsageError(
    `The private key in ${privateKeyFile} does not belong to the certificate in ${certFile}.`,
  );
}

/**
 * @param {string} certFile a certificate with its chain
 * @param {string} caFile
 * @throws {UsageError} when the chain does not lead to one of the authorities
 */
export function checkChain(certFile, caFile) {
  const [chain, authorities] = [certFile, caFile].map((path) => certificatesIn(readSentFile(path)));
  const isKnown = (/** @type {X509Certificate} */ one) =>
    authorities.some((authority) => one.raw.equals(authority.raw) || isIssuedBy(one, authority));
  let current = chain[0];
  for (const _ of chain) {
    if (isKnown(current)) return;
    current = chain.find((other) => other !== current && isIssuedBy(current, other)) ?? current;
  }
  throw new UsageError(
    `The certificate in ${certFile} was not issued by an authority in ${caFile}, so the server would refuse it.`,
  );
}

/**
 * The TLS options of a client. Without `caFile`, the client trusts the authorities of the system.
 * @param {ClientFiles} paths @param {Readonly<Record<string, string>>} [files] contents by path
 * @returns {{ca?: string[], cert?: string, key?: string}} options of `tls.connect`
 * @throws {UsageError} when a file cannot be read
 */
export function clientCredentials({caFile, certFile, keyFile: privateKeyFile}, files) {
  return {
    ...(caFile !== null && {ca: [readSentFile(caFile, files)]}),
    ...(certFile !== null && {cert: readSentFile(certFile, files)}),
    ...(privateKeyFile !== null && {key: readSentFile(privateKeyFile, files)}),
  };
}

/**
 * The content of a file, from the battle or from the disk.
 * @param {string} path
 * @param {Readonly<Record<string, string>>} [files] contents by path: a battle sends them to its roles, which may run on other hosts
 * @throws {UsageError} when the file cannot be read
 */
export function readSentFile(path, files = {}) {
  return Object.hasOwn(files, path) ? files[path] : readGivenText(path, {maxBytes: maxPemBytes});
}

/** @param {string} text */
function certificatesIn(text) {
  return (text.match(certificates) ?? []).map((pem) => new X509Certificate(pem));
}

/** @param {X509Certificate} certificate @param {X509Certificate} other */
function isIssuedBy(certificate, other) {
  return certificate.checkIssued(other) && certificate.verify(other.publicKey);
}

/** @param {X509Certificate} certificate */
function refuseDates({validFrom, validTo}) {
  if (Date.parse(validTo) < Date.now()) return `contains a certificate that expired on ${validTo}`;
  return Date.parse(validFrom) > Date.now()
    ? `contains a certificate that is not valid before ${validFrom}`
    : null;
}

/** @param {string} pem */
function isCertificate(pem) {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/** @param {Buffer} pem */
function isPrivateKey(pem) {
  try {
    return createPrivateKey(pem).type === 'private';
  } catch {
    return false;
  }
}
