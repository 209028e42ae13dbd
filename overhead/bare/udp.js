/**
 * The bare loop for `perf-battle call udp`: only node:dgram, and numbered datagrams that acknowledge those of the server. It keeps to the
 * window of the server, but sends nothing again: a datagram that the kernel drops ends the run.
 */
import {randomBytes} from 'node:crypto';
import {createSocket} from 'node:dgram';
import {once} from 'node:events';

const {PB_SERVER_HOST: host, PB_SERVER_PORT: port} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

const datagramBytes = 1472;
const headerBytes = 18;
const messageHeaderBytes = 8;
const kinds = {hello: 1, welcome: 2, data: 3, acknowledgement: 4, bye: 5};
const bufferBytes = 4 * 1024 * 1024;
const window = 64;

const socket = createSocket({
  type: 'udp4',
  // The address is numeric. With the default look-up, a datagram would wait for a turn of the event loop.
  lookup: (address, _family, callback) => callback(null, address, 4),
});
socket.connect(Number(port), host);
await once(socket, 'connect');
socket.setRecvBufferSize(bufferBytes);
socket.setSendBufferSize(bufferBytes);

const session = randomBytes(6).readUIntBE(0, 6);
let sent = session >>> 0;
let acknowledged = sent;
let expected = sent;
let owed = 0;
let room = 1;

/** @param {number} kind @param {Buffer} datagram @param {number} sequence @param {number} [length] */
function transmit(kind, datagram, sequence, length = datagram.length) {
  datagram[0] = 0xb7;
  datagram[1] = kind;
  datagram.writeUInt16BE(window, 2);
  datagram.writeUIntBE(session, 4, 6);
  datagram.writeUInt32BE(sequence, 10);
  datagram.writeUInt32BE(expected, 14);
  owed = 0;
  socket.send(datagram, 0, length);
}

transmit(kinds.hello, Buffer.alloc(datagramBytes), 0);
const [welcome] = await once(socket, 'message');
room = welcome.readUInt16BE(2);

const datagrams = Array.from({length: 512}, () => Buffer.allocUnsafeSlow(datagramBytes));
const empty = Buffer.alloc(headerBytes);
let number = 0;
/** @type {Buffer} */
let payload = Buffer.alloc(0);
/** How much of the payload was sent. */
let offset = 0;
let isBegun = true;
let reply = Buffer.alloc(0);
let received = 0;
/** @type {(reply: Buffer) => void} */
let onReply = () => {};

/** Sends as much of the message as the server has room for. */
function send() {
  while ((!isBegun || offset < bytes) && ((sent - acknowledged) | 0) < room) {
    const datagram = datagrams[sent & 511];
    let at = headerBytes;
    if (!isBegun) at = datagram.writeUInt32BE(number, datagram.writeUInt32BE(bytes, at));
    isBegun = true;
    const copied = payload.copy(datagram, at, offset);
    offset += copied;
    transmit(kinds.data, datagram, sent, at + copied);
    sent = (sent + 1) >>> 0;
  }
}

/** @param {Buffer} datagram */
function take(datagram) {
  let at = headerBytes;
  if (received === 0) {
    at += messageHeaderBytes;
    if (datagram.length - at === bytes) return onReply(datagram.subarray(at));
    reply = Buffer.allocUnsafeSlow(bytes);
  }
  received += datagram.copy(reply, received, at);
  if (received === bytes) onReply(reply);
}

socket.on('message', (datagram) => {
  const kind = datagram[1];
  if (kind === kinds.bye) throw new Error('The server ended the session.');
  acknowledged = datagram.readUInt32BE(14);
  room = datagram.readUInt16BE(2);
  if (kind === kinds.data) {
    if (datagram.readUInt32BE(10) !== expected) throw new Error('A datagram was lost or sent again.');
    expected = (expected + 1) >>> 0;
    owed += 1;
    take(datagram);
    if (owed === 16) transmit(kinds.acknowledgement, empty, 0);
  }
  if (offset < bytes) send();
});

/** @param {Buffer} content @returns {Promise<Buffer>} */
const request = (content) =>
  new Promise((resolve) => {
    onReply = resolve;
    number += 1;
    payload = content;
    offset = 0;
    isBegun = false;
    received = 0;
    send();
  });

for (let index = -warmUp; index < samples; index += 1) {
  const content = payloads[index & 15];
  const before = performance.now();
  const answer = await request(content);
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!content.equals(answer)) throw new Error('A reply differs from its request.');
}
transmit(kinds.bye, empty, 0);
socket.close();
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
