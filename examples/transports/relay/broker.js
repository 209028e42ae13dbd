import {defineBroker} from 'perf-battle/transport';

/** The broker: `node hub.js ADDRESS PORT`. */
export default defineBroker({
  apiVersion: 1,
  url: import.meta.url,
  name: 'relay',
  label: 'Relay hub',
  program: 'node',
  port: 7070,
  driver: () => import('./driver.js'),
});
