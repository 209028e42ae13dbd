import assert from 'node:assert/strict';
import {test} from 'node:test';
import {option} from '../../src/options/option.js';
import {flagText, placeholderOf} from '../../src/options/show-option.js';
import {custom, duration, file, integer, oneOf, onOff, text} from '../../src/options/types.js';
import {allOptions} from '../../src/settings/index.js';

const rest = {help: 'Help.', group: 'Group'};

for (const [declaration, expected] of /** @type {const} */ ([
  [{type: onOff}, '--name'],
  [{type: onOff, list: true}, '--name on|off,…'],
  [{type: integer({minimum: 0, maximum: 1}), short: 'n'}, '-n, --name N'],
  [{type: duration({minimumMs: 0, maximumMs: 1}), list: true}, '--name TIME,…'],
  [{type: file('a file', {maxBytes: 1})}, '--name FILE'],
  [{type: text('a token'), placeholder: 'TOKEN'}, '--name TOKEN'],
  [{type: oneOf(['one', 'two'])}, '--name one|two'],
  [{type: oneOf(['a-long-one', 'another-long-one'])}, '--name NAME'],
  [{type: custom('anything', String)}, '--name VALUE'],
  [{type: {...custom('pairs', String), placeholder: 'PAIR', separator: ';'}, list: true}, '--name PAIR;…'],
]))
  test(`a flag is shown as ${expected}`, () => {
    assert.equal(flagText(option('name', /** @type {any} */ ({...rest, ...declaration}))), expected);
  });

test('each option of perf-battle names its value', () => {
  const vague = allOptions.filter((one) => placeholderOf(one).startsWith('VALUE'));
  assert.deepEqual(
    vague.map(({name}) => name),
    [],
  );
});

test('a brief text of an option fits beside its flag', () => {
  const long = allOptions.filter(({brief}) => (brief?.length ?? 0) > 48);
  assert.deepEqual(
    long.map(({name, brief}) => [name, brief]),
    [],
  );
});
