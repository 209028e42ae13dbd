import {once} from 'node:events';
import {connect} from 'node:net';
import {FrameReader, writeFrame} from 'perf-battle/transport';

/**
 * Connects to the hub and says what this end is: `serve NAME`, `call NAME` or `greet`.
 * @param {import('perf-battle/transport').BrokerConnection} connection
 * @param {string} hello
 * @param {AbortSignal} [signal]
 * @returns what the hub answered first; a later frame is given to `onFrame`
 */
export async function openLink({hostname, port}, hello, signal) {
  const socket = connect({host: hostname, port, noDelay: true, ...(signal && {signal})});
  await once(socket, 'connect');
  const link = {socket, answer: '', onFrame: (/** @type {Buffer} */ _frame) => {}};
  await new Promise((resolve, reject) => {
    let isAnswered = false;
    const frames = new FrameReader((frame) => {
      if (isAnswered) return link.onFrame(frame);
      isAnswered = true;
      link.answer = frame.toString();
      resolve(undefined);
    });
    socket.on('data', (bytes) => frames.read(bytes));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('The hub closed the connection.')));
    writeFrame(socket, Buffer.from(hello));
  });
  return link;
}
