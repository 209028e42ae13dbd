import assert from 'node:assert/strict';
import {test} from 'node:test';
import {option} from '../../src/options/option.js';
import {integer, oneOf, onOff} from '../../src/options/types.js';
import {meaningOf} from '../../src/settings/owners.js';

const common = {help: 'What it is for.', group: 'Any'};

/** @type {[string, Parameters<typeof meaningOf>[0], string][]} */
const meanings = [
  ['a number', option('count', {type: integer({minimum: 1, maximum: 2}), ...common}), 'What it is for.'],
  ['a switch', option('fast', {type: onOff, ...common}), 'What it is for.'],
  [
    'a word',
    option('colour', {type: oneOf(['red', 'blue']), ...common}),
    'What it is for. One of: red, blue.',
  ],
  [
    'several words',
    option('colours', {type: oneOf(['red', 'blue']), list: true, ...common}),
    'What it is for. Any of: red, blue.',
  ],
  [
    'on or off as a list',
    option('each', {type: onOff, list: true, ...common}),
    'What it is for. Any of: on, off.',
  ],
];

for (const [what, declared, meaning] of meanings) {
  test(`the meaning of an option that takes ${what} is: ${meaning}`, () =>
    assert.equal(meaningOf(declared), meaning));
}
