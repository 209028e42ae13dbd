import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {writeFile} from 'node:fs/promises';
import {hostname} from 'node:os';
import {describe, it} from 'node:test';
import {startTimeOf} from '../../../src/measure/system.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {Workplace} from '../support/workplace.js';

/** @import {Entry} from '../../../src/results/types.js' */

const short = ['--transport', 'tcp', '--payload', '1kb', '--samples', '20', '--warmup', '20'];
const dead = {hostname: hostname(), pid: 4_000_000, startTime: '1'};

/** The lines of a battle, and of its first trial. @type {Promise<Entry[]> | undefined} */
let lines;

async function linesOfBattle() {
  const workplace = await Workplace.make();
  try {
    const {code} = await workplace.battle([...short, '--rounds', '3']);
    assert.equal(code, 0);
    return (await workplace.journal()).slice(0, 2);
  } finally {
    await workplace.clear();
  }
}

/**
 * Leaves the journal of a battle that was interrupted after the first of three rounds.
 * @param {Workplace} workplace
 * @param {(battle: Entry) => Entry} [change]
 */
async function interrupt(workplace, change = (battle) => battle) {
  lines ??= linesOfBattle();
  const [battle, trial] = await lines;
  await write(workplace, [change({...battle, owner: {...battle.owner, ...dead}}), trial]);
}

/** @param {Workplace} workplace @param {readonly Entry[]} lines */
async function write(workplace, lines) {
  await writeFile(
    workplace.file('results.ndjson'),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
}

/** @param {Workplace} workplace */
async function roundsIn(workplace) {
  return (await workplace.journal()).filter(({kind}) => kind === 'trial').map(({round}) => round);
}

describe('the owner of a battle', {concurrency: 2, timeout: 300_000}, () => {
  it(
    'is one of two processes that resume it at once, and the other is refused',
    inAWorkplace(async (workplace) => {
      await interrupt(workplace);
      const ended = await Promise.all(
        [1, 2, 3].map(() => workplace.start('battle', ['--resume', '--quiet']).ended),
      );
      assert.deepEqual(ended.map(({code}) => code).sort(), [0, 2, 2]);
      for (const {code, stderr} of ended)
        if (code === 2) assert.match(stderr, /--resume (found no interrupted|came too late)/);
      assert.deepEqual(await roundsIn(workplace), [1, 2, 3]);
      assert.equal((await workplace.cells()).length, 1);
      assert.equal((await workplace.rows()).length, 1);
    }),
  );

  it(
    'is known before the battle is, so that another process does not resume it meanwhile',
    inAWorkplace(async (workplace) => {
      await interrupt(workplace);
      const lines = await workplace.journal();
      const {pid, hostname: host} = {pid: process.pid, hostname: hostname()};
      const [battle] = lines;
      const owner = {...battle.owner, pid, hostname: host, startTime: await startTimeOf(pid)};
      await write(workplace, [...lines, {kind: 'owner', battleId: battle.id, owner}]);
      const {code, stderr} = await workplace.battle(['--resume']);
      assert.equal(code, 2);
      assert.match(
        stderr,
        new RegExp(`no interrupted battle.*process ${pid} on .* runs battle ${battle.id}`),
      );
    }),
  );

  for (const {where, owner} of [
    {where: 'another container', owner: {namespace: 'pid:[1]'}},
    {where: 'another host', owner: {hostname: 'elsewhere'}},
    {where: 'another user', owner: {uid: 12_345}},
  ]) {
    it(
      `may be in ${where}: the battle is not resumed unasked, and only then runs what its journal names`,
      inAWorkplace(async (workplace) => {
        const mark = workplace.file('was-run');
        const external = {name: 'Mine', server: `touch ${mark}`, client: 'true \u001b[2J'};
        await interrupt(workplace, (battle) => ({
          ...battle,
          owner: {...battle.owner, ...owner},
          cells: battle.cells.map((/** @type {any} */ cell) => ({
            ...cell,
            transport: 'external',
            variant: {...cell.variant, external},
          })),
        }));
        const {code, stderr} = await workplace.battle(['--resume']);
        assert.equal(code, 2);
        assert.match(stderr, /--resume asks first: .*was begun by another user/);
        assert.match(stderr, /"touch .*was-run"\n {2}"true {2}\[2J"\n.*--take-over/);
        assert.ok(!existsSync(mark));
        if (where !== 'another container') return;
        const forced = await workplace.battle(['--resume', '--take-over']);
        assert.equal(forced.code, 1, forced.stderr);
        assert.ok(existsSync(mark));
      }),
    );
  }

  it(
    'in another container may still run: a new battle does not record its cells as aborted',
    inAWorkplace(async (workplace) => {
      await interrupt(workplace, (battle) => ({...battle, owner: {...battle.owner, namespace: 'pid:[1]'}}));
      const {code} = await workplace.battle([...short, '--rounds', '1']);
      assert.equal(code, 0);
      assert.deepEqual(
        (await workplace.cells()).map(({outcome}) => outcome),
        ['completed'],
      );
    }),
  );

  it(
    'finds trials that are there twice: the newest counts, with a warning',
    inAWorkplace(async (workplace) => {
      await interrupt(workplace);
      const [battle, trial] = await workplace.journal();
      await write(workplace, [
        battle,
        {...trial, startedAt: '2020-01-01T00:00:00.000Z'},
        trial,
        battle,
        trial,
      ]);
      const {code, stderr} = await workplace.battle(['--resume', '--quiet']);
      assert.equal(code, 0);
      assert.match(stderr, /has 2 trials more than once\. Of each cell and round, the newest counts\./);
      const [cell] = await workplace.cells();
      assert.ok(cell.outcome === 'completed');
      assert.deepEqual(
        cell.trials.map(({round, startedAt}) => [round, startedAt === trial.startedAt]),
        [
          [1, true],
          [2, false],
          [3, false],
        ],
      );
    }),
  );

  it(
    'is not led out of its folder by the id of a battle',
    inAWorkplace(async (workplace) => {
      await interrupt(workplace, (battle) => ({...battle, id: '../../x'}));
      const {code, stderr} = await workplace.battle(['--resume']);
      assert.equal(code, 2);
      assert.match(stderr, /The battle \.\.\/\.\.\/x of the journal is skipped: id: must be/);
    }),
  );
});
