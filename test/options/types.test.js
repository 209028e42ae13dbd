import assert from 'node:assert/strict';
import {test} from 'node:test';
import {
  bytes,
  custom,
  duration,
  integer,
  listOf,
  oneOf,
  onOff,
  share,
  text,
} from '../../src/options/types.js';

/** @import {OptionType} from '../../src/options/contract.js' */

const types = {
  integer: integer({minimum: 1, maximum: 10}),
  bytes: bytes({minimum: 1, maximum: 1024 ** 2}),
  duration: duration({minimumMs: 10, maximumMs: 60_000}),
  zeroOrMore: duration({minimumMs: 0, maximumMs: 1000}),
  share: share({minimum: 0.001, maximum: 0.5}),
  onOff,
  oneOf: oneOf(['auto', 'manual']),
  text: text('a name'),
  list: listOf(bytes({minimum: 1, maximum: 1024 ** 2})),
  throwing: custom('never', () => {
    throw new Error('no');
  }),
};

/** @type {[keyof typeof types, string, unknown][]} */
const understood = [
  ['integer', '7', 7],
  ['integer', '10', 10],
  ['bytes', '1024', 1024],
  ['bytes', '1kb', 1024],
  ['bytes', '100KB', 102_400],
  ['bytes', '10 KB', 10_240],
  ['bytes', '1mb', 1024 ** 2],
  ['bytes', '0.5kb', 512],
  ['duration', '500ms', 500],
  ['duration', '1.5s', 1500],
  ['zeroOrMore', '0', 0],
  ['duration', '1m', 60_000],
  ['share', '2%', 0.02],
  ['share', '0.02', 0.02],
  ['onOff', 'on', true],
  ['onOff', 'YES', true],
  ['onOff', '0', false],
  ['oneOf', 'Manual', 'manual'],
  ['text', 'queue', 'queue'],
  ['list', '1kb, 100kb,1kb', [1024, 102_400]],
];

for (const [name, given, expected] of understood) {
  test(`a value of type ${name} is read from ${JSON.stringify(given)}`, () => {
    assert.deepEqual(types[name].parse(given), expected);
  });
}

/** @type {[keyof typeof types, string][]} */
const refused = [
  ['integer', 'abc'],
  ['integer', '0'],
  ['integer', '11'],
  ['integer', '1.5'],
  ['integer', '1e1'],
  ['integer', '0x5'],
  ['integer', ''],
  ['bytes', '64q'],
  ['bytes', '0'],
  ['bytes', '-1kb'],
  ['bytes', '1.0001kb'],
  ['bytes', '2mb'],
  ['bytes', 'constructor'],
  ['duration', '5h'],
  ['duration', '5q'],
  ['duration', '0'],
  ['duration', 'constructor'],
  ['duration', '9ms'],
  ['duration', '61s'],
  ['share', '60%'],
  ['share', 'two'],
  ['onOff', 'maybe'],
  ['oneOf', 'none'],
  ['text', ''],
  ['text', 'a\nb'],
  ['list', '1kb,,2kb'],
  ['list', '1kb,64q'],
  ['throwing', 'x'],
];

for (const [name, given] of refused) {
  test(`a value of type ${name} is not read from ${JSON.stringify(given)}`, () => {
    assert.equal(types[name].parse(given), undefined);
  });
}

test('a formatted value reads back as itself', () => {
  for (const [name, given] of understood) {
    const type = /** @type {OptionType<any>} */ (types[name]);
    const value = type.parse(given);
    assert.deepEqual(type.parse(type.format(value)), value, `${name} ${given}`);
  }
});

for (const text of ['10', '0.5', '1000']) {
  test(`a time without a unit is refused with the reason: ${text}`, () => {
    const message = `A time needs a unit: ${text}ms or ${text}s, for example.`;
    assert.throws(() => types.duration.parse(text), {code: 'PB_USAGE', message});
  });
}

test('a type says its choices where it has only a few', () => {
  assert.deepEqual(types.oneOf.choices, ['auto', 'manual']);
  assert.deepEqual(types.onOff.choices, ['on', 'off']);
  assert.equal(types.integer.choices, undefined);
});
