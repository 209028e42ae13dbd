import assert from 'node:assert/strict';
import {writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import {describe, it} from 'node:test';
import {errorCodes} from '../../../src/errors.js';
import {startHostileServer} from '../../torture/hostile-servers.js';
import {startBadServer} from '../support/bad-servers.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {listenHere} from '../support/listen.js';
import {faulty, startScriptedServer} from '../support/scripted-servers.js';

/**
 * @import {ErrorCode} from '../../../src/errors.js'
 * @import {Workplace} from '../support/workplace.js'
 *
 * @typedef {object} Mistake
 * @property {ErrorCode} code
 * @property {string} script
 * @property {NodeJS.ProcessEnv} [environment]
 * @property {() => Promise<{port: number, close: () => void}>} [serve] what the script meets as its server
 * @property {(workplace: Workplace) => Promise<void>} [prepare]
 */

const few = {PB_SAMPLES: '9', PB_WARMUP: '0', PB_TIMEOUT: '200ms'};
const program = 'echo \'{"event":"error","message":"no licence"}\'; exit 3\n';
const unfinished = `
import {defineTransport} from 'perf-battle/transport';
const server = async () => ({serve: async () => ({address: null})});
export default defineTransport({apiVersion: 1, name: 'mine', label: 'Mine', capabilities: ['request'], server, client: server});
`;
const withoutLibrary = `
import {defineTransport} from 'perf-battle/transport';
const server = () => import('no-such-library/part');
export default defineTransport({apiVersion: 1, name: 'mine', label: 'Mine', capabilities: ['request'], server, client: server});
`;
const unavailable = () =>
  listenHere(createServer((request, response) => response.writeHead(503).end(request.resume() && 'no')));

/** docs/files-and-exit-codes.md lists the codes with their exit codes. Other tests hold those of hosts, of brokers and of what kills a role. @type {Mistake[]} */
const mistakes = [
  {code: 'PB_USAGE', script: 'tcp-client', environment: {PB_PAYLOAD_BYTES: '64q'}},
  {code: 'PB_LISTEN', script: 'tcp-server', environment: {PB_LISTEN_ADDRESS: '192.0.2.1'}},
  {code: 'PB_NO_REPLY', script: 'http-client', serve: () => startBadServer('http', 'silence')},
  {code: 'PB_LOST', script: 'tcp-client', serve: () => startBadServer('tcp', 'fatigue')},
  {code: 'PB_WRONG_REPLY', script: 'tcp-client', serve: () => startBadServer('tcp', 'flip')},
  {
    ...{code: 'PB_WRONG_REPLY', script: 'websocket-client'},
    environment: {PB_WORKLOAD: 'pipeline', PB_WINDOW: '4', PB_SAMPLES: '20', PB_VERIFY: 'all'},
    serve: () => startScriptedServer('websocket', faulty({k: 10, after: 0, fault: 'corrupt'})),
  },
  {code: 'PB_CONNECTION_LOST', script: 'websocket-client', serve: () => startBadServer('websocket', 'close')},
  {code: 'PB_HTTP_STATUS', script: 'http-client', serve: unavailable},
  ...['tcp', 'websocket', 'http'].map((transport) => ({
    ...{code: /** @type {const} */ ('PB_FRAME_TOO_LONG'), script: `${transport}-client`},
    serve: () => startHostileServer(transport, 'boasts'),
  })),
  {
    ...{code: 'PB_ADAPTER', script: 'external-client'},
    environment: {PB_EXTERNAL: 'Mine=sh mine.sh server,sh mine.sh client'},
    prepare: (workplace) => writeFile(workplace.file('mine.sh'), program),
  },
  {
    ...{code: 'PB_BAD_TRANSPORT', script: './mine.mjs-server'},
    prepare: (workplace) => writeFile(workplace.file('mine.mjs'), unfinished),
  },
  {
    ...{code: 'PB_NOT_INSTALLED', script: './mine.mjs-server'},
    prepare: (workplace) => writeFile(workplace.file('mine.mjs'), withoutLibrary),
  },
];

describe('a script by hand that fails', {timeout: 300_000, concurrency: 2}, () => {
  for (const {code, script, environment = {}, serve, prepare} of mistakes) {
    it(
      `has the exit code of ${code} and names it with PB_OUTPUT=ndjson: ${script}`,
      inAWorkplace(async (workplace) => {
        const server = await serve?.();
        await prepare?.(workplace);
        const where = server ? {PB_SERVER_HOST: '127.0.0.1', PB_SERVER_PORT: String(server.port)} : {};
        const settings = {...few, ...where, ...environment, PB_OUTPUT: 'ndjson'};
        const ended = await workplace.run(script, [], settings);
        server?.close();
        const [last] = ended.stdout.trimEnd().split('\n').slice(-1);
        const {exitCode} = errorCodes[code];
        const {event, ...failure} = JSON.parse(last);
        assert.deepEqual(
          [event, failure.code, failure.exitCode, ended.code],
          ['error', code, exitCode, exitCode],
          ended.stderr,
        );
        assert.deepEqual(await workplace.leftovers(), []);
      }),
    );
  }
});
