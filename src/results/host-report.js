/** Prints what this host is, as one line of JSON: run on other hosts by the battle. */
import {networkInterfaces} from 'node:os';
import {readFingerprint} from './fingerprint.js';

const addresses = Object.values(networkInterfaces()).flatMap(
  (list) => list?.map(({address}) => address) ?? [],
);
process.stdout.write(`${JSON.stringify({fingerprint: await readFingerprint(), addresses})}\n`);
