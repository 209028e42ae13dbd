import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {connect} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';

/** @import {Socket} from 'node:net' */

/** How a client treats a server. @typedef {'boasts' | 'never reads' | 'talks nonsense' | 'falls silent' | 'hangs up'} ClientHostility */

export const clientHostilities = /** @type {const} */ ([
  'boasts',
  'never reads',
  'talks nonsense',
  'falls silent',
  'hangs up',
]);

const body = Buffer.alloc(1024 ** 2, 'x');
/** What it begins with is valid in no protocol. */
const nonsense = Buffer.concat([Buffer.from([0xff]), randomBytes(64 * 1024)]);
/** A client that sends goes on until the server takes no more for this long. */
const stuckMs = 1000;

/** What is sent in each protocol. @type {Record<string, {greeting: string, request: Buffer, huge: string | Buffer}>} */
const protocols = {
  tcp: {
    greeting: '',
    request: Buffer.concat([Buffer.from([0, 0x10, 0, 0]), body]),
    huge: Buffer.from([0xff, 0xff, 0xff, 0xff]),
  },
  websocket: {
    greeting: [
      ...['GET / HTTP/1.1', 'Host: here', 'Connection: Upgrade', 'Upgrade: websocket'],
      ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==', '', ''],
    ].join('\r\n'),
    request: Buffer.concat([Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0]), body]),
    huge: Buffer.from([0x82, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
  },
  http: {
    greeting: '',
    request: Buffer.concat([
      Buffer.from(`POST / HTTP/1.1\r\nHost: here\r\nContent-Length: ${body.length}\r\n\r\n`),
      body,
    ]),
    huge: 'POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n',
  },
};

/**
 * Does its worst to a server. Ends when the server has hung up or takes no more, or when `maxBytes` were sent.
 * @param {string} transport
 * @param {ClientHostility} hostility
 * @param {{port: number, maxBytes: number}} target
 */
export async function beHostile(transport, hostility, {port, maxBytes}) {
  const {greeting, request, huge} = protocols[transport];
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  try {
    if (greeting && hostility !== 'falls silent') {
      socket.write(greeting);
      await once(socket, 'data');
    }
    // Without a listener for data, nothing is read.
    if (hostility === 'never reads') {
      socket.pause();
      await sendUntilStuck(socket, request, {chunk: request, maxBytes});
    } else if (hostility === 'boasts') await sendUntilStuck(socket, huge, {chunk: body, maxBytes});
    else if (hostility === 'talks nonsense')
      await sendUntilStuck(socket, nonsense, {chunk: nonsense, maxBytes: 10 * 1024 ** 2});
    else if (hostility === 'hangs up') socket.end(request.subarray(0, 5000));
    await sleep(200);
  } finally {
    socket.destroy();
  }
}

/** @param {Socket} socket @param {string | Buffer} first @param {{chunk: Buffer, maxBytes: number}} rest */
async function sendUntilStuck(socket, first, {chunk, maxBytes}) {
  socket.write(first);
  while (!socket.destroyed && socket.bytesWritten < maxBytes) {
    if (socket.write(chunk)) continue;
    const over = new AbortController();
    const drained = once(socket, 'drain', {signal: over.signal}).then(
      () => true,
      () => false,
    );
    const closed = once(socket, 'close', {signal: over.signal}).then(
      () => false,
      () => false,
    );
    const goesOn = await Promise.race([drained, closed, sleep(stuckMs, false)]);
    over.abort();
    if (!goesOn) return;
  }
}
