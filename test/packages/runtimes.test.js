import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {commandOf, parseRuntimes, runtimeOf, runtimesLabel} from '../../src/packages/runtimes.js';

describe('--runtime', () => {
  for (const [text, parsed, client, server, label] of [
    ['node', 'node', 'node', 'node', null],
    ['Bun', 'bun', 'bun', 'bun', 'Bun'],
    ['node@24.1', 'node@24.1', 'node@24.1', 'node@24.1', 'Node 24.1'],
    ['deno@~2.5', 'deno@~2.5', 'deno@~2.5', 'deno@~2.5', 'Deno ~2.5'],
    ['bun/node', 'bun/node', 'bun', 'node', 'Bun client, Node server'],
    ['deno/deno', 'deno', 'deno', 'deno', 'Deno'],
  ])
    it(`takes ${text}`, () => {
      const runtimes = parseRuntimes(String(text));
      assert.equal(runtimes, parsed);
      assert.equal(runtimeOf(String(runtimes), 'client'), client);
      assert.equal(runtimeOf(String(runtimes), 'server'), server);
      assert.equal(runtimesLabel(runtimes), label);
    });

  it('takes nothing else', () => {
    for (const text of [
      '',
      'demo',
      'node@',
      'bun/',
      '/bun',
      'bun/node/deno',
      'node 24',
      'bun@1;ls',
      'node@../x',
    ])
      assert.equal(parseRuntimes(text), undefined, text);
  });

  it('gives V8 its flags where there is V8', () => {
    const flags = ['--one=1', '--two'];
    assert.deepEqual(commandOf(null, flags), [process.execPath, ...flags]);
    assert.deepEqual(commandOf({name: 'node', file: '/n'}, flags), ['/n', ...flags]);
    assert.deepEqual(commandOf({name: 'bun', file: '/b'}, flags), ['/b']);
    const deno = commandOf({name: 'deno', file: '/d'}, flags);
    assert.deepEqual([deno[0], deno[1], deno.at(-1)], ['/d', 'run', '--v8-flags=--one=1,--two']);
    assert.ok(!commandOf({name: 'deno', file: '/d'}, []).some((word) => word.startsWith('--v8-flags')));
  });
});
