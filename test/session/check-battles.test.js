import assert from 'node:assert/strict';
import {hostname} from 'node:os';
import {test} from 'node:test';
import {estimateBattleMs} from '../../src/battle/estimate.js';
import {makeRecords} from '../../src/battle/make-records.js';
import {UsageError} from '../../src/errors.js';
import {resumeBattle} from '../../src/session/plan-battle.js';
import {battlesIn, checkBattles, recordKilledBattles} from '../../src/session/recorded-battles.js';
import {publicSettings} from '../../src/settings/describe-settings.js';
import {battleOf, completed, memoryJournal, run, settingsFor} from '../battle/scripted-trials.js';
import {runsOf} from '../support/effort.js';

/** The lines of a battle that was killed after its last trial. */
const lines = await linesOfKilledBattle();

async function linesOfKilledBattle() {
  const state = battleOf({rounds: ['1'], samples: ['20']});
  const journal = memoryJournal();
  await journal.append({
    ...{kind: 'battle', id: state.id, startedAt: '2026-11-21T12:00:00.000Z'},
    ...{environment: 'local', machine: 'AMD EPYC', hosts: {alpha: {hostname: 'alpha', clockSource: 'tsc'}}},
    ...{
      roles: {client: 'alpha', server: 'alpha'},
      brokers: {},
      versions: {perfBattle: '0.1.0', rabbitmq: null},
    },
    config: publicSettings({values: state.values, origins: /** @type {any} */ ({}), warnings: []}),
    cells: state.cells,
    owner: {hostname: hostname(), pid: 4_000_000, startTime: '1'},
  });
  await run(state, () => completed(), {journal});
  return journal.entries;
}

const runsHere = async () => false;

/**
 * What the next battle and a resumed one do with the lines of a journal.
 * @param {Record<string, any>[]} entries
 */
async function goOnWith(entries) {
  const {battles, warnings} = await checkBattles(battlesIn(/** @type {any} */ (entries)));
  const journal = memoryJournal();
  await recordKilledBattles(journal, battles, {runsHere});
  const resumed = await resumeBattle(
    settingsFor({resume: ['on']}),
    battles,
    'results.ndjson',
    runsHere,
  ).catch((error) => {
    assert.ok(error instanceof UsageError, error.stack);
    return null;
  });
  if (resumed) {
    estimateBattleMs(resumed.state);
    makeRecords(resumed.state, /** @type {any} */ (battle), {complete: true});
  }
  return {warnings, aborted: journal.of('cell').length, resumed};
}

test('the lines of a killed battle are used without a warning', async () => {
  const {warnings, aborted, resumed} = await goOnWith(lines);
  assert.deepEqual([warnings, aborted], [[], 2]);
  assert.equal(resumed?.state.progress.get(1)?.trials.length, 1);
});

const battle = lines[0];
const trial = lines[1];

for (const {title, entries, warning} of [
  {
    title: 'a battle without fields',
    entries: [{kind: 'battle', id: 'abc'}],
    warning: /^The battle abc .* skipped: startedAt: /,
  },
  {
    title: 'a battle without an id',
    entries: [{kind: 'battle'}],
    warning: /^The battle undefined .* skipped: id: /,
  },
  {title: 'no owner', entries: [{...battle, owner: null}], warning: /skipped: owner: .*received null\.$/},
  {
    title: 'a cell without length',
    entries: [{...battle, cells: [{...battle.cells[0], length: undefined}]}],
    warning: /skipped: cells\.0\.length: /,
  },
  {
    title: 'a cell of an unknown transport',
    entries: [{...battle, cells: [{...battle.cells[0], transport: 'pigeon'}]}],
    warning: /skipped: cells\.0\.transport: .*"tcp"/,
  },
  {
    title: 'a setting that no person could give',
    entries: [{...battle, config: {...battle.config, rounds: 'abc'}}],
    warning: /skipped: config\.rounds: must be a whole number/,
  },
  {
    title: 'a trial of an unknown cell',
    entries: [battle, {...trial, cell: 77}],
    warning: /^A trial of the battle .* skipped: cell: the battle has no such cell\.$/,
  },
  {
    title: 'a trial without fields',
    entries: [battle, {kind: 'trial', battleId: battle.id, cell: 1, outcome: 'completed'}],
    warning: /^A trial of the battle .* skipped: round: .*more\)\.$/,
  },
  {
    title: 'a trial with a broken histogram',
    entries: [battle, {...trial, histogram: 'zzz'}],
    warning: /skipped: a histogram cannot be read\.$/,
  },
  {
    title: 'a cell without an outcome',
    entries: [battle, {kind: 'cell', battleId: battle.id, id: `${battle.id}-1`}],
    warning: /^A cell of the battle .* skipped: outcome: /,
  },
  {
    title: 'a broker without versions',
    entries: [battle, {kind: 'broker', battleId: battle.id}],
    warning: /^A broker of the battle .* skipped: versions: /,
  },
]) {
  test(`a journal with ${title} is used without that line, with one warning`, async () => {
    const {warnings} = await goOnWith(entries);
    assert.equal(warnings.length, 1, warnings.join('\n'));
    assert.match(warnings[0], warning);
  });
}

test('of many wrong lines, the first are named and the others counted', async () => {
  const {warnings} = await goOnWith([battle, ...Array(50).fill({...trial, cell: 77})]);
  assert.equal(warnings.length, 10);
  assert.equal(warnings.at(-1), '41 more lines of the journal are skipped.');
});

test('whatever stands in one field of a line, the next battle and --resume go on', async () => {
  const values = [undefined, -1, 'word', [null]];
  for (const [index, line] of lines.slice(0, 2).entries()) {
    // Some of them while somebody works, all before a change lands.
    const paths = pathsIn(line);
    const step = Math.ceil(paths.length / runsOf(paths.length));
    for (const path of paths.filter((_, place) => place % step === 0)) {
      for (const value of values) {
        const changed = structuredClone(lines);
        put(changed[index], path, value);
        await assert.doesNotReject(goOnWith(changed), `${path.join('.')}: ${JSON.stringify(value)}`);
      }
    }
  }
});

/** @param {unknown} value @returns {string[][]} the paths of all values in it */
function pathsIn(value) {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => [
    [key],
    ...pathsIn(one).map((path) => [key, ...path]),
  ]);
}

/** @param {any} whole @param {string[]} path @param {unknown} value */
function put(whole, path, value) {
  const parent = path.slice(0, -1).reduce((one, key) => one[key], whole);
  parent[path.at(-1) ?? ''] = value;
}
