#!/usr/bin/env node
import {fileURLToPath} from 'node:url';
import {readSide} from '../src/compare/read-side.js';
import {standalone} from '../src/report/charts/standalone.js';
import {chartsOf} from '../src/report/page/charts/index.js';
import {captionOf} from '../src/report/page/place.js';
import {floorTransport} from '../src/transports/index.js';
import {writeGenerated} from './write-generated.js';

/**
 * Draws the charts of the README from the newest battle of results.ndjson, as its table is made from results.md. Whoever runs a battle in a
 * checkout adds to both files, so no test compares them.
 * `node scripts/draw-charts.js` writes them; with --check it exits with 1 when one of them is out of date.
 */
const results = fileURLToPath(new URL('../results.md', import.meta.url));
const warn = (/** @type {string} */ warning) => process.stderr.write(`Warning: ${warning}\n`);
const {records, battle} = await readSide('latest', {results, warn});
const charts = chartsOf(records, floorTransport.name);
const caption = captionOf(records, battle);

writeGenerated(
  ['rtt-over-size', 'rtt-percentiles-1024'].map((id) => ({
    path: `docs/charts/${id}.svg`,
    make: () => standalone(charts.find((chart) => chart.id === id)?.draw({caption}) ?? ''),
  })),
);
