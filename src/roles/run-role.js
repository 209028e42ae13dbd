import {RunError} from '../errors.js';
import {loadTransport} from '../transports/load.js';
import {runScript} from './script.js';

/**
 * @import {RoleName} from '../messages.js'
 * @import {Client, Server, Transport} from '../transports/transport.js'
 * @import {Half} from './script.js'
 */

/**
 * Runs a half of a transport in this process: for a battle, for a script by hand, and for `perf-battle serve` and `call`.
 * @param {RoleName} role @param {string} name of the transport
 * @param {{commandLine?: readonly string[], load?: () => Promise<Transport>}} [how] load: replaces the built-in transport of that name
 */
export async function runRole(
  role,
  name,
  {commandLine = process.argv.slice(2), load = () => loadTransport(name)} = {},
) {
  await runScript({role, transport: name, commandLine}, async () => loadHalf(role, await load()));
}

/**
 * Loads the libraries of one half of a transport only.
 * @param {RoleName} role @param {Transport} transport @returns {Promise<Half>}
 */
async function loadHalf(role, transport) {
  if (transport.runsPrograms) {
    const {runProgram} = await (role === 'server'
      ? import('./programs/server.js')
      : import('./programs/client.js'));
    return {transport, run: (settings) => runProgram(settings, transport)};
  }
  const {server, client} = await halvesOf(transport);
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

/** The libraries of a transport of the user are installed by npm. @param {Transport} transport */
async function halvesOf({name, module, ...transport}) {
  const {server, client} = /** @type {Required<Transport>} */ (transport);
  if (!module) return {server, client};
  const {importLibrary} = await import('../packages/import-library.js');
  const by = `The transport ${name}`;
  return {server: () => importLibrary(server, by), client: () => importLibrary(client, by)};
}

/**
 * Adds `ask` to a client that has only `request`.
 * @param {Omit<Client, 'ask'> & {ask?: Client['ask']}} client @param {string} transport name of the transport
 * @returns {Client} @throws {RunError} when a part is missing
 */
export function wholeClient(client, transport) {
  refuseIncomplete(client, {of: `The client of ${transport}`, methods: ['request', 'close']});
  /** @type {Client['ask']} */
  const ask = (payload, {resolve, reject, onChunk}) => {
    client.request(payload, ...(onChunk ? [{onChunk}] : [])).then(resolve, reject);
  };
  return client.ask ? /** @type {Client} */ (client) : Object.assign(client, {ask});
}

/** @param {Server} server @param {string} transport name of the transport @returns {Server} @throws {RunError} */
export function wholeServer(server, transport) {
  refuseIncomplete(server, {of: `The server of ${transport}`, methods: ['close']});
  return server;
}

/** @param {any} half value that `serve` or `connect` resolved with @param {{of: string, methods: string[]}} what */
function refuseIncomplete(half, {of, methods}) {
  const missing = methods.find((name) => typeof half?.[name] !== 'function');
  if (missing !== undefined)
    throw new RunError(`${of} has no method ${missing}.`, {code: 'PB_BAD_TRANSPORT'});
  if (typeof half.closed?.then !== 'function')
    throw new RunError(`${of} has no promise closed, which rejects when the connection ends.`, {
      code: 'PB_BAD_TRANSPORT',
    });
  // The rejection is handled later.
  half.closed.then(undefined, () => {});
}
