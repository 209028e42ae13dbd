import {mkdir, readFile, rm, symlink, utimes, writeFile} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {attackAll, battle, end, expect, expectBattle, interrupt, long} from './attacks.js';

/**
 * @import {Attack} from './attacks.js'
 * @import {Part} from './part.js'
 */

/**
 * Files that are full, locked, linked, frozen or removed.
 * @type {Part}
 */
export const files = {
  name: 'files',
  summary: 'full disks, locks, links, markdown that freezes, journals that are removed or merged',
  run: (torture) => attackAll(attacks, torture),
};

/** @type {readonly Attack[]} */
const attacks = [
  {
    name: 'output that cannot be written',
    async run(workplace, random) {
      const words = [
        [...battle, '--rounds', '1', '--json'],
        ['--help'],
        ['table', '--published'],
        ['doctor', '--csv'],
      ][random(4)];
      const wrapper = ['bash', '-c', 'exec "$@" >/dev/full', 'bash'];
      const {code, stderr} = await end(workplace.start('battle', words, {}, {wrapper}));
      expect(code === 1 && /Cannot write standard output: the disk is full/.test(stderr), {code, stderr});
    },
  },
  {
    name: 'locks that nobody holds',
    async run(workplace, random) {
      const lock = workplace.file(random(2) === 0 ? 'results.md.lock' : 'results.ndjson.lock');
      if (random(2) === 0) await mkdir(lock);
      else await writeFile(lock, JSON.stringify({hostname: 'x', pid: 4_000_000, startTime: '1'}));
      await utimes(lock, Date.now() / 1000 + random(7200) - 3600, Date.now() / 1000 + random(7200) - 3600);
      await expectBattle(workplace);
    },
  },
  {
    name: 'a journal that is removed or emptied while it is written',
    async run(workplace, random) {
      const program = workplace.start('battle', [...long, '--budget', '20s']);
      await workplace.untilFirstTrial(program);
      await sleep(random(1000));
      if (random(2) === 0) await rm(workplace.file('results.ndjson'));
      else await writeFile(workplace.file('results.ndjson'), '');
      await program.says(/was removed or replaced/);
      program.child.kill('SIGKILL');
      await program.ended;
      await workplace.leftoversWithin(8000);
      const {code, stderr: said} = await end(
        workplace.start('battle', ['--resume', '--quiet', '--budget', '1s']),
      );
      expect(code === 0, said);
    },
  },
  {
    name: 'journals that were merged',
    isSlow: true,
    async run(workplace, random) {
      await interrupt(workplace, 500 + random(1500));
      const text = await readFile(workplace.file('results.ndjson'), 'utf8').catch(() => '');
      if (!text.includes('"trial"')) return;
      await writeFile(
        workplace.file('results.ndjson'),
        `\uFEFF${text}\uFEFF${text.slice(0, random(text.length))}\n${text}`,
      );
      const {code, stderr} = await end(workplace.start('battle', ['--resume', '--quiet', '--budget', '1s']));
      expect(code === 0 && /more than once/.test(stderr), {code, stderr});
      const [cell] = await workplace.cells();
      const rounds = cell.outcome === 'completed' ? cell.trials.map(({round}) => round) : [0, 0];
      expect(new Set(rounds).size === rounds.length, rounds);
    },
  },
  {
    name: 'markdown that freezes',
    async run(workplace, random) {
      const part = ['>', '*a_ ', '- ', '1. ', '[', '![', '`a ', '<a ', '|*a_'][random(9)];
      await writeFile(workplace.file('results.md'), `# Notes\n\n${part.repeat(3000 + random(20_000))}a\n`);
      const {code, stderr} = await end(workplace.start('battle', [...battle, '--rounds', '1']));
      expect(code === 0 || (code === 1 && /takes too long .* line \d+/.test(stderr)), {part, code, stderr});
    },
  },
  {
    name: 'links that make two files one',
    async run(workplace, random) {
      const [from, to] = [
        ['results.md', 'results.ndjson'],
        ['results.ndjson', 'results.md'],
        ['results.prom', 'results.ndjson'],
        ['results.prom', 'results.md'],
      ][random(4)];
      await symlink(to, workplace.file(from));
      const {code, stderr} = await end(
        workplace.start('battle', [...battle, '--rounds', '1', '--export', 'prometheus']),
      );
      expect(code === 2 && /are the same file/.test(stderr), {code, stderr});
    },
  },
];
