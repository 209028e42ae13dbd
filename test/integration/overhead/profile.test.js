import assert from 'node:assert/strict';
import {readdir, readFile, writeFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

const short = ['--transport', 'websocket', '--payload', '1kb', '--rounds', '1', '--duration', '300ms'];

describe('a battle with --profile', {timeout: 600_000}, () => {
  it(
    'keeps where each role spent its CPU time, and its rows say so',
    inAWorkplace(async (workplace) => {
      const flags = [
        ...short,
        '--warmup',
        '20',
        '--profile',
        'on,off',
        '--clients',
        '2',
        '--json',
        '--quiet',
      ];
      const {code, stdout, stderr} = await workplace.battle(flags);
      assert.equal(code, 0, stderr);
      const {battle, cells} = JSON.parse(stdout);
      const profiled = cells.filter((/** @type {any} */ {variant}) => variant.profile);
      assert.deepEqual(
        profiled.map((/** @type {any} */ {labels}) => labels.settings.includes('profiled')),
        [true, true],
      );
      const numbers = profiled.map((/** @type {any} */ {id}) => id.split('-').at(-1));
      const folder = `profiles/${battle.id}`;
      const roles = ['client-1', 'client-2', 'server'];
      assert.deepEqual(
        (await readdir(workplace.file(folder))).toSorted(),
        numbers
          .flatMap((/** @type {string} */ number) =>
            roles.map((role) => `cell-${number}-round-1-${role}.cpuprofile`),
          )
          .toSorted(),
      );
      const websocket = profiled.find((/** @type {any} */ {transport}) => transport === 'websocket');
      const name = `${folder}/cell-${websocket.id.split('-').at(-1)}-round-1-server.cpuprofile`;
      const profile = JSON.parse(await readFile(workplace.file(name), 'utf8'));
      const urls = profile.nodes.map((/** @type {any} */ {callFrame}) => callFrame.url);
      assert.ok(
        urls.some((/** @type {string} */ url) => url.includes('/node_modules/ws/')),
        'the library is in it',
      );
      // The measured part and little more.
      const ms = (profile.endTime - profile.startTime) / 1000;
      assert.ok(ms >= 300 && ms < 5000, `${ms} ms`);
    }),
  );

  it(
    'fails where it cannot write a profile, and says why',
    inAWorkplace(async (workplace) => {
      await writeFile(workplace.file('profiles'), '');
      const {code, stderr} = await workplace.battle([...short, '--warmup', '20', '--profile', '--quiet']);
      assert.equal(code, 1);
      assert.match(stderr, /^Failed: Web Sockets \(profiled\), 1kb: .*profiles/m);
    }),
  );
});
