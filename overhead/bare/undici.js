/** The bare loop for `src/http-client.js`: only undici's dispatch and keep-alive connections. It runs until the process is ended. */
import {randomBytes} from 'node:crypto';
import {Pool} from 'undici';

const {PB_SERVER_HOST: host, PB_SERVER_PORT: port, PB_PAYLOAD_BYTES, PB_WINDOW} = process.env;
const body = randomBytes(Number(PB_PAYLOAD_BYTES));
const headers = ['content-type', 'application/octet-stream'];
const connections = Number(PB_WINDOW);
const pool = new Pool(`http://${host}:${port}`, {connections, headersTimeout: 0, bodyTimeout: 0});

/** @returns {Promise<Buffer>} */
function post() {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = [];
    pool.dispatch(
      {method: 'POST', path: '/', headers, body},
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData: (_controller, chunk) => void chunks.push(chunk),
        onResponseEnd: () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

await Promise.all(
  Array.from({length: connections}, async () => {
    for (;;) await post();
  }),
);
