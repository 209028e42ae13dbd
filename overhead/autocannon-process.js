/** Sends requests with autocannon until the process is ended, with one connection for each request in flight. */
import {randomBytes} from 'node:crypto';
import autocannon from 'autocannon';

const {PB_SERVER_HOST: host, PB_SERVER_PORT: port, PB_PAYLOAD_BYTES, PB_WINDOW} = process.env;

autocannon({
  ...{url: `http://${host}:${port}/`, method: 'POST', body: randomBytes(Number(PB_PAYLOAD_BYTES))},
  ...{headers: {'content-type': 'application/octet-stream'}},
  ...{connections: Number(PB_WINDOW), duration: 3600},
});
