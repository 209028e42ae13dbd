import {promised, RunError, writeFrame} from 'perf-battle/transport';
import {openLink} from './link.js';

/**
 * @param {import('perf-battle/transport').ConnectOptions & {relayPrefix: string}} options
 * @returns {Promise<import('perf-battle/transport').Client>}
 */
export async function connect({broker, relayPrefix}) {
  const link = await openLink(broker, `call ${relayPrefix}`);
  const {socket, answer} = link;
  if (answer === 'nobody') {
    socket.destroy();
    throw new RunError(`Nobody serves ${relayPrefix} at the hub.`, {code: 'PB_NO_SERVER'});
  }
  /** @type {Map<number, import('perf-battle/transport').Waiting>} */
  const waiting = new Map();
  let sent = 0;
  /** @type {Error | null} */
  let failure = null;
  let isClosing = false;
  const closed = new Promise((resolve, reject) => {
    socket.once('close', () => {
      failure = new RunError(isClosing ? 'The connection was closed.' : 'The hub closed the connection.', {
        code: isClosing ? 'PB_CLOSED' : 'PB_CONNECTION_LOST',
      });
      for (const call of waiting.values()) call.reject(failure);
      waiting.clear();
      if (isClosing) resolve(undefined);
      else reject(failure);
    });
  });
  closed.catch(() => {});
  link.onFrame = (frame) => {
    const number = frame.readUInt32BE(0);
    const call = waiting.get(number);
    const payload = frame.subarray(5);
    if (frame[4] === 1) return call?.onChunk?.(payload);
    waiting.delete(number);
    call?.resolve(payload);
  };
  /** @type {import('perf-battle/transport').Client['ask']} */
  const ask = (payload, call) => {
    if (failure) return call.reject(failure);
    sent = (sent + 1) >>> 0;
    const head = Buffer.alloc(4);
    head.writeUInt32BE(sent);
    waiting.set(sent, call);
    writeFrame(socket, Buffer.concat([head, payload]));
  };
  return {
    ask,
    request: promised(ask),
    closed,
    async close() {
      isClosing = true;
      if (socket.destroyed) return;
      await new Promise((resolve) => socket.once('close', resolve).destroy());
    },
  };
}
