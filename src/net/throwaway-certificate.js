import {generateKeyPairSync, randomBytes, sign, X509Certificate} from 'node:crypto';

const dayMs = 86_400_000;

/** Object identifiers, in their encoding: X9.62 and X.520. */
const oid = {
  ecdsaWithSha256: Buffer.from('06082a8648ce3d040302', 'hex'),
  commonName: Buffer.from('0603550403', 'hex'),
};

/**
 * A self-signed certificate for a server that lives as long as a battle: P-256, valid for a year. It is written here
 * because node:crypto reads certificates but makes none (RFC 5280, section 4.1; DER is X.690).
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

/** Positive, and without a leading zero byte. */
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
