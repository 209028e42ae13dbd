import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {linearAxis} from '../../../src/report/charts/axis.js';
import {standalone} from '../../../src/report/charts/parts.js';
import {stepChart} from '../../../src/report/page/charts/load-under-fault.js';
import {anyCharacter} from '../../support/any-character.js';
import {assertWellFormed} from './well-formed.js';

/** @import {Steps} from '../../../src/report/charts/chart.js' */

const x = {label: 's', toShare: (/** @type {number} */ value) => value / 4, ticks: []};
const y = linearAxis([10], {label: 'per second', format: String});

/** @param {Partial<Steps>} some */
const draw = (some = {}) =>
  stepChart({
    ...{title: 'a title', x, bands: {name: 'down', places: [{from: 1, until: 2}]}},
    parts: [0, 1, 2, 3].map((from) => ({from, until: from + 1, text: `part ${from}`})),
    panels: [{y, style: 1, values: [10, 0, null, 5]}],
    ...some,
  });

/** The place and the width of each rectangle of a class, without that of the legend. @param {string} svg @param {string} name */
const rectanglesOf = (svg, name) =>
  [...svg.matchAll(new RegExp(`<rect class="${name}" x="([^"]+)" y="[^"]+" width="([^"]+)"`, 'g'))]
    .map(([, at, width]) => [Number(at), Number(width)])
    .slice(name === 'band' ? 1 : 0);

test('the line goes in steps, and ends where a part has no figure', () => {
  const [, path] = /<path class="line" d="([^"]+)"/.exec(draw()) ?? [];
  assert.equal(path.replace(/[\d. ]+/g, ''), 'MHVHMH');
});

test('each part can be pointed at, over all panels, and says its figures', () => {
  const panel = {y, style: 2, values: [1, 2, 3, 4]};
  const svg = draw({panels: [panel, panel]});
  assert.deepEqual(
    [...svg.matchAll(/<g class="point"><title>([^<]*)</g)].map(([, text]) => text),
    ['part 0', 'part 1', 'part 2', 'part 3'],
  );
  assert.equal(rectanglesOf(svg, 'column').length, 4);
  assertWellFormed(svg);
});

test('a band covers its time in each panel, and a moment is still seen', () => {
  const places = [
    {from: 1, until: 2},
    {from: 3, until: 3},
  ];
  const svg = draw({bands: {name: 'down', places}});
  const [, column] = rectanglesOf(svg, 'column');
  const [band, moment] = rectanglesOf(svg, 'band');
  assert.deepEqual(band, column);
  assert.ok(moment[1] > 0);
});

test('whatever a name contains, the chart is well-formed and has no element of its own', () => {
  fc.assert(
    fc.property(fc.string({unit: anyCharacter, maxLength: 40}), (name) => {
      const hostile = `${name}</title><script>alert(1)</script>"'&`;
      const svg = draw({
        title: hostile,
        bands: {name: hostile, places: []},
        parts: [{from: 0, until: 4, text: hostile}],
        panels: [{y: {...y, label: hostile}, style: 1, values: [1]}],
      });
      assert.doesNotMatch(svg, /<script/);
      assertWellFormed(standalone(svg));
    }),
    {numRuns: 30},
  );
});
