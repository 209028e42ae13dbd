import {connect} from 'node:net';

/**
 * Opens a TCP connection and closes it again: whether somebody listens there.
 * @param {string} host
 * @param {number} port
 * @returns {Promise<void>}
 * @throws the socket's error: ECONNREFUSED, ENOTFOUND and so on
 */
export function probe(host, port) {
  return new Promise((resolve, reject) => {
    const socket = connect({host, port});
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}
