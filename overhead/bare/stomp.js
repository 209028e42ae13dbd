/** The bare loop for `perf-battle call stomp`: only its library over a socket, a temporary queue for replies, and numbers as correlation ids. */
import {randomBytes} from 'node:crypto';
import {createConnection} from 'node:net';
import {Client, Versions} from '@stomp/stompjs';

const {PB_RABBITMQ_HOST: host = 'localhost', PB_RABBITMQ_STOMP_PORT: port = '61613'} = process.env;
const {PB_RABBITMQ_USERNAME: login = 'guest', PB_RABBITMQ_PASSWORD: passcode = 'guest'} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

const socket = createConnection({host, port: Number(port)}).setNoDelay();
/** What the library uses of a WebSocket. @type {any} */
const link = {
  readyState: 0,
  send: (/** @type {string | ArrayBuffer} */ data) =>
    socket.write(typeof data === 'string' ? data : new Uint8Array(data)),
  close: () => socket.end(),
};
socket.once('connect', () => {
  link.readyState = 1;
  link.onopen({});
});
socket.on('data', (data) => link.onmessage({data}));
socket.on('close', () => link.onclose({}));

/** @type {Map<string, (reply: Buffer) => void>} */
const replied = new Map();
/** @type {Map<string, () => void>} */
const received = new Map();
const client = new Client({
  connectHeaders: {login, passcode, host: '/'},
  stompVersions: new Versions([Versions.V1_2]),
  reconnectDelay: 0,
  webSocketFactory: () => link,
  onUnhandledMessage({headers, binaryBody: {buffer, byteOffset, length}}) {
    const number = headers['correlation-id'];
    replied.get(number)?.(Buffer.from(buffer, byteOffset, length));
    replied.delete(number);
  },
  onUnhandledReceipt({headers}) {
    const number = headers['receipt-id'];
    received.get(number)?.();
    received.delete(number);
  },
});
await new Promise((resolve) => {
  client.onConnect = resolve;
  client.activate();
});

const destination = '/exchange/exchange-perf-battle-stomp-requests/request';
let sent = 0;
/** Resolves after the reply and the receipt. @param {Buffer} payload @returns {Promise<Buffer>} */
const request = (payload) =>
  new Promise((resolve) => {
    sent += 1;
    const number = String(sent);
    /** @type {Buffer | null} */
    let reply = null;
    let isReceived = false;
    replied.set(number, (content) => {
      reply = content;
      if (isReceived) resolve(content);
    });
    received.set(number, () => {
      isReceived = true;
      if (reply) resolve(reply);
    });
    const headers = {'correlation-id': number, 'reply-to': '/temp-queue/replies', receipt: number};
    client.publish({destination, binaryBody: payload, headers});
  });

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const reply = await request(payload);
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
}
await client.deactivate();
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
