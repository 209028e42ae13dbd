#!/usr/bin/env node
/**
 * Merges the results of a Job's clients. Reads their events from standard input (`kubectl logs`) and prints JSON: merged histograms, summed
 * counts and summed rates. Percentiles are those of all round trips, never averages.
 */
import {text} from 'node:stream/consumers';
import {sum} from 'simple-statistics';
import {Histogram} from '../../src/stats/histogram.js';
import {summarize} from '../../src/stats/summary.js';

const events = (await text(process.stdin))
  .split('\n')
  .filter((line) => line.startsWith('{'))
  .map((line) => JSON.parse(line));
const results = events.filter(({event}) => event === 'result');
const errors = events.filter(({event}) => event === 'error').map(({message}) => message);
const latency = Histogram.decodeAll(results.flatMap(({encoded}) => encoded ?? []));

console.log(
  JSON.stringify(
    {
      clients: results.length,
      errors,
      rtt: latency.count > 0 ? summarize(latency) : null,
      // Each client's rate over its own measured part. The clients do not start together.
      summedPerSecond: sum(results.map(({timed}) => (timed ? (timed.messages * 1000) / timed.ms : 0))),
      counts: Object.fromEntries(
        Object.keys(results[0]?.counts ?? {}).map((name) => [
          name,
          sum(results.map(({counts}) => counts[name])),
        ]),
      ),
    },
    null,
    2,
  ),
);
process.exitCode = results.length > 0 && errors.length === 0 ? 0 : 1;
