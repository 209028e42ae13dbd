import {createServer as createHttpServer} from 'node:http';
import {createServer} from 'node:net';
import {WebSocketServer} from 'ws';
import {listenHere} from './listen.js';

/** @import {Server} from 'node:net' */

/**
 * A server whose replies pass through a script of the test, which decides their contents, times and number.
 *
 * @typedef {(reply: Buffer, send: (reply: Buffer) => void) => void} Script
 */

/**
 * @param {'tcp' | 'websocket' | 'http'} transport
 * @param {Script} script
 * @returns {Promise<{port: number, close: () => void}>}
 */
export function startScriptedServer(transport, script) {
  return listenHere(makers[transport](script), {noDelay: true});
}

/** @type {Record<string, (script: Script) => Server>} */
const makers = {
  tcp: (script) =>
    createServer((socket) => {
      let received = Buffer.alloc(0);
      const send = (/** @type {Buffer} */ reply) => {
        const header = Buffer.alloc(4);
        header.writeUInt32BE(reply.length);
        socket.write(Buffer.concat([header, reply]));
      };
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk]);
        while (received.length >= 4 && received.length >= 4 + received.readUInt32BE(0)) {
          const end = 4 + received.readUInt32BE(0);
          script(Buffer.from(received.subarray(4, end)), send);
          received = received.subarray(end);
        }
      });
    }),
  websocket(script) {
    const server = createHttpServer();
    new WebSocketServer({server}).on('connection', (webSocket) => {
      webSocket.on('error', () => {});
      webSocket.on('message', (message) =>
        script(Buffer.from(/** @type {Buffer} */ (message)), (reply) => webSocket.send(reply)),
      );
    });
    return server;
  },
  http: (script) =>
    createHttpServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      script(body, (reply) => response.end(reply));
    }),
};

/**
 * Stops answering periodically. The requests that arrive during a stall are answered after it.
 * @param {{everyMs: number, forMs: number}} stall
 * @returns {{script: Script, answers: {arrivedMs: number, answeredMs: number}[]}} answers: when each request really came and was
 *   answered, in the order of arrival; a busy host makes stalls longer, never shorter
 */
export function stalling({everyMs, forMs}) {
  const begin = performance.now();
  /** @type {{arrivedMs: number, answeredMs: number}[]} */
  const answers = [];
  /** @type {Script} */
  const script = (reply, send) => {
    const arrivedMs = performance.now();
    const times = {arrivedMs, answeredMs: Number.POSITIVE_INFINITY};
    answers.push(times);
    const answer = () => {
      times.answeredMs = performance.now();
      send(reply);
    };
    const phase = (arrivedMs - begin) % everyMs;
    if (phase < everyMs - forMs) answer();
    else setTimeout(answer, everyMs - phase);
  };
  return {script, answers};
}

/**
 * Applies a fault to one of every k replies, counted from the first after `after`. k is even.
 * @param {{k: number, after: number, fault: 'lose' | 'duplicate' | 'reorder' | 'corrupt'}} plan
 * @returns {Script}
 */
export function faulty({k, after, fault}) {
  let count = 0;
  /** @type {Buffer | null} */
  let held = null;
  return (reply, send) => {
    count += 1;
    const isChosen = count > after && (count - after) % k === k / 2;
    if (isChosen && fault === 'lose') return;
    if (isChosen && fault === 'corrupt') reply[20] ^= 0xff;
    if (isChosen && fault === 'reorder') {
      held = reply;
      return;
    }
    send(reply);
    if (isChosen && fault === 'duplicate') send(reply);
    if (held) send(held);
    held = null;
  };
}
