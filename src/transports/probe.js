import {connect} from 'node:net';
import {connect as connectTls} from 'node:tls';
import {describeTls} from './tls.js';

/** @import {ConnectionOptions} from 'node:tls' */

/**
 * Opens a TCP connection and closes it again, to check that a server listens.
 * @param {string} host
 * @param {number} port
 * @returns {Promise<{}>} no details
 * @throws the socket's error: ECONNREFUSED, ENOTFOUND and so on
 */
export function probe(host, port) {
  return new Promise((resolve, reject) => {
    const socket = connect({host, port});
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve({});
    });
  });
}

/**
 * The same with a TLS handshake.
 * @param {string} host
 * @param {number} port
 * @param {ConnectionOptions} trust
 * @returns {Promise<ReturnType<typeof describeTls>>} what was negotiated
 * @throws the socket's error, or that of the certificate
 */
export function probeTls(host, port, trust) {
  return new Promise((resolve, reject) => {
    const socket = connectTls({...trust, host, port});
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const negotiated = describeTls(socket);
      socket.destroy();
      resolve(negotiated);
    });
  });
}
