import {once} from 'node:events';
import {createServer} from 'node:http';

/** @import {AddressInfo} from 'node:net' */

const token = 'a-token';

/**
 * The metadata service as AWS documents its version 2: nothing without a token, and a token only for a PUT.
 * @param {Record<string, string>} data
 * @param {(endpoint: string) => Promise<void>} use
 */
export async function withMetadataService(data, use) {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path === '/latest/api/token') {
      const isAllowed = request.method === 'PUT' && request.headers['x-aws-ec2-metadata-token-ttl-seconds'];
      return response.writeHead(isAllowed ? 200 : 405).end(isAllowed ? token : '');
    }
    if (request.headers['x-aws-ec2-metadata-token'] !== token) return response.writeHead(401).end();
    const value = data[path.replace('/latest/meta-data/', '')];
    response.writeHead(value === undefined ? 404 : 200).end(value ?? 'Not Found');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const {port} = /** @type {AddressInfo} */ (server.address());
  try {
    await use(`http://127.0.0.1:${port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
