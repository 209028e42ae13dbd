import {createServer} from 'node:net';
import {listen} from '../../net/listen.js';
import {readOffer, refuseOtherSystems, sendOffer, sendRefusal} from '../same-host/meeting.js';

/**
 * @import {ServeSettings, Server} from '../transport.js'
 * @import {Socket} from 'node:net'
 */

const label = 'Worker thread';

/**
 * Waits for clients, which find this process by a TCP port. The clients' own threads answer their requests, on the cores of this process,
 * until it ends.
 * @param {ServeSettings} options
 * @returns {Promise<Server>}
 */
export async function serve(options) {
  refuseOtherSystems(label);
  /** The folders in /proc of the clients' threads, by connection. @type {Map<Socket, string>} */
  const threads = new Map();
  const listener = createServer(async (socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('close', () => threads.delete(socket));
    try {
      const {offer} = await readOffer(socket, label);
      threads.set(socket, `/proc/${offer.pid}/task/${offer.thread}`);
      sendOffer(socket, {pid: process.pid}, 0);
    } catch (error) {
      sendRefusal(socket, /** @type {Error} */ (error));
    }
  });
  const listening = await listen(listener, options);
  return {...listening, threads: () => [...threads.values()]};
}
