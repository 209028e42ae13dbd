import {once} from 'node:events';
import {connect as connectSocket} from 'node:net';
import {createInterface} from 'node:readline';
import {PendingReplies, promised, splitAddress} from 'perf-battle/transport';

/**
 * @param {import('perf-battle/transport').ConnectOptions & {linesEncoding: 'base64' | 'hex'}} options
 * @returns {Promise<import('perf-battle/transport').Client>}
 */
export async function connect({servers: [server], noDelay, linesEncoding, correlation}) {
  const socket = connectSocket({...splitAddress(server), noDelay});
  await once(socket, 'connect');
  const pending = new PendingReplies('The server closed the connection.', correlation);
  createInterface({input: socket}).on('line', (line) => pending.take(Buffer.from(line, linesEncoding)));
  socket.on('error', (error) => pending.fail(error));
  socket.on('close', () => pending.fail());
  /** @type {import('perf-battle/transport').Client['ask']} */
  const ask = (payload, waiting) => {
    socket.write(`${payload.toString(linesEncoding)}\n`);
    pending.add(payload, waiting);
  };
  return {
    ask,
    request: promised(ask),
    closed: pending.closed,
    async close() {
      pending.finish();
      socket.destroy();
    },
  };
}
