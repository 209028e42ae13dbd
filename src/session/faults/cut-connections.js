import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {pathFolders} from '../../brokers/programs.js';
import {RunError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';

const execute = promisify(execFile);

const environment = {
  PATH: [...pathFolders(), '/usr/sbin', '/sbin', '/usr/bin', '/bin'].join(':'),
  LC_ALL: 'C',
};

const cutWithinMs = 10_000;

/**
 * Why the connections of other processes cannot be cut here.
 * @returns {Promise<string | null>} as it follows "needs"; null: they can
 */
export async function whyNoCut() {
  if (process.getuid?.() !== 0) return 'root, and ss of iproute2';
  const hasProgram = await execute('ss', ['-V'], {env: environment}).then(
    () => true,
    () => false,
  );
  return hasProgram ? null : 'ss of iproute2';
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
