/**
 * The program that a battle starts for each role. Its word names the transport and the role, such as websocket-server.
 */
import {runRole} from './run-role.js';

/** @import {RoleName} from '../protocol.js' */

const [word, ...commandLine] = process.argv.slice(2);
const [, transport = '', role = ''] = /^(.+)-(server|client)$/.exec(word) ?? [];

await runRole(/** @type {RoleName} */ (role), transport, {commandLine});
