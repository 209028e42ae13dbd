/**
 * A program to be killed: obtains a private broker in the folder it is given, of as many nodes and of the kind that it is told, says so, and does nothing more.
 */

import {brokerKindNamed} from '../../../src/brokers/index.js';
import {obtainBroker} from '../../../src/brokers/obtain.js';

const broker = await obtainBroker(brokerKindNamed(process.argv[4] ?? 'rabbitmq'), {
  choice: 'private',
  given: null,
  temporaryFolder: process.argv[2],
  nodes: Number(process.argv[3] ?? 1),
  log: () => {},
  signal: new AbortController().signal,
});
console.log(broker.pid);
setInterval(() => {}, 60_000);
