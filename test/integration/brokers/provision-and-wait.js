/**
 * A program to be killed: provisions a private broker in the folder it is given, of as many nodes and of the kind that it is told, says so, and does nothing more.
 */

import {brokerKindNamed} from '../../../src/brokers/index.js';
import {provision} from './provision.js';

const broker = await provision(brokerKindNamed(process.argv[4] ?? 'rabbitmq'), {
  temporaryFolder: process.argv[2],
  nodes: Number(process.argv[3] ?? 1),
});
console.log(broker.pid);
setInterval(() => {}, 60_000);
