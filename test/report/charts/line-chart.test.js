import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {countAxis, linearAxis, logAxis} from '../../../src/report/charts/axis.js';
import {lineChart} from '../../../src/report/charts/line-chart.js';
import {standalone} from '../../../src/report/charts/parts.js';
import {barChart} from '../../../src/report/page/charts/bars.js';
import {anyCharacter} from '../../support/any-character.js';
import {assertWellFormed} from './well-formed.js';

/** @import {Series} from '../../../src/report/charts/chart.js' */

const y = logAxis([0.1, 1], {label: 'ms', format: String});
const x = countAxis(1, 3, 'round');

/** @param {Partial<Series>} series */
const draw = (series) =>
  lineChart({title: 'a title', x, y, series: [{name: 'TCP', style: 0, points: [{x: 1, y: 0.1}], ...series}]});

test('a point with a text has a mark that says it, and its interval; a point without one has none', () => {
  const svg = draw({
    points: [
      {x: 1, y: 0.1, interval: [0.1, 0.2], text: 'TCP: 0.1 ms; record a-1'},
      {x: 3, y: 1},
    ],
  });
  assert.equal(svg.match(/class="mark"/g)?.length, 2, 'in the legend and at the point');
  assert.match(svg, /<title>TCP: 0\.1 ms; record a-1<\/title>/);
  assert.match(
    svg,
    /^<svg [^>]*role="graphics-document"/,
    'the points of an image would be hidden from a screen reader',
  );
  assert.equal(svg.match(/class="interval"/g)?.length, 1);
  assertWellFormed(svg);
});

test('a chart of its own follows the colour scheme, and has its caption within its height', () => {
  const svg = standalone(
    lineChart(
      {title: 'one', x, y, series: []},
      {caption: `AMD EPYC · Node.js 20.20.2 · ${'2026-11-23 '.repeat(12)}`},
    ),
  );
  assert.match(svg, /^<svg [^>]*role="img"/);
  assert.match(svg, /@media screen and \(prefers-color-scheme: dark\)/);
  assert.match(svg, /<rect class="paper" width="100%" height="100%"\/>/);
  const [, height] = /viewBox="0 0 720 ([\d.]+)"/.exec(svg) ?? [];
  const lines = [...svg.matchAll(/x="8" y="([\d.]+)"[^>]*>([^<]*2026-11-23)/g)];
  assert.equal(lines.length, 2);
  for (const [, place] of lines) assert.ok(Number(place) < Number(height));
});

test('an unbounded interval stays within the chart', () => {
  const svg = draw({points: [{x: 1, y: 0.5, interval: [0.2, Number.MAX_VALUE], text: 'wide'}]});
  const [, height] = /viewBox="0 0 720 (\d+(?:\.\d+)?)"/.exec(svg) ?? [];
  for (const [, place] of svg.matchAll(/ y[12]="([^"]+)"/g))
    assert.ok(Number(place) >= 0 && Number(place) <= Number(height), place);
});

test('whatever a name contains, the chart is well-formed and has no element of its own', () => {
  fc.assert(
    fc.property(fc.string({unit: anyCharacter, maxLength: 40}), (name) => {
      const hostile = `${name}</title><script>alert(1)</script>"'&`;
      const svg = draw({name: hostile, points: [{x: 1, y: 0.5, text: hostile}]});
      assert.doesNotMatch(svg, /<script/);
      assertWellFormed(standalone(svg));
      const bars = [{name: hostile, parts: [1, 2], values: ['1', '2'], text: hostile}];
      assertWellFormed(
        barChart({
          title: hostile,
          x: linearAxis([3], {label: 'µs', format: String}),
          parts: ['client', 'server'],
          bars,
        }),
      );
    }),
    {numRuns: 30},
  );
});

test('the same chart has the same characters, and many names take several rows', () => {
  assert.equal(draw({}), draw({}));
  const series = Array.from({length: 12}, (_, style) => ({name: `a transport ${style}`, style, points: []}));
  const height = (/** @type {string} */ svg) => Number(/viewBox="0 0 720 (\d+(?:\.\d+)?)"/.exec(svg)?.[1]);
  assert.ok(height(lineChart({title: 'many', x, y, series})) > height(draw({})));
});

test('a point may begin a line of its own, and a rule separates places', () => {
  const points = [
    {x: 1, y: 0.1},
    {x: 2, y: 0.2},
    {x: 3, y: 0.4, beginsLine: true},
  ];
  const svg = lineChart({title: 'two hosts', x, y, series: [{name: 'a', style: 1, points}], rules: [2.5]});
  const paths = [...svg.matchAll(/class="line" d="([^"]*)"/g)].map(([, path]) =>
    path.replace(/[\d. ]+/g, ''),
  );
  assert.deepEqual(paths, ['Mh', 'MLM'], 'the first is in the legend');
  const [, place] = /stroke-dasharray="3 3" x1="([\d.]+)"/.exec(svg) ?? [];
  assert.ok(Number(place) > 58 && Number(place) < 692, place);
  assertWellFormed(svg);
});
