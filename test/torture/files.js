import {mkdir, readFile, rm, symlink, utimes, writeFile} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import fc from 'fast-check';
import {Workplace} from '../integration/support/workplace.js';

/**
 * @import {Ended, Program} from '../integration/support/program.js'
 * @import {Outcome, Part, Torture} from './part.js'
 *
 * @typedef {object} Attack
 * @property {string} name
 * @property {boolean} [isSlow] only in the long form
 * @property {(workplace: Workplace, random: (max: number) => number) => Promise<void>} run throws what must not happen
 */

const battle = ['--transport', 'tcp', '--payload', '1kb', '--samples', '20', '--warmup', '20', '--quiet'];
const long = [
  '--transport',
  'tcp',
  '--payload',
  '1kb',
  '--rounds',
  '40',
  '--duration',
  '100ms',
  '--warmup',
  '20',
  '--quiet',
];

/** Whatever is done to a file, a battle or a table has ended by then. */
const endsWithinMs = 60_000;

/**
 * Files that are full, locked, linked, frozen, removed or written by several processes at once.
 * @type {Part}
 */
export const files = {
  name: 'files',
  summary:
    'full disks, locks, links, markdown that freezes, journals that are removed, resumed twice or merged',
  run: attackFiles,
};

/** @param {Torture} torture @returns {Promise<Outcome>} */
async function attackFiles({isLong, seed, count, log}) {
  const rounds = isLong ? (count ?? 20) : 1;
  const chosen = attacks.filter(({isSlow}) => isLong || !isSlow);
  /** @type {Record<string, number>} */
  const counts = {};
  /** @type {string[]} */
  const failures = [];
  const waiting = Array.from({length: rounds}, (_, round) => chosen.map((attack) => ({attack, round})))
    .flat()
    .values();
  const worker = async () => {
    for (const {attack, round} of waiting) {
      const mistake = await attempt(attack, seed + round);
      counts[attack.name] = (counts[attack.name] ?? 0) + 1;
      if (mistake === null) continue;
      failures.push(`${attack.name} (round ${round}): ${mistake}`);
      log(failures[failures.length - 1]);
    }
  };
  await Promise.all([worker(), worker()]);
  return {counts, failures};
}

/** @param {Attack} attack @param {number} seed @returns {Promise<string | null>} what was wrong */
async function attempt({run}, seed) {
  const workplace = await Workplace.make();
  const numbers = fc.sample(fc.nat(), {seed, numRuns: 100}).values();
  try {
    await run(workplace, (max) => Number(numbers.next().value) % max);
    const left = await workplace.leftoversWithin(8000);
    return left.length === 0 ? null : `it left ${left}`;
  } catch (error) {
    return /** @type {Error} */ (error).message.slice(0, 500);
  } finally {
    await workplace.clear();
  }
}

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

/** @param {Program} program @returns {Promise<Ended>} */
async function end(program) {
  const ended = await Promise.race([program.ended, sleep(endsWithinMs, null, {ref: false})]);
  if (ended === null) throw new Error(`It did not end: ${program.output()}`);
  return ended;
}

/** @param {unknown} holds @param {unknown} otherwise */
function expect(holds, otherwise) {
  if (!holds) throw new Error(JSON.stringify(otherwise));
}

/** @param {Workplace} workplace */
async function expectBattle(workplace) {
  const {code, stderr} = await end(workplace.start('battle', [...battle, '--rounds', '1']));
  expect(code === 0, {code, stderr});
}

/** @param {Workplace} workplace @param {number} afterMs */
async function interrupt(workplace, afterMs) {
  const program = workplace.start('battle', long);
  await sleep(afterMs);
  program.child.kill('SIGKILL');
  await program.ended;
  await workplace.leftoversWithin(8000);
}
