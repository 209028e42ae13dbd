/** @import {Transport} from './index.js' */

/**
 * Raw TCP: frames of a 4-byte big-endian length and the payload, over node:net. It is the floor for the other transports: no
 * protocol that delivers whole messages does less work.
 * @type {Transport}
 */
export const tcp = {
  name: 'tcp',
  label: 'TCP',
  options: [],
  capabilities: ['request', 'send'],
  needsBroker: false,
  server: new URL('../tcp-server.js', import.meta.url),
  client: new URL('../tcp-client.js', import.meta.url),
};
