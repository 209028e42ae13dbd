import {defineTransport} from 'perf-battle/transport';

/** Requests and replies through a broker that this package brings. */
export default defineTransport({
  apiVersion: 1,
  url: import.meta.url,
  name: 'relay',
  label: 'Relay',
  capabilities: ['request'],
  broker: () => import('./broker.js'),
  server: () => import('./server.js'),
  client: () => import('./client.js'),
});
