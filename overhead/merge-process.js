/** Merges the results of clients once, as a battle does after a trial. Prints the duration in ms. */
import {readFileSync} from 'node:fs';
import {mergeResults} from '../src/battle/merge-results.js';
import {workloads} from '../src/workloads/index.js';

const [file, count] = process.argv.slice(2);
const results = JSON.parse(readFileSync(file, 'utf8')).slice(0, Number(count));
const trial = {workload: workloads.rtt, results, marks: [], wallMs: 1000};
const before = performance.now();
mergeResults(trial);
console.log(performance.now() - before);
