import {defineTransport, oneOf, option} from 'perf-battle/transport';

/** Messages as lines of text over TCP: hexadecimal digits or base64, and a line feed. */
export default defineTransport({
  apiVersion: 1,
  url: import.meta.url,
  name: 'lines',
  label: 'Lines',
  capabilities: ['request'],
  options: [
    option('lines-encoding', {
      type: oneOf(['base64', 'hex']),
      default: 'base64',
      list: true,
      label: (encoding) => encoding,
      help: 'How a payload is written as text.',
      group: 'Lines',
    }),
  ],
  server: () => import('./server.js'),
  client: () => import('./client.js'),
});
