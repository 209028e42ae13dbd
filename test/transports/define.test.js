import assert from 'node:assert/strict';
import {test} from 'node:test';
import {option} from '../../src/options/option.js';
import {oneOf} from '../../src/options/types.js';
import {defineTransport, mistakeInTransport} from '../../src/transports/define.js';
import {transports} from '../../src/transports/index.js';

const halves = {client: async () => ({}), server: async () => ({})};
const least = {apiVersion: 1, name: 'mine', label: 'Mine', capabilities: ['request'], ...halves};

test('a declaration gets what it leaves out', () => {
  const {broker, options, libraries} = defineTransport(/** @type {any} */ (least));
  assert.deepEqual({broker, options, libraries}, {broker: null, options: [], libraries: []});
});

for (const [field, value, said] of /** @type {const} */ ([
  ['apiVersion', 2, /^apiVersion must be 1, .*; it is 2\.$/],
  ['name', 'My own', /^name must be .*; it is "My own"\.$/],
  ['name', undefined, /^name must be .*; it is missing\.$/],
  ['label', 'a|b', /^label must be /],
  ['capabilities', [], /^capabilities must be a list of request, send, store, broadcast; it is \[\]\.$/],
  ['capabilities', ['fly'], /^capabilities must be /],
  ['client', './client.js', /^client must be a function .*; it is "\.\/client\.js"\.$/],
  ['server', undefined, /^server must be a function .*; it is missing\.$/],
  ['options', [{name: 'x'}], /^options must be /],
  ['libraries', 'ws', /^libraries must be /],
  ['broker', 5, /^broker must be /],
  ['groups', ['http-famly'], /^groups must be a list of all, default, .*; it is \["http-famly"\]\.$/],
  ['brokers', 3, /^brokers must be a list of the names of kinds of brokers; it is 3\.$/],
  ['refuse', 'x', /^refuse must be a function; it is "x"\.$/],
  ['details', {}, /^details must be a function; it is \{\}\.$/],
  ['mayBeatFloor', 'yes', /^mayBeatFloor must be true or false; it is "yes"\.$/],
  ['maxServers', 0, /^maxServers must be a number of servers, or a function that returns it; it is 0\.$/],
  ['mayBeatFlor', true, /^there is no field "mayBeatFlor"\. Did you mean mayBeatFloor\?$/],
  ['zzz', true, /^there is no field "zzz"\.$/],
])) {
  test(`${field} ${JSON.stringify(value)} is refused by name`, () => {
    assert.match(String(mistakeInTransport({...least, [field]: value})), said);
    assert.throws(() => defineTransport(/** @type {any} */ ({...least, [field]: value})), {code: 'PB_USAGE'});
  });
}

test('what is no object is refused', () => {
  for (const value of [null, undefined, 'mine', 5])
    assert.equal(mistakeInTransport(value), 'it is no object.');
});

test('options made by option() are allowed', () => {
  const own = option('mine-case', {type: oneOf(['a', 'b']), help: 'Help.', group: 'Mine'});
  assert.equal(mistakeInTransport({...least, options: [own]}), null);
});

test('the transports of perf-battle are declared as those of others must be', () => {
  for (const transport of transports)
    if (!transport.runsPrograms)
      assert.equal(mistakeInTransport({...transport, apiVersion: 1}), null, transport.name);
});
