import assert from 'node:assert/strict';
import {dirname} from 'node:path';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {readSides} from '../../src/sides/read-sides.js';

const root = dirname(fileURLToPath(new URL('../../package.json', import.meta.url)));

describe('a side', () => {
  it('has settings, and what runs its roles', () => {
    const [a, again, b] = readSides({
      a: `--rabbitmq-confirms on --rabbitmq-prefetch=7 node=${process.execPath}`,
      b: 'ws@8.18 node@22 @nats-io/transport-node@~3.3.0',
    });
    assert.deepEqual(a.values, {confirms: [true], prefetch: [7]});
    assert.deepEqual(a.program, {given: [`node=${process.execPath}`], node: process.execPath});
    assert.deepEqual({...again, name: 'a'}, a);
    assert.deepEqual([a.name, again.name, b.name], ['a', 'a again', 'b']);
    assert.deepEqual(b.values, {});
    assert.deepEqual(b.program, {
      given: ['ws@8.18', 'node@22', '@nats-io/transport-node@~3.3.0'],
      packages: {ws: '8.18', node: '22', '@nats-io/transport-node': '~3.3.0'},
    });
  });

  it('may have a version of a broker', () => {
    const [a, , b] = readSides({a: 'broker=rabbitmq@installed', b: 'broker=rabbitmq@4 node@22'});
    assert.deepEqual([a.values, b.values], [{rabbitmqHome: ['installed']}, {rabbitmqHome: ['4']}]);
    assert.deepEqual(b.program.given, ['node@22']);
    // Otherwise a service of this host would be compared with a private broker.
    const [bare] = readSides({a: '--rabbitmq-confirms on', b: 'broker=rabbitmq@4'});
    assert.deepEqual(bare.values, {confirms: [true], rabbitmqHome: ['installed']});
    assert.deepEqual(readSides({a: null, b: '--rabbitmq-confirms on'})[0].values, {});
    for (const [side, message] of /** @type {[string, RegExp][]} */ ([
      ['broker=nats@2', /--b has "broker=nats@2"\. The version of a broker is broker=rabbitmq@VERSION\.$/],
      ['broker=rabbitmq', /The version of a broker is/],
      ['broker=rabbitmq@new', /The version of a broker is/],
      ['broker=rabbitmq@4 broker=rabbitmq@3', /A side has one of each kind/],
      ['broker=rabbitmq@4 --rabbitmq-home installed', /names a broker twice/],
    ]))
      assert.throws(() => readSides({a: null, b: side}), message);
  });

  it('may have nothing of its own, and the scripts of another folder', () => {
    const [a, , b] = readSides({a: null, b: `folder=${root}`});
    assert.deepEqual([a.values, a.program], [{}, {given: []}]);
    assert.deepEqual(b.program, {given: [`folder=${root}`], folder: root});
  });

  it('may have the scripts of a commit', () => {
    const [a] = readSides({a: 'git=HEAD~1 only=client', b: ''});
    assert.deepEqual(a.program, {given: ['git=HEAD~1', 'only=client'], ref: 'HEAD~1', only: 'client'});
  });

  it('may have another folder of programs, or a commit of it', () => {
    const [a, , b] = readSides({a: 'programs-git=v1 only=server', b: `programs=${root}`});
    assert.deepEqual(a.program, {
      given: ['programs-git=v1', 'only=server'],
      ...{programsRef: 'v1', only: 'server'},
    });
    assert.deepEqual(b.program, {given: [`programs=${root}`], programsIn: root});
  });

  it('may have a program for one role alone', () => {
    const [, , b] = readSides({a: null, b: `only=server node=${process.execPath}`});
    assert.deepEqual(b.program, {
      ...{given: ['only=server', `node=${process.execPath}`], only: 'server'},
      node: process.execPath,
    });
  });

  for (const {b, a = null, message} of [
    {b: null, message: /^ab needs --b/},
    {b: '--duration 3s', message: /--b has --duration, which both sides share/},
    {b: '--transport http', message: /--b has --transport, which both sides share/},
    {b: '--http-server node,express', message: /--b has several values of --http-server/},
    {b: '--nosuch 1', message: /--nosuch is not an option/},
    {a: 'something', b: '', message: /--a has "something", which is neither a setting/},
    {b: 'left-pad@1', message: /--b has left-pad, which no transport uses.*: .*ws/},
    {
      b: 'folder=/nowhere',
      message: /--b has "folder=\/nowhere", and \/nowhere\/src does not exist/,
    },
    {b: 'node=/nowhere', message: /\/nowhere does not exist/},
    {b: 'only=server', message: /--b has only=server, and no program, folder, commit or package for it/},
    {b: `only=both node=${process.execPath}`, message: /"only=both", which is neither/},
    {b: `node=${process.execPath} node@22`, message: /two programs of Node\.js/},
    {b: `folder=${root} ws@8`, message: /folder=.*has its own packages, so ws is not replaced/},
    {
      b: 'ws@8.18 only=client ws@8.23 only=server',
      message: /--b has "ws@8.18" and "ws@8.23"\. A side has one of each/,
    },
    {b: `only=client only=server node=${process.execPath}`, message: /"only=client" and "only=server"/},
    {b: 'git=v1 git=v2', message: /"git=v1" and "git=v2"/},
    {b: 'git=v1 ws@8', message: /--b has "git=v1", which has its own packages, so ws is not replaced/},
    {b: 'programs=/nowhere', message: /\/nowhere does not exist/},
    {b: `programs=${process.execPath}`, message: /is not a folder/},
    {b: `programs=${root} programs-git=v1`, message: /--b has two folders of programs/},
    {b: `folder=${root} git=v1`, message: /--b has two folders of scripts: "folder=.*" and "git=v1"/},
  ])
    it(`is refused: ${a ?? ''} ${b ?? 'none'}`, () => {
      assert.throws(() => readSides({a, b}), {code: 'PB_USAGE', message});
    });
});
