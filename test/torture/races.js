import {readFile, writeFile} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {copyingNpm, sidesIn, withNpm} from '../integration/support/fake-npm.js';
import {attackAll, battle, end, expect, expectBattle, interrupt} from './attacks.js';

/**
 * @import {Workplace} from '../integration/support/workplace.js'
 * @import {Attack} from './attacks.js'
 * @import {Part} from './part.js'
 */

const locking = new URL('../../src/files/file-lock.js', import.meta.url).href;
/** Holds the lock of a file until it is killed. */
const holder = `import {withFileLock} from ${JSON.stringify(locking)};
await withFileLock(process.argv[2], {waitMs: 60_000}, async () => {
  console.log('held');
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});`;

/**
 * Several processes at once on the files of one folder.
 * @type {Part}
 */
export const races = {
  name: 'races',
  summary:
    'battles, tables, comparisons and --resume at once in one folder: is a trial, record or row lost or doubled?',
  run: (torture) => attackAll(attacks, torture),
};

/** @type {readonly Attack[]} */
const attacks = [
  {
    name: 'several battles into one journal, one of which is killed',
    async run(workplace, random) {
      const running = [1, 2, 3].map(() => workplace.start('battle', [...battle, '--rounds', '2']));
      await sleep(300 + random(1500));
      running[0].child.kill('SIGKILL');
      const [, ...others] = await Promise.all(running.map(end));
      for (const {code, stderr} of others) expect(code === 0, {code, stderr});
      await expectBattle(workplace);
      await workplace.journal();
      expect(
        new Set((await workplace.rows()).map((row) => row.split('|')[1].trim())).size >= 3,
        'ids of rows',
      );
    },
  },
  {
    name: 'a battle that several processes resume at once',
    async run(workplace, random) {
      await interrupt(workplace, 100 + random(1500));
      const before = (await readFile(workplace.file('results.ndjson'), 'utf8').catch(() => '')).includes(
        '"battle"',
      );
      const ended = await Promise.all(
        [1, 2, 3].map(() => end(workplace.start('battle', ['--resume', '--quiet', '--budget', '1s']))),
      );
      const codes = ended.map(({code}) => code).sort();
      expect(String(codes) === (before ? '0,2,2' : '2,2,2'), codes);
      const trials = before ? (await workplace.journal()).filter(({kind}) => kind === 'trial') : [];
      expect(
        new Set(trials.map(({cell, round}) => `${cell} ${round}`)).size === trials.length,
        'a trial twice',
      );
    },
  },
  {
    name: 'tables that are written into the file of battles',
    isSlow: true,
    async run(workplace, random) {
      await expectBattle(workplace);
      await writeFile(
        workplace.file('README.md'),
        'Before.\n<!-- perf-battle:begin -->\n<!-- perf-battle:end -->\nAfter.\n',
      );
      const table = ['table', '--into', 'README.md'];
      const running = [1, 2].map(() => workplace.start('battle', [...battle, '--rounds', '2']));
      for (let count = 0; count < 3; count += 1) {
        await sleep(random(400));
        running.push(workplace.start('battle', table));
      }
      await expectSuccess(running);
      await expectSuccess([workplace.start('battle', table)]);
      await expectAllOf(workplace, 3);
      const text = await readFile(workplace.file('README.md'), 'utf8');
      expect(/^Before\.\n<!-- .*begin -->\n[\s\S]*\| TCP [\s\S]*<!-- .*end -->\nAfter\.\n$/.test(text), text);
      expect(text.match(/^\| TCP /gm)?.length === 1, text);
    },
  },
  {
    name: 'comparisons with one cache',
    isSlow: true,
    async run(workplace, random) {
      const environment = await withNpm(workplace, `sleep 0.${random(10)}; ${copyingNpm}`);
      const words = [
        ...['ab', '--transport', 'websocket', '--b', 'ws@8.18.0', '--rounds', '1'],
        ...['--payload', '1kb', '--samples', '20', '--warmup', '20', '--quiet'],
      ];
      const running = [];
      for (let count = 0; count < 2; count += 1) {
        running.push(workplace.start('battle', words, environment));
        await sleep(random(600));
      }
      await expectSuccess(running);
      const cells = await workplace.cells();
      const ids = new Set(cells.map(({id}) => id));
      expect(cells.every(({outcome}) => outcome === 'completed') && ids.size === 8 && cells.length === 8, [
        ...ids,
      ]);
      const sides = await sidesIn(workplace);
      expect(sides.filter((name) => !/\.lock$/.test(name)).length === 1, sides);
    },
  },
  {
    name: 'battles that wait for a lock whose holder is killed',
    async run(workplace, random) {
      const script = workplace.file('holder.mjs');
      await writeFile(script, holder);
      const name = ['results.ndjson', 'results.md'][random(2)];
      const holding = workplace.start(script, [workplace.file(name)]);
      await holding.says(/held/);
      const running = [1, 2, 3].map(() => workplace.start('battle', [...battle, '--rounds', '1']));
      await sleep(random(3000));
      holding.child.kill('SIGKILL');
      await expectSuccess(running);
      await expectAllOf(workplace, 3);
    },
  },
];

/** @param {ReturnType<Workplace['start']>[]} running */
async function expectSuccess(running) {
  for (const {code, stderr} of await Promise.all(running.map(end))) expect(code === 0, {code, stderr});
}

/** Each battle has one trial of each round, one record and one row. @param {Workplace} workplace @param {number} battles */
async function expectAllOf(workplace, battles) {
  const journal = await workplace.journal();
  const of = (/** @type {string} */ wanted) => journal.filter(({kind}) => kind === wanted);
  const trials = of('trial').map(({battleId, cell, round}) => `${battleId} ${cell} ${round}`);
  expect(new Set(trials).size === trials.length, {trials});
  const records = of('cell').map(({id}) => id);
  expect(records.length === battles && new Set(records).size === battles, {records});
  const rows = (await workplace.rows()).map((row) => row.split('|')[1].trim());
  expect(rows.length === battles && new Set(rows).size === battles, {rows});
}
