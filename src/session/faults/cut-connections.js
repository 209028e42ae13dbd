import {execFile} from 'node:child_process';
import {once} from 'node:events';
import {createServer, Socket} from 'node:net';
import {promisify} from 'node:util';
import {pathFolders} from '../../brokers/programs.js';
import {RunError} from '../../errors.js';
import {loopbackAddress} from '../../measure/network.js';
import {joinAddress} from '../../net/address.js';
import {bounded} from '../../net/bounded.js';

/** @import {AddressInfo} from 'node:net' */

const execute = promisify(execFile);

const environment = {
  PATH: [...pathFolders(), '/usr/sbin', '/sbin', '/usr/bin', '/bin'].join(':'),
  LC_ALL: 'C',
};

const cutWithinMs = 10_000;
/** The kernel resets a connection before `ss` ends. */
const resetWithinMs = 2000;

/**
 * Why the kernel does not cut the connections of other processes here. It is tried on one of this process, because not every kernel can
 * (CONFIG_INET_DIAG_DESTROY).
 * @returns {Promise<string | null>} as it follows "needs"; null: it does
 */
export async function whyNoCut() {
  const needed = 'root, ss of iproute2, and a kernel with CONFIG_INET_DIAG_DESTROY';
  if (process.getuid?.() !== 0) return needed;
  const server = createServer((socket) => socket.on('error', () => {}));
  const socket = new Socket();
  try {
    server.listen(0, loopbackAddress());
    await once(server, 'listening');
    const {address: host, port} = /** @type {AddressInfo} */ (server.address());
    const accepted = once(server, 'connection');
    socket.connect(port, host);
    await accepted;
    const reset = once(socket, 'error');
    await cutConnections([{host, port}]);
    await bounded(reset, resetWithinMs);
    return null;
  } catch {
    return needed;
  } finally {
    socket.destroy();
    server.close();
  }
}

/**
 * Cuts all TCP connections that servers of this host have at these addresses: both ends get a reset (`ss -K`, https://man7.org/linux/man-pages/man8/ss.8.html).
 * @param {readonly {host: string, port: number}[]} servers
 * @throws {RunError} when none was cut
 */
export async function cutConnections(servers) {
  const cut = await Promise.all(
    servers.map(async ({host, port}) => {
      const filter = [
        'state',
        'established',
        `( src ${host.includes(':') ? `[${host}]` : host} and sport = :${port} )`,
      ];
      const {stdout} = await execute('ss', ['-K', '-H', '-t', '-n', ...filter], {
        env: environment,
        timeout: cutWithinMs,
      });
      return stdout.split('\n').filter((line) => line.trim() !== '').length;
    }),
  );
  if (cut.every((count) => count === 0))
    throw new RunError(
      `No connection was cut at ${servers.map(({host, port}) => joinAddress(host, port)).join(', ')}: the kernel has none, or cannot do it (CONFIG_INET_DIAG_DESTROY).`,
    );
}
