#!/usr/bin/env node
import {fileURLToPath} from 'node:url';
import {isSuspect} from '../src/columns/columns.js';
import {nameOfVariant} from '../src/columns/names.js';
import {readSide} from '../src/compare/read-side.js';
import {standalone} from '../src/report/charts/parts.js';
import {chartsOf} from '../src/report/page/battle-page.js';
import {captionOf} from '../src/report/page/place.js';
import {floorTransport} from '../src/transports/index.js';
import {writeGenerated} from './write-generated.js';

/**
 * Draws the charts of the README from the newest battle of round trips in docs/results, without what is suspect, like its table.
 * `node scripts/draw-charts.js` writes them; with --check it exits with 1 when one of them is out of date.
 */
const results = fileURLToPath(new URL('../docs/results/results.md', import.meta.url));
const warn = (/** @type {string} */ warning) => process.stderr.write(`Warning: ${warning}\n`);
const {all} = await readSide(results, {results, warn});
const ofSizes = all.findLast(({comparedBy, variant}) => comparedBy === 'latency' && variant.rate === null);
const {records, battle} = await readSide(ofSizes?.battleId ?? 'latest', {results, warn});
const names = [...new Set(records.map(({labels}) => nameOfVariant(labels)))];
// In this order, each transport has the style that it has on the page of the battle.
const quotable = records
  .filter((record) => record.outcome !== 'completed' || !isSuspect(record))
  .toSorted(
    (one, other) => names.indexOf(nameOfVariant(one.labels)) - names.indexOf(nameOfVariant(other.labels)),
  );
const charts = chartsOf(quotable, floorTransport.name);
const caption = captionOf(records, battle);

writeGenerated(
  ['rtt-over-size', 'rtt-percentiles-1024'].map((id) => ({
    path: `docs/charts/${id}.svg`,
    make: () => standalone(charts.find((chart) => chart.id === id)?.draw({caption}) ?? ''),
  })),
);
