/**
 * A program to be killed: obtains a private broker in the folder it is given, of as many nodes and of the kind that it is told, says so, and does nothing more.
 */

import {brokerKindNamed} from '../../../src/brokers/index.js';
import {obtain} from './obtain.js';

const broker = await obtain(brokerKindNamed(process.argv[4] ?? 'rabbitmq'), {
  temporaryFolder: process.argv[2],
  nodes: Number(process.argv[3] ?? 1),
});
console.log(broker.pid);
setInterval(() => {}, 60_000);
