/**
 * The process of a TCP proxy that can reset its connections, as an alternative to `ss -K`. Its parent sends the routes of its ports and requests for
 * resets as lines on standard input. The proxy ends at the end of its input.
 */
import {once} from 'node:events';
import {connect, createServer} from 'node:net';
import {createInterface} from 'node:readline';
import {endUnheard} from '../../ending/end-process.js';

/**
 * @import {AddressInfo, Socket} from 'node:net'
 * @import {ProxyCommand, ProxyEvent} from './types.js'
 */

const [address, ports] = process.argv.slice(2);
/** Data is forwarded at once, in each direction independently, and without a pause for each piece of a large message. */
const passOn = {noDelay: true, allowHalfOpen: true, highWaterMark: 1024 ** 2};

/** The target of each port. @type {{host: string, port: number}[]} */
const routes = [];
/** @type {Set<readonly [Socket, Socket]>} */
const connections = new Set();

// A parent that has ended reads nothing. The end of input shows that it has ended.
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

function cut() {
  const all = [...connections];
  for (const side of all.flat()) side.resetAndDestroy();
  return all.length;
}

/** @param {ProxyEvent} event */
function report(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
