import assert from 'node:assert/strict';
import {test} from 'node:test';
import {readCommandLine} from '../../src/options/command-line.js';
import {optionsOfBattle} from '../../src/settings/index.js';

/** @type {[string[], Record<string, string[]>, string[]][]} */
const lines = [
  [['--payload', '1kb,2kb'], {payload: ['1kb,2kb']}, []],
  [['--payload=1kb', '--payload', '2kb'], {payload: ['1kb', '2kb']}, []],
  [['--samples', '007'], {samples: ['007']}, []],
  [['--quick', '--seed', '5'], {quick: ['on'], seed: ['5']}, []],
  [['--quick', 'http'], {quick: ['on']}, ['http']],
  [
    ['--rabbitmq-confirms', 'off,on', '--quick', 'off'],
    {'rabbitmq-confirms': ['off,on'], quick: ['off']},
    [],
  ],
  [['--no-quick'], {quick: ['off']}, []],
  [['--quick=maybe'], {quick: ['maybe']}, []],
  [['--tcp-no-delay=off'], {'tcp-no-delay': ['off']}, []],
  [['--nosuch', '3'], {nosuch: ['3']}, []],
  [['--delivery-mode', '3'], {'delivery-mode': ['3']}, []],
  [['-t', 'http', '-p=1kb', '-p2kb'], {transport: ['http'], payload: ['1kb', '2kb']}, []],
  [['-p='], {payload: ['']}, []],
  [['-x'], {x: ['true']}, []],
  [['--', '-p'], {}, ['-p']],
  [['table', '--', '--quick'], {}, ['table', '--quick']],
];

for (const [given, flags, words] of lines) {
  test(`the command line ${JSON.stringify(given)} is split into texts`, () => {
    assert.deepEqual(readCommandLine(optionsOfBattle, given), {flags, words});
  });
}
