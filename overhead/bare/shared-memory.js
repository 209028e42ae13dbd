/**
 * The bare loop for `perf-battle call shared-memory`: only koffi, a ring of bytes each way with frames of a 4-byte length and the payload, and
 * a semaphore that wakes the end that waits. The system's call waits for a reply, after a turn of the event loop.
 */
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {constants, openSync, readFileSync, readlinkSync} from 'node:fs';
import {connect} from 'node:net';
import koffi from 'koffi';

const {PB_SERVER_HOST: host, PB_SERVER_PORT: port} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

const libc = koffi.load(null);
const memfdCreate = libc.func('int memfd_create(const char *name, uint32_t flags)');
const truncate = libc.func('int ftruncate(int file, int64_t bytes)');
const map = libc.func(
  'void *mmap(void *address, size_t bytes, int protection, int flags, int file, int64_t offset)',
);
const semaphoreInit = libc.func('int sem_init(void *semaphore, int isShared, uint32_t value)');
const semaphorePost = libc.func('int sem_post(void *semaphore)');
const semaphoreWait = libc.func('int sem_timedwait(void *semaphore, void *deadline)');

const pageBytes = 4096;
const ringBytes = 2 ** 20;
/** Neither end writes or reads more than this at once. */
const maxBytesAtOnce = ringBytes / 4;
/** The indexes of words in the first page of a ring. */
const word = {read: 0, written: 16, wantsRoom: 32};

/** @param {number} file @param {number} size */
function memoryOf(file, size) {
  const address = map(null, size, 3, 1, file, 0);
  return {file, address, bytes: koffi.view(address, size)};
}

/** @param {number} size */
function create(size) {
  const file = memfdCreate('perf-battle', 1);
  if (file < 0 || truncate(file, size) < 0) throw new Error(`No memory: error ${koffi.errno()}.`);
  return memoryOf(file, size);
}

/** @param {{file: number, bytes: ArrayBuffer}} memory */
const ringOf = ({bytes}) => ({
  words: new Int32Array(bytes, 0, pageBytes / 4),
  data: Buffer.from(bytes, pageBytes, ringBytes),
});

/** @param {{address: bigint, bytes: ArrayBuffer}} memory whose first word says whether its owner waits */
const bellOf = ({address, bytes: content}) => ({flag: new Int32Array(content), semaphore: address + 64n});

const inMemory = create(pageBytes + ringBytes);
const bellMemory = create(pageBytes);
const incoming = ringOf(inMemory);
const ownBell = bellOf(bellMemory);
semaphoreInit(ownBell.semaphore, 1, 0);

// Both ends say over TCP how to open their memory, and hold the connection.
const socket = connect({host, port: Number(port)});
const place = `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
const own = {pid: process.pid, ring: inMemory.file, doorbell: bellMemory.file};
socket.write(`${JSON.stringify({place, offer: own, own: 0})}\n`);
const [line] = await once(socket, 'data');
const {offer} = JSON.parse(line);
const openOf = (/** @type {number} */ file) => openSync(`/proc/${offer.pid}/fd/${file}`, constants.O_RDWR);
const outgoing = ringOf(memoryOf(openOf(offer.ring), pageBytes + ringBytes));
const theirBell = bellOf(memoryOf(openOf(offer.doorbell), pageBytes));

const header = Buffer.alloc(4);
header.writeUInt32BE(bytes);
const deadline = new Uint32Array(4);
const timeoutSeconds = 5;

/** @param {typeof theirBell} bell */
function ring({flag, semaphore}) {
  if (Atomics.exchange(flag, 0, 0) === 1) semaphorePost(semaphore);
}

/** @param {() => boolean} isReady */
function waitUntil(isReady) {
  while (!isReady()) {
    Atomics.store(ownBell.flag, 0, 1);
    if (!isReady() && semaphoreWait(ownBell.semaphore, deadline) < 0)
      throw new Error(`sem_timedwait failed: error ${koffi.errno()}.`);
    Atomics.store(ownBell.flag, 0, 0);
  }
}

/** @param {typeof outgoing} ring @returns {number} how many bytes were written and not read */
const filled = ({words}) => (Atomics.load(words, word.written) - Atomics.load(words, word.read)) | 0;

/** @param {Buffer} part @param {number} at the position in the ring @returns {number} the position after it */
function write(part, at) {
  const begin = at & (ringBytes - 1);
  const copied = part.copy(outgoing.data, begin);
  if (copied < part.length) part.copy(outgoing.data, 0, copied);
  return (at + part.length) | 0;
}

/** @param {Buffer} payload */
function send(payload) {
  const {words} = outgoing;
  for (let from = 0; from < bytes; ) {
    const part = payload.subarray(from, from + maxBytesAtOnce - header.length);
    const hasRoom = () => {
      if (ringBytes - filled(outgoing) >= header.length + part.length) return true;
      Atomics.store(words, word.wantsRoom, 1);
      return ringBytes - filled(outgoing) >= header.length + part.length;
    };
    waitUntil(hasRoom);
    let at = Atomics.load(words, word.written);
    if (from === 0) at = write(header, at);
    Atomics.store(words, word.written, write(part, at));
    ring(theirBell);
    from += part.length;
  }
}

const isFilled = () => filled(incoming) > 0;

/** @returns {Buffer} the reply */
function receive() {
  const frame = Buffer.allocUnsafe(4 + bytes);
  const {words, data} = incoming;
  for (let received = 0; received < frame.length; ) {
    waitUntil(isFilled);
    const position = Atomics.load(words, word.read);
    const begin = position & (ringBytes - 1);
    const count = Math.min(filled(incoming), maxBytesAtOnce, ringBytes - begin);
    received += data.copy(frame, received, begin, begin + count);
    Atomics.store(words, word.read, (position + count) | 0);
    if (Atomics.exchange(words, word.wantsRoom, 0) === 1) ring(theirBell);
  }
  return frame.subarray(4);
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
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
