import {createPrivateKey} from 'node:crypto';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {generate} from 'selfsigned';

/** @typedef {{certFile: string, keyFile: string}} Identity */

/**
 * Writes an authority of the test's own, and certificates of it.
 * @param {string} folder
 */
export async function makeCertificates(folder) {
  const authority = await generate([{name: 'commonName', value: 'perf-battle test authority'}], {
    keySize: 2048,
    extensions: [
      {name: 'basicConstraints', cA: true, critical: true},
      {name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true},
    ],
  });
  const ca = {key: authority.private, cert: authority.cert};
  const foreign = await generate([{name: 'commonName', value: 'a foreign authority'}], {keySize: 2048});
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, authority.cert);
  /** @param {string} name @param {object} options @returns {Promise<Identity>} */
  const make = async (name, options) => {
    const made = await generate([{name: 'commonName', value: 'localhost'}], {keySize: 2048, ...options});
    return await store(folder, name, made.cert, made.private);
  };
  const past = {notBeforeDate: new Date('2020-01-01'), notAfterDate: new Date('2020-02-01')};
  const client = await make('client', {ca});
  const encrypted = join(folder, 'encrypted.key');
  const {private: key} = await generate([{name: 'commonName', value: 'x'}], {keySize: 2048});
  await writeFile(
    encrypted,
    createPrivateKey(key).export({type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret'}),
  );
  return {
    caFile,
    server: await make('server', {
      ca,
      extensions: [{name: 'subjectAltName', altNames: [{type: 2, value: 'localhost'}]}],
    }),
    client,
    expired: await make('expired', {ca, ...past}),
    foreign: await store(folder, 'foreign', foreign.cert, foreign.private),
    encrypted,
  };
}

/** @param {string} folder @param {string} name @param {string} cert @param {string} key @returns {Promise<Identity>} */
async function store(folder, name, cert, key) {
  const files = {certFile: join(folder, `${name}.pem`), keyFile: join(folder, `${name}.key`)};
  await writeFile(files.certFile, cert);
  await writeFile(files.keyFile, key);
  return files;
}
