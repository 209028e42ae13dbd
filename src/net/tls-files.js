import {createPrivateKey, X509Certificate} from 'node:crypto';
import {UsageError} from '../errors.js';
import {readGivenText} from '../files/given-file.js';
import {file} from '../options/types.js';

/**
 * The files of certificates and keys: what each must contain. The check runs before anything starts.
 *
 * @import {OptionType} from '../options/contract.js'
 */

/** A bundle of all public certificate authorities has a quarter of this. */
const maxPemBytes = 1024 ** 2;

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** One certificate or several, such as a chain or a bundle of authorities. @type {OptionType<string>} */
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
 * The certificate of an end, followed by its chain. The other end refuses one that has expired, with less to say about it.
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
 * The paths of the PEM files of an end that connects; null: none.
 * @typedef {object} ClientFiles
 * @property {string | null} caFile the authorities to trust in place of the system's
 * @property {string | null} certFile of a client that proves who it is
 * @property {string | null} keyFile the key of that certificate
 */

/**
 * @param {string | null} certFile @param {string | null} privateKeyFile
 * @param {string} names of the two options
 * @throws {UsageError} when only one of the files is given, or the key is not that of the first certificate
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
 * @param {string} certFile a certificate, and the others of its chain
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
 * A client of a broker trusts the authorities of the system, unless one is named.
 * @param {ClientFiles} paths @param {Readonly<Record<string, string>>} [files]
 * @returns {{ca?: string[], cert?: string, key?: string}} for `tls.connect`
 * @throws {UsageError} when one of the files cannot be read
 */
export function clientCredentials({caFile, certFile, keyFile: privateKeyFile}, files) {
  return {
    ...(caFile !== null && {ca: [readSentFile(caFile, files)]}),
    ...(certFile !== null && {cert: readSentFile(certFile, files)}),
    ...(privateKeyFile !== null && {key: readSentFile(privateKeyFile, files)}),
  };
}

/**
 * The content of a file that was checked before.
 * @param {string} path
 * @param {Readonly<Record<string, string>>} [files] contents by path: a battle sends them to its roles, which may run on other hosts
 * @throws {UsageError} when it cannot be read
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
