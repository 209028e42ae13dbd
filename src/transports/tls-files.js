import {createPrivateKey, X509Certificate} from 'node:crypto';
import {UsageError} from '../errors.js';
import {readGivenText} from '../files/given-file.js';
import {file} from '../options/types.js';

/**
 * The files of certificates and keys: what each must contain. The check runs before anything starts.
 *
 * @import {OptionType} from '../options/types.js'
 */

/** A bundle of all public certificate authorities has a quarter of this. */
export const maxPemBytes = 1024 ** 2;

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** One certificate or several, such as a chain or a bundle of authorities. @type {OptionType<string>} */
export const certificateFile = file('the path of a PEM file with certificates', {
  maxBytes: maxPemBytes,
  refuse: (content) => {
    const found = content.toString('latin1').match(certificates) ?? [];
    if (found.length === 0) return 'contains no certificate (BEGIN CERTIFICATE)';
    return found.every(isCertificate) ? null : 'contains a certificate that cannot be read';
  },
});

/** @type {OptionType<string>} */
export const keyFile = file('the path of a PEM file with a private key', {
  maxBytes: maxPemBytes,
  refuse: (content) => {
    const text = content.toString('latin1');
    if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text))
      return 'contains no private key (BEGIN PRIVATE KEY)';
    if (/ENCRYPTED/.test(text)) return 'is encrypted. Give a key without a passphrase';
    return isPrivateKey(content) ? null : 'contains a private key that cannot be read';
  },
});

/**
 * @param {string} certFile
 * @param {string} privateKeyFile
 * @throws {UsageError} when the key is not that of the first certificate
 */
export function refuseForeignKey(certFile, privateKeyFile) {
  const [cert, key] = [certFile, privateKeyFile].map((path) => readGivenText(path, {maxBytes: maxPemBytes}));
  if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return;
  throw new UsageError(
    `The private key in ${privateKeyFile} does not belong to the certificate in ${certFile}.`,
  );
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
