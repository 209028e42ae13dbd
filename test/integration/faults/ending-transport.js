import {defineTransport} from '../../../src/transports/define.js';
import {serve} from '../../../src/transports/tcp/server.js';

/** The server ends by itself this long after it began to listen, which is before the fault. */
const endsAfterMs = 1500;

/** Raw TCP to a server that does not live long. */
export default defineTransport(
  /** @type {any} */ ({
    ...{apiVersion: 1, url: import.meta.url, name: 'ending', label: 'Ending', capabilities: ['request']},
    client: () => import('../../../src/transports/tcp/client.js'),
    server: async () => ({
      serve: async (/** @type {any} */ options, /** @type {any} */ onRequest) => {
        setTimeout(() => process.exit(3), endsAfterMs);
        return await serve(options, onRequest);
      },
    }),
  }),
);
