import assert from 'node:assert/strict';
import {test} from 'node:test';
import {anatomyText} from '../../src/report/anatomy-text.js';
import {completedRecord} from '../exports/completed-record.js';

const part = (/** @type {number} */ meanMs) => ({meanMs, ci95Ms: null});

/**
 * @param {string} facilitator
 * @param {readonly number[]} parts in ms
 * @param {number} clockBoundMs
 * @param {object} [more] of the anatomy
 */
function record(facilitator, [request, handler, reply], clockBoundMs = 0, more = {}) {
  return completedRecord({
    labels: {facilitator, qualifier: null, settings: ['anatomy'], persistent: '*N/A*'},
    anatomy: {request: part(request), handler: part(handler), reply: part(reply), clockBoundMs, ...more},
  });
}

test('each cell has a bar, as long as its mean, and its parts', () => {
  const text = anatomyText([record('TCP', [0.04, 0, 0.02]), record('RabbitMQ', [0.3, 0.06, 0.24])]);
  assert.deepEqual(text.split('\n').slice(1), [
    '1 KB:',
    '  TCP (anatomy)       ██░                             0.0400 + 0 + 0.0200',
    '  RabbitMQ (anatomy)  ███████████████▒▒▒░░░░░░░░░░░░  0.300 + 0.0600 + 0.240',
    '',
  ]);
});

test('a long name stands above its bar, and is not cut', () => {
  const name = 'HTTP (node:http, TLS, client node)';
  const text = anatomyText([record('TCP', [0.04, 0, 0.02]), record(name, [0.3, 0.06, 0.24])]);
  assert.deepEqual(text.split('\n').slice(2, 5), [
    '  TCP (anatomy)  ██░                             0.0400 + 0 + 0.0200',
    '  HTTP (node:http, TLS, client node) (anatomy)',
    '                 ███████████████▒▒▒░░░░░░░░░░░░  0.300 + 0.0600 + 0.240',
  ]);
});

test('between hosts it says how far the clocks may be apart, and a part below zero has no length', () => {
  const [, , line] = anatomyText([record('TCP', [-0.01, 0.01, 0.1], 0.05)]).split('\n');
  assert.match(line, /^ {2}TCP \(anatomy\) {2}▒+░+ +-0\.0100 \+ 0\.0100 \+ 0\.100 \(clocks: ± 0\.0500\)$/);
});

test('without --anatomy there is no text', () => {
  assert.equal(anatomyText([completedRecord(), completedRecord({outcome: 'failed'})]), '');
});

/** @param {readonly number[]} parts */
const way = ([before, broker, after]) => ({before: part(before), broker: part(broker), after: part(after)});

test('what a broker takes stands in the bar and below it', () => {
  const hops = {request: way([0.06, 0.2, 0.04]), reply: way([0.04, 0.1, 0.06])};
  const text = anatomyText([record('RabbitMQ', [0.3, 0.1, 0.2], 0, {hops})]);
  assert.deepEqual(text.split('\n'), [
    "What the mean consists of, in ms: █ to the server's handler, ▒ in it, ░ back, ╳ in the broker",
    '1 KB:',
    '  RabbitMQ (anatomy)  ███╳╳╳╳╳╳╳╳╳╳██▒▒▒▒▒░░╳╳╳╳╳░░░  0.300 + 0.100 + 0.200',
    '                                                      in the broker: 0.200 + 0.100',
    '',
  ]);
});

test('it says once why it is not known what the broker takes', () => {
  const noHops = 'tcpdump is not installed';
  const cells = ['one', 'two'].map((name) => record(name, [0.3, 0.1, 0.2], 0, {noHops}));
  const text = anatomyText(cells);
  assert.equal(text.split('What the broker takes is not shown: tcpdump is not installed.').length, 2);
});
