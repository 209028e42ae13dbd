/** The bare loop for `perf-battle call worker`: only a thread that posts each message back, and a channel between both threads. */
import {randomBytes} from 'node:crypto';
import {isMainThread, MessageChannel, Worker, workerData} from 'node:worker_threads';

if (isMainThread) await measure();
else workerData.on('message', (/** @type {Uint8Array} */ request) => workerData.postMessage(request));

async function measure() {
  const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
    Number(process.env[name]),
  );
  const payloads = Array.from({length: 16}, () => randomBytes(bytes));
  const times = new Float64Array(samples);

  const {port1: port, port2} = new MessageChannel();
  const thread = new Worker(new URL(import.meta.url), {workerData: port2, transferList: [port2]});
  /** @type {(reply: Uint8Array) => void} */
  let onReply = () => {};
  port.on('message', (reply) => onReply(reply));

  /** @param {Buffer} payload @returns {Promise<Uint8Array>} */
  const request = (payload) =>
    new Promise((resolve) => {
      onReply = resolve;
      port.postMessage(payload);
    });

  for (let index = -warmUp; index < samples; index += 1) {
    const payload = payloads[index & 15];
    const before = performance.now();
    const reply = await request(payload);
    const after = performance.now();
    if (index >= 0) times[index] = after - before;
    if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
  }
  port.close();
  await thread.terminate();
  console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
}
