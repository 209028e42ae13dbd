import {drained, writeFrame} from 'perf-battle/transport';
import {openLink} from './link.js';

/** A frame begins with the number of the caller, that of the request, and whether more parts follow. */
const headBytes = 9;

/**
 * @param {import('perf-battle/transport').ServeOptions & {relayPrefix: string}} options
 * @param {import('perf-battle/transport').OnRequest} onRequest answers a request
 * @returns {Promise<import('perf-battle/transport').Server>}
 */
export async function serve({broker, relayPrefix}, onRequest) {
  const link = await openLink(broker, `serve ${relayPrefix}`);
  const {socket} = link;
  let isClosing = false;
  const closed = new Promise((resolve, reject) => {
    socket.once('close', () => (isClosing ? resolve(undefined) : reject(new Error('The hub has gone.'))));
  });
  closed.catch(() => {});
  link.onFrame = (frame) => {
    const head = Buffer.alloc(headBytes);
    frame.copy(head, 0, 0, headBytes - 1);
    const send = (/** @type {Buffer} */ chunk, /** @type {boolean} */ isPart) => {
      head[headBytes - 1] = isPart ? 1 : 0;
      return writeFrame(socket, Buffer.concat([head, chunk]));
    };
    let hasParts = false;
    onRequest(frame.subarray(headBytes - 1), {
      write: (chunk) => {
        hasParts = true;
        return send(chunk, true);
      },
      drained: () => drained(socket),
      end: (chunk) => {
        if (hasParts && chunk?.length) send(chunk, true);
        if (hasParts) send(Buffer.alloc(0), false);
        else if (chunk) send(chunk, false);
      },
    });
  };
  return {
    address: null,
    closed,
    async close() {
      isClosing = true;
      socket.destroy();
    },
  };
}
