/**
 * The process of a proxy for TCP connections that can be reset. It stands between clients and what they talk to, in place of `ss -K`. Its parent routes the
 * ports that it listens on, and asks for resets, by lines on standard input. The end of input ends it.
 */
import {once} from 'node:events';
import {connect, createServer} from 'node:net';
import {createInterface} from 'node:readline';
import {endUnheard} from '../../ending/end-process.js';

/** @import {AddressInfo, Socket} from 'node:net' */

/**
 * What the parent says, as JSON lines. route: the connections of a port lead there; cut: all are reset.
 * @typedef {{command: 'route', index: number, to: {host: string, port: number}} | {command: 'cut'}} ProxyCommand
 *
 * What the proxy answers. listening: it has opened its ports; cut: so many connections were reset.
 * @typedef {{event: 'listening', ports: number[]} | {event: 'cut', connections: number}} ProxyEvent
 */

const [address, ports] = process.argv.slice(2);
/** How each side passes on what the other sends: at once, each direction by itself, and without a pause for each piece of a large message. */
const passOn = {noDelay: true, allowHalfOpen: true, highWaterMark: 1024 ** 2};

/** Where the connections of each port lead. @type {{host: string, port: number}[]} */
const routes = [];
/** The two sides of each connection. @type {Set<readonly [Socket, Socket]>} */
const connections = new Set();

// A parent that ended reads no more. The end of input shows that it ended.
process.stdout.on('error', () => {});
createInterface({input: process.stdin}).on('line', obey).once('close', endUnheard);
const listening = Array.from({length: Number(ports)}, (_, index) => listen(index));
report({event: 'listening', ports: await Promise.all(listening)});

/** @param {number} index of the port @returns {Promise<number>} the port */
async function listen(index) {
  const server = createServer(passOn, (client) => join(client, connect({...routes[index], ...passOn})));
  server.listen(0, address);
  await once(server, 'listening');
  return /** @type {AddressInfo} */ (server.address()).port;
}

/** @param {Socket} client @param {Socket} target */
function join(client, target) {
  const connection = /** @type {const} */ ([client, target]);
  connections.add(connection);
  client.pipe(target);
  target.pipe(client);
  for (const [one, other] of [connection, connection.toReversed()]) {
    one.on('error', () => {});
    one.once('close', (hadError) => {
      connections.delete(connection);
      if (hadError) other.resetAndDestroy();
    });
  }
}

/** @param {string} line */
function obey(line) {
  /** @type {ProxyCommand} */
  const asked = JSON.parse(line);
  if (asked.command === 'route') routes[asked.index] = asked.to;
  else report({event: 'cut', connections: cut()});
}

/** Resets both sides of each connection. */
function cut() {
  const all = [...connections];
  for (const side of all.flat()) side.resetAndDestroy();
  return all.length;
}

/** @param {ProxyEvent} event */
function report(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
