import assert from 'node:assert/strict';
import {test} from 'node:test';
import {linearAxis} from '../../../src/report/charts/axis.js';
import {lineChart} from '../../../src/report/charts/line-chart.js';
import {linesOf, widthOfText, widths, withRoom} from '../../../src/report/charts/parts.js';
import {barChart} from '../../../src/report/page/charts/bars.js';
import {styles} from '../../../src/report/page/charts/series.js';
import {completedRecord} from '../../exports/completed-record.js';

const axis = linearAxis([4], {label: 'ms', format: String});
const count = 60;

test('each series differs from every other by its shape or its dashes, a floor too, without its colour', () => {
  const series = Array.from({length: count}, (_, style) => ({
    ...{name: `${style}`, style, isDashed: style % 3 === 0, points: []},
  }));
  const svg = lineChart({title: 'many', x: axis, y: axis, series});
  const samples = [
    ...svg.matchAll(/<path class="line"([^>]*) d="[^"]*"\/><path class="mark" d="M[\d.]+ [\d.]+([^"]+)"/g),
  ];
  assert.equal(samples.length, count);
  const looks = samples.map(([, attributes, shape]) => `${/dasharray="[^"]*"/.exec(attributes)} ${shape}`);
  assert.equal(new Set(looks).size, count);
});

test('the parts of a bar differ in their hatching', () => {
  const parts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const bars = [{name: 'one', parts: parts.map(() => 0.5), values: parts, text: 'one'}];
  const svg = barChart({title: 'parts', x: axis, parts, bars});
  const [legend] = /<g transform.*?<\/g><line/.exec(svg) ?? [''];
  const hatches = [
    ...legend.matchAll(/class="bar"[^>]*\/>(?:<path class="hatch" stroke-dasharray="([^"]+)")?/g),
  ];
  assert.equal(new Set(hatches.map(([, dashes]) => dashes)).size, parts.length);
});

test('a transport has one style in all charts, and two cells of a chart with the same name have two', () => {
  const of = (/** @type {string} */ facilitator, payloadBytes = 1024) =>
    completedRecord({labels: {facilitator, qualifier: null, settings: [], persistent: ''}, payloadBytes});
  const records = [of('A'), of('A'), of('B'), of('A', 2048), of('B', 2048)];
  const styleOf = styles(records, ({labels}) => labels.facilitator);
  assert.deepEqual(records.map(styleOf), [0, 2, 1, 0, 1]);
});

test('no text of a narrow chart is wider than the chart, however long its name', () => {
  const name = `${'a long name of a transport '.repeat(6)}${'x'.repeat(90)}`;
  const svgs = [
    lineChart({title: 't', x: axis, y: axis, series: [{name, style: 0, points: []}]}, {width: widths.narrow}),
    barChart(
      {title: 't', x: axis, parts: ['p'], bars: [{name, parts: [1], values: ['1'], text: ''}]},
      {width: widths.narrow, caption: name},
    ),
  ];
  for (const svg of svgs) {
    const texts = [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);
    assert.ok(texts.length > 5);
    for (const text of texts) assert.ok(widthOfText(text) <= widths.narrow, text);
  }
  assert.equal(linesOf(name, 200).join('').replaceAll(' ', ''), name.replaceAll(' ', ''));
});

test('labels of an axis that would touch are left out, but not the last one', () => {
  const ticks = [0, 1, 2, 3].map((value) => ({value, label: 'label'}));
  const shown = (/** @type {number} */ pixels) =>
    withRoom(ticks, (value) => value * pixels).map(({isShown}) => isShown);
  assert.deepEqual(shown(100), [true, true, true, true]);
  assert.deepEqual(shown(20), [true, false, false, true]);
  assert.deepEqual(shown(1), [false, false, false, true]);
});
