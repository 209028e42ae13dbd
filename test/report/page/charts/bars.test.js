import assert from 'node:assert/strict';
import {test} from 'node:test';
import {anatomyOfMeans, cpuPerMessage} from '../../../../src/report/page/charts/bars.js';
import {completedRecord} from '../../../exports/completed-record.js';

const part = (/** @type {number} */ meanMs) => ({meanMs, ci95Ms: null});
const ways = {request: part(0.3), handler: part(0.1), reply: part(0.2), clockBoundMs: 0};
/** @param {readonly number[]} parts */
const way = ([before, broker, after]) => ({before: part(before), broker: part(broker), after: part(after)});
const hops = {request: way([0.06, 0.2, 0.04]), reply: way([0.04, 0.1, 0.06])};

/** @param {object[]} anatomies of one cell each */
function chartOf(...anatomies) {
  const records = anatomies.map((anatomy) =>
    completedRecord({anatomy, id: 'id', verdict: {status: 'valid', warnings: []}}),
  );
  const [chart] = anatomyOfMeans(records, {name: 'rtt'});
  return chart.draw();
}

test('a bar has three parts, and seven where it is known what the broker takes', () => {
  const barsOf = (/** @type {string} */ chart) => chart.match(/series-\d/g)?.length ?? 0;
  const inLegendAndBar = 2;
  assert.equal(barsOf(chartOf(ways)), 3 * inLegendAndBar);
  const divided = chartOf({...ways, hops});
  assert.equal(barsOf(divided), 7 * inLegendAndBar);
  assert.match(
    divided,
    /to the broker 0\.0600 ms, in the broker 0\.200 ms, to the server(?:'|&#39;)s handler 0\.0400 ms/,
  );
});

test('beside it, a way that is not divided is one part', () => {
  const chart = chartOf({...ways, hops}, ways);
  assert.match(
    chart,
    /to the server(?:'|&#39;)s handler 0\.300 ms, in the handler 0\.100 ms, back to the client 0\.200 ms/,
  );
});

test('the CPU time of a broker has a legend and a column only if a cell has a broker', () => {
  const of = (/** @type {string | null} */ broker) => {
    const record = completedRecord({
      ...{id: 'id', verdict: {status: 'valid', warnings: []}},
      hosts: {client: 'a', server: 'a', broker},
      cpu: {client: {microsPerMessage: 20}, server: {microsPerMessage: 30}, broker: null},
    });
    const [chart] = cpuPerMessage([record], {name: 'rtt'});
    return {drawn: chart.draw(), columns: chart.values.columns};
  };
  const without = of(null);
  assert.deepEqual(without.columns, ['client', 'server']);
  assert.doesNotMatch(without.drawn, /broker/);
  assert.match(without.drawn, /client 20\S* µs, server 30\S* µs/);
  const given = of('a');
  assert.deepEqual(given.columns, ['client', 'server', 'broker']);
  assert.match(given.drawn, /broker/);
});
