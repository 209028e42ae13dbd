/** Prints the fingerprint of this host as one line of JSON. The battle runs it on other hosts. */
import {networkInterfaces} from 'node:os';
import {readFingerprint} from './fingerprint.js';

const addresses = Object.values(networkInterfaces()).flatMap(
  (list) => list?.map(({address}) => address) ?? [],
);
process.stdout.write(`${JSON.stringify({fingerprint: await readFingerprint(), addresses})}\n`);
