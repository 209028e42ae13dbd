/**
 * The bare loop for `perf-battle call posix-mq`: only koffi, and frames of a 4-byte length and the payload, in messages that begin with the
 * number of their sender. The system's call waits for a reply, after a turn of the event loop.
 */

import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {closeSync, constants, openSync, readFileSync, readlinkSync} from 'node:fs';
import {connect} from 'node:net';
import koffi from 'koffi';

const {PB_SERVER_HOST: host, PB_SERVER_PORT: port} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

const libc = koffi.load(null);
const open = libc.func('int mq_open(const char *name, int flags, uint32_t mode, void *attributes)');
const unlink = libc.func('int mq_unlink(const char *name)');
const timedSend = libc.func(
  'int mq_timedsend(int queue, void *message, size_t bytes, uint32_t priority, void *deadline)',
);
const timedReceive = libc.func(
  'int64_t mq_timedreceive(int queue, void *message, size_t bytes, void *priority, void *deadline)',
);

const [messages, messageBytes] = ['msg_max', 'msgsize_max'].map((name) =>
  Number(readFileSync(`/proc/sys/fs/mqueue/${name}`, 'latin1')),
);
const name = `/perf-battle-${process.pid}-${randomBytes(4).toString('hex')}`;
const attributes = BigInt64Array.of(0n, BigInt(messages), BigInt(messageBytes), 0n, 0n, 0n, 0n, 0n);
// Read and write, create, and fail if the name is taken.
const own = open(name, 0o302, 0o600, attributes);
if (own < 0) fail('mq_open');
unlink(name);

// Both ends say over TCP how to open their queues, and hold the connection.
const socket = connect({host, port: Number(port)});
const place = `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
socket.write(`${JSON.stringify({place, offer: {pid: process.pid, queue: own, messageBytes}, own: 0})}\n`);
const [line] = await once(socket, 'data');
const {offer, own: number} = JSON.parse(line);
const theirs = openSync(`/proc/${offer.pid}/fd/${offer.queue}`, constants.O_RDWR);

const outgoing = Buffer.allocUnsafeSlow(messageBytes);
outgoing.writeUInt32LE(number, 0);
const incoming = Buffer.allocUnsafeSlow(messageBytes);
const deadline = new Uint32Array(4);
const timeoutSeconds = 5;

/** @param {Buffer} payload */
function send(payload) {
  outgoing.writeUInt32BE(bytes, 4);
  let from = 0;
  for (let at = 8; from < bytes; at = 4) {
    const copied = payload.copy(outgoing, at, from);
    if (timedSend(theirs, outgoing, at + copied, 0, deadline) < 0) fail('mq_timedsend');
    from += copied;
  }
}

/** @returns {Buffer} the reply */
function receive() {
  const frame = Buffer.allocUnsafe(4 + bytes);
  let received = 0;
  while (received < frame.length) {
    const length = Number(timedReceive(own, incoming, messageBytes, null, deadline));
    if (length < 0) fail('mq_timedreceive');
    received += incoming.copy(frame, received, 4, length);
  }
  return frame.subarray(4);
}

/** @param {string} call */
function fail(call) {
  throw new Error(`${call} failed: error ${koffi.errno()}.`);
}

/** The server replies when it has the whole request. @param {Buffer} payload @returns {Promise<Buffer>} */
const request = (payload) =>
  new Promise((resolve) => {
    deadline[0] = Math.floor(Date.now() / 1000) + timeoutSeconds;
    send(payload);
    setImmediate(() => resolve(receive()));
  });

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const reply = await request(payload);
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
}
socket.destroy();
for (const queue of [own, theirs]) closeSync(queue);
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
