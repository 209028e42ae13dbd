import {loadTransport} from '../transports/load.js';
import {runScript} from './script.js';
import {wholeClient, wholeServer} from './whole-halves.js';

/**
 * @import {RoleName} from '../protocol.js'
 * @import {Transport} from '../transports/transport.js'
 * @import {Half} from './script.js'
 */

/**
 * Runs a half of a transport as this process: that of a battle, of a script by hand, and of `perf-battle serve` and `call`.
 * @param {RoleName} role
 * @param {string} name of the transport
 * @param {{commandLine?: readonly string[], load?: () => Promise<Transport>}} [how] load: in place of the transport of that name
 */
export async function runRole(
  role,
  name,
  {commandLine = process.argv.slice(2), load = () => loadTransport(name)} = {},
) {
  await runScript({role, transport: name, commandLine}, async () => loadHalf(role, await load()));
}

/**
 * Loads the libraries of a transport's half, and not those of the other.
 * @param {RoleName} role
 * @param {Transport} transport
 * @returns {Promise<Half>}
 */
async function loadHalf(role, transport) {
  if (transport.runsPrograms) {
    const {runProgram} = await (role === 'server'
      ? import('./programs/server.js')
      : import('./programs/client.js'));
    return {transport, run: (settings) => runProgram(settings, transport)};
  }
  const {server, client} = /** @type {Required<Transport>} */ (transport);
  if (role === 'server') {
    const [{runServer}, {serve}] = await Promise.all([import('./server.js'), server()]);
    return {
      transport,
      run: (settings) =>
        runServer(settings, transport, async (options, onRequest) =>
          wholeServer(await serve(options, onRequest), transport.name),
        ),
    };
  }
  const [{runClient}, {connect}] = await Promise.all([import('./client.js'), client()]);
  return {
    transport,
    run: (settings) =>
      runClient(settings, transport, async (options) => wholeClient(await connect(options), transport.name)),
  };
}
