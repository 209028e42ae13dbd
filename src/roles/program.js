/**
 * The program that a battle starts for each role. Its arguments are the names of the transport and the role, such as websocket-server. For a
 * transport of another package, the URL of its module follows.
 */
import {runRole} from './run-role.js';

/**
 * @import {RoleName} from '../messages.js'
 * @import {Transport} from '../transports/transport.js'
 */

/** @param {string} url */
async function loadByUrl(url) {
  const {loadGuest} = await import('../transports/guests.js');
  return /** @type {Transport} */ (await loadGuest(url));
}

const [word, url] = process.argv.slice(2);
const [, transport = '', role = ''] = /^(.+)-(server|client)$/.exec(word) ?? [];

await runRole(
  /** @type {RoleName} */ (role),
  transport,
  url === undefined ? {} : {load: () => loadByUrl(url)},
);
