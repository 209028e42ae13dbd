import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {refusePackages} from '../../src/sides/refuse-packages.js';

/** @import {Side} from '../../src/settings/types.js' */

const own = {name: 'websocket', libraries: ['ws']};
const module = {specifier: './mine', url: 'file:///mine/index.js', package: null, version: null};
const guest = {name: 'mine', libraries: ['ws', 'lib'], module};

/** @param {Record<string, string>} packages @returns {Pick<Side, 'name' | 'program'>[]} */
const sides = (packages) => [
  {name: 'a', program: {given: []}},
  {name: 'b', program: {given: [], packages}},
];

describe('a package of a side', () => {
  it('may be one that a transport of the battle uses, or Node.js', () => {
    refusePackages(sides({ws: '8.18', node: '22'}), [own]);
  });

  it('is refused if no transport of the battle uses it', () => {
    assert.throws(() => refusePackages(sides({lib: '2'}), [own]), {
      code: 'PB_USAGE',
      message: '--b has lib, which is not used by websocket. Name a --transport that uses it.',
    });
  });

  it('is refused if a transport of the user loads its own copy', () => {
    for (const packages of [{lib: '2'}, {ws: '8.18'}])
      assert.throws(() => refusePackages(sides(packages), [own, guest]), {
        code: 'PB_USAGE',
        message: /^--b has \w+, and the transport "mine" loads its own copy\. .* compare previous latest\.$/,
      });
  });
});
