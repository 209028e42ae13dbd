import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {failureIn} from '../support/failure-in.js';
import {listenHere} from '../support/listen.js';

/** @import {Workplace} from '../support/workplace.js' */

/**
 * A server that answers each request with its body and the next of these statuses.
 * @param {readonly number[]} statuses
 */
function startServer(statuses) {
  let count = 0;
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    response.statusCode = statuses[count % statuses.length];
    count += 1;
    // Node.js leaves out the body of a 204, as HTTP has it.
    response.end(body);
  });
  return listenHere(server);
}

/** @param {Workplace} workplace @param {string} library @param {readonly number[]} statuses @param {Record<string, string>} [environment] */
async function callServer(workplace, library, statuses, environment) {
  const server = await startServer(statuses);
  const ended = await workplace.run('http-client', [], {
    ...{PB_SERVER_PORT: String(server.port), PB_SERVER_HOST: '127.0.0.1', PB_HTTP_CLIENT: library},
    ...{PB_SAMPLES: '20', PB_WARMUP: '10', ...environment},
  });
  server.close();
  return ended;
}

describe('a server that answers with', {timeout: 300_000, concurrency: 1}, () => {
  for (const library of ['undici', 'node', 'fetch']) {
    it(
      `any status of success is measured by a client with ${library}`,
      inAWorkplace(async (workplace) => {
        const {code, stdout, stderr} = await callServer(workplace, library, [200, 201, 202, 203, 206, 299]);
        assert.equal(code, 0, stderr);
        assert.match(stdout, /20 round trips after 10 to warm up/);
      }),
    );
  }

  for (const {library, status, expected} of [
    {library: 'undici', status: 204, expected: 'PB_WRONG_REPLY'},
    {library: 'fetch', status: 204, expected: 'PB_WRONG_REPLY'},
    {library: 'node', status: 204, expected: 'PB_WRONG_REPLY'},
    {library: 'undici', status: 404, expected: 'PB_HTTP_STATUS'},
    {library: 'fetch', status: 302, expected: 'PB_HTTP_STATUS'},
    {library: 'node', status: 500, expected: 'PB_HTTP_STATUS'},
  ]) {
    it(
      `${status}, ${status === 204 ? 'which has no reply' : 'no success'}, is refused by a client with ${library}`,
      inAWorkplace(async (workplace) => {
        const ended = await callServer(workplace, library, [status], {PB_OUTPUT: 'ndjson'});
        assert.equal(ended.code, 1, ended.stderr);
        const {code, message} = failureIn(ended.stdout);
        assert.equal(code, expected);
        assert.match(message, status === 204 ? /bytes/ : new RegExp(`\\b${status}\\b`));
      }),
    );
  }
});
