import {once} from 'node:events';
import {Agent, createServer, request} from 'node:http';
import {buffer} from 'node:stream/consumers';
import {run, served} from './perf-battle.js';

// An adapter for perf-battle: an echo over HTTP. Replace the bodies of serve and connect by what you want to measure.
run({
  async serve(host, port) {
    const server = createServer({keepAliveTimeout: 0}, (asked, response) => {
      served();
      buffer(asked).then(
        (payload) => response.end(payload),
        () => response.destroy(),
      );
    });
    await once(server.listen(port, host), 'listening');
    return /** @type {import('node:net').AddressInfo} */ (server.address());
  },

  async connect(host, port, timeoutMs) {
    const to = {host, port, method: 'POST', timeout: timeoutMs, agent: new Agent({keepAlive: true})};
    return (payload) =>
      new Promise((resolve, reject) => {
        const asking = request(to, (reply) => buffer(reply).then(resolve, reject));
        asking.on('timeout', () => asking.destroy(new Error('a reply did not come in time')));
        asking.on('error', reject);
        asking.end(payload);
      });
  },
});
