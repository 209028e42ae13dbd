import {connect} from 'node:net';
import {connect as connectTls} from 'node:tls';
import {RunError} from '../errors.js';
import {describeTls, refusedCertificate} from './tls.js';

/** @import {ConnectionOptions} from 'node:tls' */

/**
 * Opens a connection and closes it, to check that a server listens.
 * @param {{host: string, port: number} | {path: string}} place
 * @returns {Promise<{}>} no details
 * @throws the socket's error, such as ECONNREFUSED or ENOTFOUND
 */
export async function probe(place) {
  await addressReached(place);
  return {};
}

/**
 * Does the same as `probe`.
 * @param {{host: string, port: number} | {path: string}} place
 * @returns {Promise<string | undefined>} the address that answered, if the host name has several
 */
export function addressReached(place) {
  return new Promise((resolve, reject) => {
    const socket = connect(place);
    socket.once('error', reject);
    socket.once('connect', () => {
      const {remoteAddress} = socket;
      socket.destroy();
      resolve(remoteAddress);
    });
  });
}

/** A TLS 1.3 server that issues no session tickets is silent after the handshake. */
const silentMs = 500;

/**
 * Does the same as `probe`, with a TLS handshake. A TLS 1.3 server checks the client's certificate after the client has
 * finished the handshake. Therefore the probe waits for a session ticket or the end of the connection.
 * @param {string} host @param {number} port @param {ConnectionOptions} trust
 * @returns {Promise<ReturnType<typeof describeTls>>} the negotiated protocol and cipher
 * @throws the error of the socket or of the certificate
 * @throws {RunError} PB_NO_CONNECTION when the server refuses the client's certificate
 */
export function probeTls(host, port, trust) {
  return new Promise((resolve, reject) => {
    const socket = connectTls({...trust, host, port});
    let isSecure = false;
    const done = () => {
      const negotiated = describeTls(socket);
      socket.destroy();
      resolve(negotiated);
    };
    socket.on('error', (error) => reject(refusal(error, isSecure) ?? error));
    socket.once('close', () => reject(refusal(null, true)));
    socket.once('secureConnect', () => {
      isSecure = true;
      if (socket.getProtocol() !== 'TLSv1.3') return done();
      const timer = setTimeout(done, silentMs);
      socket.once('close', () => clearTimeout(timer));
      socket.once('session', done);
    });
  });
}

/** @param {Error | null} cause null: the server closed the connection @param {boolean} isSecure */
function refusal(cause, isSecure) {
  const clause = refusedCertificate(cause);
  if (clause === null && !isSecure) return null;
  const why =
    clause ?? 'the server ended the connection after the TLS handshake: it may refuse the certificate';
  return new RunError(
    `The connection failed: ${why}. Check --tls-client-cert-file, and --tls-client-ca-file of the server.`,
    {code: 'PB_NO_CONNECTION', cause},
  );
}
