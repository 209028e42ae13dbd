/**
 * A program to be killed: obtains a private broker in the folder it is given, of as many nodes as it is told, says so, and does nothing more.
 */
import {obtainBroker} from '../../../src/brokers/obtain.js';
import {rabbitmq} from '../../../src/brokers/rabbitmq/index.js';

const broker = await obtainBroker(rabbitmq, {
  choice: 'private',
  given: null,
  temporaryFolder: process.argv[2],
  nodes: Number(process.argv[3] ?? 1),
  log: () => {},
  signal: new AbortController().signal,
});
console.log(broker.pid);
setInterval(() => {}, 60_000);
