/** The bare loop for `perf-battle call zeromq`: only a DEALER, and for each request a frame with a number and one with the payload. */
import {randomBytes} from 'node:crypto';
import {Dealer} from 'zeromq';

const {PB_SERVER_HOST: host, PB_SERVER_PORT: port} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

const dealer = new Dealer({linger: 0});
dealer.connect(`tcp://${host}:${port}`);
const ask = 1;

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const head = Buffer.allocUnsafe(5);
  head[0] = ask;
  head.writeUInt32BE(index + warmUp, 1);
  await dealer.send([head, payload]);
  const [, reply] = await dealer.receive();
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
}
dealer.close();
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
