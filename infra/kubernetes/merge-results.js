#!/usr/bin/env node
import {text} from 'node:stream/consumers';
import {sum} from 'simple-statistics';
import {sumCounts} from '../../src/measure/counts.js';
import {named, parseEvent} from '../../src/protocol.js';
import {Histogram} from '../../src/stats/histogram.js';
import {summarize} from '../../src/stats/summary.js';

/**
 * Merges the results of a Job's clients. Reads their events from standard input (`kubectl logs`) and prints JSON: merged histograms, summed
 * counts and summed rates. Percentiles are those of all round trips, never averages.
 */

const lines = (await text(process.stdin)).split('\n').filter((line) => line.startsWith('{'));
const events = lines.flatMap((line) => parseEvent(line) ?? []);
const results = events.filter(named('result'));
const unreadable = lines.filter((line) => parseEvent(line) === null);
const errors = [
  ...events.filter(named('error')).map(({message}) => message),
  ...unreadable.map((line) => `This line is not an event: ${line.slice(0, 80)}`),
];
const latency = Histogram.decodeAll(results.flatMap(({encoded}) => encoded ?? []));

console.log(
  JSON.stringify(
    {
      clients: results.length,
      errors,
      rtt: latency.count > 0 ? summarize(latency) : null,
      // Each client's rate over its own measured part. The clients do not start together.
      summedPerSecond: sum(results.map(({timed}) => (timed ? (timed.messages * 1000) / timed.ms : 0))),
      counts: sumCounts(results.map(({counts}) => counts)),
    },
    null,
    2,
  ),
);
process.exitCode = results.length > 0 && errors.length === 0 ? 0 : 1;
