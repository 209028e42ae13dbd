import {createServer} from 'node:net';
import {createInterface} from 'node:readline';
import {drained, listen, SerializedRequests} from 'perf-battle/transport';

/**
 * @param {import('perf-battle/transport').ServeOptions & {linesEncoding: 'base64' | 'hex'}} options
 * @param {import('perf-battle/transport').OnRequest} onRequest answers a request
 */
export async function serve(options, onRequest) {
  const {noDelay, linesEncoding} = options;
  const server = createServer({noDelay});
  server.on('connection', (socket) => {
    const lines = createInterface({input: socket});
    // Answers in the order of the requests, also those of many parts.
    const requests = new SerializedRequests(
      {
        send: (bytes) => socket.write(`${bytes.toString(linesEncoding)}\n`),
        drained: () => drained(socket),
        unreadBytes: () => socket.writableLength,
        pause: () => lines.pause(),
        resume: () => lines.resume(),
      },
      onRequest,
    );
    lines.on('line', (line) => requests.take(Buffer.from(line, linesEncoding)));
    socket.on('error', () => socket.destroy());
  });
  return await listen(server, options);
}
