import assert from 'node:assert/strict';
import {test} from 'node:test';
import {transportGroups} from '../../src/transports/groups.js';
import {isOfWholeGroup, transportsOfGroup} from '../../src/transports/index.js';

/** @import {Transport} from '../../src/transports/transport.js' */

/** A transport that is not part of perf-battle. @param {Partial<Transport>} [fields] */
function guest(fields) {
  const module = {specifier: './mine', url: import.meta.url, package: null, version: null};
  const least = {name: 'mine', label: 'Mine', options: [], capabilities: [], broker: null, libraries: []};
  return /** @type {Transport} */ ({...least, isOptIn: true, module, ...fields});
}

for (const [what, fields, expected] of /** @type {[string, Partial<Transport>, string[]][]} */ ([
  ['nothing', {}, ['all']],
  ['a broker', {broker: 'mine'}, ['all', 'brokers']],
  ['one host', {needsOneHost: true}, ['all', 'local']],
  ['groups', {groups: ['http-family', 'default']}, ['all', 'default', 'http-family']],
  ['an option that adds it', {impliedBy: 'mine-url', groups: ['local']}, []],
]))
  test(`a transport that is brought is in the groups that it declares, and in those of its fields: ${what}`, () => {
    const one = guest(fields);
    const groups = transportGroups.filter((group) =>
      transportsOfGroup(group, [one])?.some((name) => String(name) === 'mine'),
    );
    assert.deepEqual(groups, expected);
  });

test('a group is named in any case, and begins with the transports of perf-battle', () => {
  const alone = transportsOfGroup('LOCAL', []);
  assert.deepEqual(transportsOfGroup('Local', [guest({needsOneHost: true})]), [...(alone ?? []), 'mine']);
  assert.equal(transportsOfGroup('nosuch', []), null);
});

test('a transport was named as part of a group if all of the group were', () => {
  const members = /** @type {readonly string[]} */ (transportsOfGroup('local', []));
  const [first] = members;
  assert.equal(isOfWholeGroup(first, members), true);
  assert.equal(isOfWholeGroup(first, members.slice(0, -1)), false);
});
