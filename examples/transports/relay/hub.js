/**
 * The program of the broker. It needs nothing of perf-battle. A frame is its length, in four bytes, and its content. The first frame of a connection
 * says what it is: `serve NAME`, `call NAME` or `greet`. A frame of a caller goes to a server of that name with the caller's number before it, and one
 * of a server to the caller whose number it begins with.
 */
import {createServer} from 'node:net';

const version = '1.0';
const [address, port] = process.argv.slice(2);

/** @typedef {import('node:net').Socket} Socket */

/** The servers of each name, and the callers. @type {Map<string, Socket[]>} */
const servers = new Map();
/** By their numbers. @type {Map<number, Socket>} */
const callers = new Map();
let count = 0;

const hub = createServer({noDelay: true}, (socket) => {
  /** @type {(frame: Buffer) => void} */
  let take = (hello) => {
    const [role, name] = hello.toString().split(' ');
    if (role === 'serve') take = serve(socket, name);
    else if (role === 'call') take = call(socket, name);
    else send(socket, [Buffer.from(version)]);
  };
  let rest = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
      const end = 4 + rest.readUInt32BE(0);
      take(rest.subarray(4, end));
      rest = rest.subarray(end);
    }
  });
  socket.on('error', () => socket.destroy());
});

hub.listen(Number(port), address, () => console.log(`Listening at ${address}:${port}.`));

/** @param {Socket} socket @param {string} name */
function serve(socket, name) {
  servers.set(name, [...(servers.get(name) ?? []), socket]);
  socket.once('close', () => {
    servers.set(
      name,
      (servers.get(name) ?? []).filter((one) => one !== socket),
    );
  });
  send(socket, [Buffer.from('served')]);
  return (/** @type {Buffer} */ frame) => {
    const caller = callers.get(frame.readUInt32BE(0));
    if (caller) pass(socket, caller, [frame.subarray(4)]);
  };
}

/** @param {Socket} socket @param {string} name */
function call(socket, name) {
  const number = ++count;
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(number);
  callers.set(number, socket);
  const available = servers.get(name) ?? [];
  const server = available[number % available.length];
  socket.once('close', () => callers.delete(number));
  // A caller without a server would wait for ever.
  if (server) server.once('close', () => socket.destroy());
  send(socket, [Buffer.from(server ? 'called' : 'nobody')]);
  return (/** @type {Buffer} */ frame) => {
    if (server) pass(socket, server, [prefix, frame]);
  };
}

/** Holds the sender back while the receiver's buffer is full. @param {Socket} from @param {Socket} to @param {Buffer[]} parts */
function pass(from, to, parts) {
  if (send(to, parts) || from.isPaused()) return;
  from.pause();
  to.once('drain', () => from.resume());
  to.once('close', () => from.resume());
}

/** @param {Socket} socket @param {Buffer[]} parts */
function send(socket, parts) {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(parts.reduce((sum, {length}) => sum + length, 0));
  socket.cork();
  socket.write(header);
  for (const part of parts.slice(0, -1)) socket.write(part);
  const accepted = socket.write(parts[parts.length - 1]);
  socket.uncork();
  return accepted;
}
