import {createServer} from 'node:http';
import {text} from 'node:stream/consumers';
import {listenHere} from './listen.js';

/**
 * What the server has.
 * @typedef {object} Held
 * @property {{id: number, body: string}[]} comments of pull request 7
 * @property {object[]} [artifacts]
 * @property {string[]} [requests] method and path of each request are added
 */

/**
 * A server with the part of GitHub's API that reads and writes the comments of pull request 7 of me/mine, and lists its artifacts. Only the token
 * `mine` may write.
 * https://docs.github.com/en/rest/issues/comments, https://docs.github.com/en/rest/actions/artifacts
 * @param {Held} held
 * @param {(address: string) => Promise<void>} use
 */
export async function withGithub({comments, artifacts = [], requests = []}, use) {
  const server = createServer(async (request, response) => {
    const {pathname, searchParams} = new URL(request.url ?? '', 'http://localhost');
    requests.push(`${request.method} ${pathname}`);
    const answer = (/** @type {number} */ status, /** @type {unknown} */ body) =>
      response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(body));
    const body = JSON.parse((await text(request)) || '{}');
    const isOurs = request.headers.authorization === 'Bearer mine';
    if (request.method !== 'GET' && !isOurs) return answer(403, {message: 'Resource not accessible'});
    if (pathname === '/repos/me/mine/actions/artifacts')
      return answer(200, {
        artifacts: artifacts.filter((one) => 'name' in one && one.name === searchParams.get('name')),
      });
    const [, id] = /^\/repos\/me\/mine\/issues\/comments\/(\d+)$/.exec(pathname) ?? [];
    if (request.method === 'PATCH' && id !== undefined)
      return answer(200, Object.assign(comments[Number(id)], body));
    if (pathname !== '/repos/me/mine/issues/7/comments') return answer(404, {message: 'Not Found'});
    if (request.method === 'POST') {
      comments.push({id: comments.length, ...body});
      return answer(201, comments.at(-1));
    }
    const perPage = Number(searchParams.get('per_page') ?? 30);
    const begin = (Number(searchParams.get('page') ?? 1) - 1) * perPage;
    return answer(200, comments.slice(begin, begin + perPage));
  });
  const {port, close} = await listenHere(server);
  try {
    await use(`http://127.0.0.1:${port}`);
  } finally {
    close();
  }
}
