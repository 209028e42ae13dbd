/**
 * The bare loop for `perf-battle call grpc`: one channel of @grpc/grpc-js with the same window, a unary call for each request, and the client
 * that the library generates from battle.proto.
 */
import {randomBytes} from 'node:crypto';
import {fileURLToPath} from 'node:url';
import {credentials, loadPackageDefinition} from '@grpc/grpc-js';
import {loadSync} from '@grpc/proto-loader';

const {PB_SERVER_HOST: host, PB_SERVER_PORT: port} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

const proto = fileURLToPath(new URL('../../src/transports/grpc/battle.proto', import.meta.url));
const {perfbattle} = /** @type {any} */ (loadPackageDefinition(loadSync(proto)));
// The library itself disables Nagle's algorithm.
const client = new perfbattle.Battle(`${host}:${port}`, credentials.createInsecure(), {
  'grpc.max_receive_message_length': -1,
  'grpc-node.flow_control_window': 1024 ** 2,
});

/** @param {Buffer} data @returns {Promise<Buffer>} */
const exchange = (data) =>
  new Promise((resolve, reject) => {
    client.Exchange({data}, (/** @type {Error | null} */ error, /** @type {{data: Buffer}} */ reply) =>
      error ? reject(error) : resolve(reply.data),
    );
  });

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const reply = await exchange(payload);
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
}
client.close();
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
