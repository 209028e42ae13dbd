import {createHash, randomBytes} from 'node:crypto';
import {createServer} from 'node:net';
import {listenHere} from '../integration/support/listen.js';

/** @import {Socket} from 'node:net' */

const mebibyte = 1024 ** 2;
const endless = Buffer.alloc(64 * 1024);
/** What it begins with is valid in no protocol. */
const nonsense = Buffer.concat([Buffer.from([0xff]), randomBytes(64 * 1024)]);

/**
 * How a server treats a client: what it sends when the first bytes of a request have arrived, and what it does then.
 * It boasts: announces more than any payload; it is wordy: announces 100 MiB, which is allowed. In both cases it then sends without an end.
 * @typedef {'boasts' | 'floods' | 'is wordy' | 'talks nonsense' | 'falls silent' | 'hangs up' | 'stops reading'} ServerHostility
 */

/** What the hostilities are in each protocol. @type {Record<string, {greeting: (request: string) => string, huge: string | Buffer, small: string | Buffer, wordy: string | Buffer}>} */
const protocols = {
  tcp: {
    greeting: () => '',
    huge: Buffer.from([0xff, 0xff, 0xff, 0xff]),
    small: Buffer.concat([Buffer.from([0, 0, 4, 0]), Buffer.alloc(1024)]),
    wordy: Buffer.from([6, 0x40, 0, 0]),
  },
  websocket: {
    greeting: (request) =>
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${acceptOf(request)}\r\n\r\n`,
    huge: Buffer.from([0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0]),
    small: Buffer.concat([Buffer.from([0x82, 126, 4, 0]), Buffer.alloc(1024)]),
    wordy: Buffer.from([0x82, 127, 0, 0, 0, 0, 6, 0x40, 0, 0]),
  },
  http: {
    greeting: () => '',
    huge: 'HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n',
    small: 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nno!',
    wordy: `HTTP/1.1 200 OK\r\nContent-Length: ${100 * mebibyte}\r\n\r\n`,
  },
};

export const serverHostilities = /** @type {const} */ ([
  'boasts',
  'floods',
  'is wordy',
  'talks nonsense',
  'falls silent',
  'hangs up',
  'stops reading',
]);

/**
 * @param {string} transport
 * @param {ServerHostility} hostility
 */
export function startHostileServer(transport, hostility) {
  const {greeting, huge, small, wordy} = protocols[transport];
  const server = createServer((socket) => {
    socket.once('data', (request) => {
      socket.write(greeting(String(request)));
      switch (hostility) {
        case 'boasts':
          return sendEndlessly(socket, huge, endless);
        case 'floods':
          return sendEndlessly(socket, small, Buffer.from(small));
        case 'is wordy':
          return sendEndlessly(socket, wordy, endless);
        case 'talks nonsense':
          return sendEndlessly(socket, nonsense, nonsense);
        case 'hangs up':
          return socket.end(small.slice(0, -2));
        case 'stops reading':
          return socket.pause();
      }
    });
  });
  return listenHere(server);
}

/** @param {Socket} socket @param {string | Buffer} first @param {Buffer} then again and again */
function sendEndlessly(socket, first, then) {
  const more = () => {
    while (!socket.destroyed && socket.write(then));
  };
  socket.on('drain', more);
  if (socket.write(first)) more();
}

/** The answer to a client's key, by RFC 6455, section 4.2.2. @param {string} request */
function acceptOf(request) {
  const key = /^Sec-WebSocket-Key: *(.*?) *\r$/im.exec(request)?.[1] ?? '';
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}
