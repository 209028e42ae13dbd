import assert from 'node:assert/strict';
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {mean, sum} from 'simple-statistics';
import {estimateBattleMs} from '../../src/battle/estimate.js';
import {blocksOf, groupsOf} from '../../src/battle/groups.js';
import {makeRecords} from '../../src/battle/make-records.js';
import {allKnowSlices, slicesOf} from '../../src/battle/slices.js';
import {firstMs} from '../../src/settings/common-options.js';
import {battleOf, completed, context, failed, run} from './scripted-trials.js';

/** @import {CompletedRecord} from '../../src/results/record-schema.js' */

/** @param {Parameters<typeof slicesOf>} cell */
function listOf(...cell) {
  const slices = slicesOf(...cell);
  return slices && Array.from({length: slices.count}, (_, index) => slices.at(index));
}

/** @param {Record<string, string[]>} flags */
function inSlices(flags) {
  return battleOf({slices: ['on'], ...flags});
}

/** @param {Record<string, string[]>} flags the slices of each cell that they plan */
function planned(flags) {
  return inSlices(flags).cells.map((cell) => listOf(cell));
}

describe('the slices of a cell', () => {
  it('share the time of its trial, and have ten round trips at least', () => {
    const [small, large] = planned({transport: ['tcp'], payload: ['1kb,20mb']}).map((list) => list ?? []);
    assert.ok(small.length >= 6 && small.length <= 12, `${small.length}`);
    assert.ok(large.length < small.length && large.length > 0, `${large.length}`);
    assert.ok(Math.abs(sum(small.map(({ms}) => ms)) - firstMs) < 1e-6);
    assert.ok(sum(large.map(({ms}) => ms)) >= firstMs && sum(large.map(({ms}) => ms)) <= 1000);
    for (const list of [small, large]) {
      assert.ok(list.every(({samples, discardMs}) => samples === 1 && discardMs > 0));
    }
  });

  it('begin with warm-up in turn, where that is automatic', () => {
    const discards = ([list] = planned({transport: ['tcp']})) => list?.map(({discardMs}) => discardMs) ?? [];
    const [first, ...others] = discards();
    assert.deepEqual([first, ...new Set(others)], [104, 4]);
    assert.deepEqual([...new Set(discards(planned({transport: ['tcp'], warmup: ['0']})))], [4]);
  });

  it('have a length that follows the round trips of the warm-up, and not what is measured', () => {
    const {cells} = inSlices({transport: ['tcp']});
    const [slow, slowest] = [20, 5000].map((typicalMs) => listOf(cells[0], typicalMs));
    assert.deepEqual([slow?.length, slow?.[0].ms], [3, 200]);
    assert.deepEqual([slowest?.length, slowest?.[0].ms], [1, 1000]);
    const [given] = inSlices({transport: ['tcp'], duration: ['1s']}).cells;
    assert.deepEqual([listOf(given, 20)?.length, listOf(given, 20)?.[0].ms], [5, 200]);
  });

  it('share its number of samples', () => {
    const [list] = planned({transport: ['tcp'], samples: ['5003']});
    assert.equal(sum((list ?? []).map(({samples}) => samples)), 5003);
    assert.ok(list?.every(({ms, samples}) => ms === 0 && samples >= 10));
    assert.deepEqual(
      planned({transport: ['tcp'], samples: ['7']})[0]?.map(({samples}) => samples),
      [7],
    );
  });

  it('are not listed: a plan of a billion round trips takes no memory for them', () => {
    const {cells} = inSlices({transport: ['tcp'], samples: ['1000000000']});
    assert.ok(Number(slicesOf(cells[0])?.count) > 1e6);
    assert.ok(estimateBattleMs(inSlices({transport: ['tcp'], samples: ['1000000000']})) > 1e8);
  });

  it('have several windows of requests, and fill the window before they count', () => {
    const [one, many] = planned({workload: ['pipeline'], transport: ['tcp'], window: ['1,256']});
    assert.ok(
      Number(many?.length) < Number(one?.length) && Number(many?.[0].discardMs) > Number(one?.[0].discardMs),
    );
  });

  for (const [what, flags] of /** @type {[string, Record<string, string[]>][]} */ ([
    ['a rate', {rate: ['100']}],
    ['a stream', {workload: ['stream']}],
    ['a search', {'find-max-rate': ['5ms']}],
    ['a profile', {profile: ['on']}],
    ['an anatomy', {anatomy: ['on']}],
    ['a pipeline with a number of samples', {workload: ['pipeline'], samples: ['100']}],
    ['both a number and a time', {samples: ['100'], duration: ['1s']}],
    ['--slices off', {slices: ['off']}],
  ]))
    it(`are none with ${what}: it is measured in one piece`, () => {
      assert.ok(planned(flags).every((list) => list === null));
    });

  it('are none where the scripts of a side do not know them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pb-test-'));
    const cells = /** @type {any} */ ([{variant: {}}, {variant: {folder}}]);
    assert.equal(allKnowSlices(cells), false);
    await mkdir(join(folder, 'src/workloads'), {recursive: true});
    await writeFile(join(folder, 'src/workloads/slices.js'), '');
    assert.equal(allKnowSlices(cells), true);
    await rm(folder, {recursive: true});
  });
});

/** @param {Record<string, string[]>} flags @param {number} [pairsAtOnce] the cells of each block */
function blocks(flags, pairsAtOnce = Number.POSITIVE_INFINITY) {
  const {cells, values} = inSlices(flags);
  const groups = groupsOf(cells, values).map((group) => ({group, cells: group}));
  return blocksOf(groups, {cells, values, pairsAtOnce}).map(namesOf);
}

/** @param {ReturnType<typeof blocksOf>[number]} block */
function namesOf(block) {
  return block.map(({cells, isBeside}) =>
    cells.map(
      ({transport, payloadBytes}) => `${transport} ${payloadBytes / 1024}${isBeside ? ' beside' : ''}`,
    ),
  );
}

describe('the blocks of a round', () => {
  const two = {transport: ['http'], payload: ['1kb,2kb']};

  it('have all variants of a workload side by side', () => {
    assert.deepEqual(blocks(two), [
      [
        ['tcp 1', 'tcp 2'],
        ['http 1', 'http 2'],
      ],
    ]);
    assert.equal(blocks({...two, workload: ['rtt,pipeline'], window: ['1']}).length, 2);
  });

  it('have the cells of one size, where each has a pair of its own', () => {
    assert.deepEqual(blocks({...two, 'pair-per': ['cell']}), [
      [['tcp 1'], ['http 1']],
      [['tcp 2'], ['http 2']],
    ]);
  });

  it('have one variant each, if they are measured in one piece', () => {
    assert.equal(blocks({...two, slices: ['off']}).length, 2);
    assert.equal(blocks({...two, workload: ['stream']}).length, 4);
  });

  it('have no more pairs than the hosts have room for, each with the floor', () => {
    const many = {transport: ['http,websocket'], 'http-server': ['node,express'], payload: ['1kb']};
    assert.deepEqual(blocks(many, 3), [
      [['tcp 1'], ['http 1'], ['http 1']],
      [['tcp 1 beside'], ['websocket 1']],
    ]);
    assert.deepEqual(blocks(many, 2), [
      [['tcp 1'], ['http 1']],
      [['tcp 1 beside'], ['http 1']],
      [['tcp 1 beside'], ['websocket 1']],
    ]);
    assert.deepEqual(
      blocks(many, 0).map((block) => block.length),
      [1, 1, 1, 1],
    );
    const settings = {...many, 'http-server': ['node'], 'tcp-no-delay': ['on,off']};
    const floors = blocks(settings, 3).map(
      (block) => block.filter(([name]) => name.startsWith('tcp')).length,
    );
    assert.deepEqual(floors, [1, 1, 1, 1]);
    assert.deepEqual(blocks({transport: ['tcp'], payload: ['1kb']}, 3), [[['tcp 1']]]);
  });

  it('have the floor beside what a resumed round lacks, at the sizes that it lacks', () => {
    const {cells, values} = inSlices(two);
    const [tcp, http] = groupsOf(cells, values);
    const lacking = [
      {group: tcp, cells: []},
      {group: http, cells: [http[1]]},
    ];
    const [block, ...others] = blocksOf(lacking, {cells, values, pairsAtOnce: 9});
    assert.deepEqual([namesOf(block), others], [[['tcp 2 beside'], ['http 2']], []]);
  });
});

describe('a round in slices', () => {
  const three = {transport: ['http,websocket'], payload: ['1kb,2kb'], rounds: ['2']};

  it('measures each size of all variants in turn, in all slices, and stores each trial', async () => {
    const {stored, events, pairs, error} = await run(inSlices(three), () => completed());
    assert.equal(error, null);
    assert.equal(stored.length, 12);
    assert.ok(stored.every(({slices}) => slices > 6));
    assert.equal(pairs.length, 6);
    assert.ok(pairs.every((pair) => pair.length === 3 && pair.at(-1) === 'closed'));
    const sizes = events.flatMap((event) => (event.type === 'trial' ? event.cell.payloadBytes : []));
    for (let at = 0; at < sizes.length; at += 3) assert.equal(new Set(sizes.slice(at, at + 3)).size, 1);
    assert.ok(events.some((event) => event.type === 'cycle' && event.cells.length === 3));
  });

  it('compares each variant with the floor that is measured in its block, which has its trial in one of them', async () => {
    const state = inSlices({...three, payload: ['1kb'], rounds: ['3']});
    let floors = 0;
    const {stored, events, pairs, error} = await run(
      state,
      (_request, name) => {
        if (!name.startsWith('tcp')) return completed({meanMs: 4});
        floors += 1;
        return completed({meanMs: floors});
      },
      {pairsAtOnce: 2},
    );
    assert.deepEqual([error, stored.length, floors, pairs.length], [null, 9, 6, 12]);
    assert.equal(events.filter(({type}) => type === 'trial').length, 9);
    /** @type {number[]} */
    const seen = [];
    for (const round of [1, 2, 3]) {
      const [tcp, ...others] = stored
        .filter((trial) => trial.round === round)
        .toSorted((one, other) => one.cell - other.cell);
      seen.push(tcp.figureMs, ...others.flatMap(({floorMs = []}) => floorMs));
      assert.equal(tcp.floorMs, undefined);
    }
    assert.deepEqual(
      seen.toSorted((one, other) => one - other),
      [1, 2, 3, 4, 5, 6],
    );
    // One variant in each round was measured beside the floor's own trial.
    const records = makeRecords(state, /** @type {any} */ (context), {complete: true});
    for (const record of records.slice(1)) {
      assert.equal(record.outcome, 'completed');
      const {floor, trials} = /** @type {CompletedRecord} */ (record);
      const beside = trials.map(({round, floorMs}) => floorMs ?? ofRound(round));
      assert.ok(Math.abs((floor?.ratio ?? 0) - 4 / mean(beside)) < 1e-9, `${floor?.ratio} ${beside}`);
    }

    /** @param {number} round */
    function ofRound(round) {
      return stored.find((trial) => trial.round === round && trial.cell === state.cells[0].number)?.figureMs;
    }
  });

  it('goes on when the floor of a block fails that has its trial in another', async () => {
    const {stored, error} = await run(
      inSlices({...three, payload: ['1kb'], rounds: ['1']}),
      ({isBeside}) => (isBeside ? failed() : completed()),
      {pairsAtOnce: 2},
    );
    assert.equal(error, null);
    assert.deepEqual(
      stored.map(({outcome, floorMs}) => [outcome, floorMs]),
      Array.from({length: 3}, () => ['completed', undefined]),
    );
  });

  it('goes on with the others when one fails, which then has no further trials', async () => {
    const {stored, error} = await run(inSlices(three), (_request, name) =>
      name.startsWith('http') ? failed() : completed(),
    );
    assert.equal(error, null);
    const outcomes = stored.map(({outcome}) => outcome);
    assert.deepEqual([outcomes.filter((one) => one === 'failed').length, outcomes.length], [2, 10]);
  });

  it('warms up as many pairs at once as there is room for, and measures in the same order whichever is ready first', async () => {
    const state = () => inSlices({...three, rounds: ['1'], payload: ['1kb']});
    let [running, most] = [0, 0];
    let toWait = 3;
    const outcomeOf = async () => {
      running += 1;
      most = Math.max(most, running);
      toWait -= 1;
      await sleep(5 * toWait);
      running -= 1;
      return completed();
    };
    const {stored, error} = await run(state(), outcomeOf, {warmUpsAtOnce: 2});
    assert.deepEqual([error, most], [null, 2]);
    const alone = await run(state(), () => completed());
    assert.deepEqual(
      stored.map(({cell}) => cell),
      alone.stored.map(({cell}) => cell),
    );
  });

  it('closes a pair that was warming up beside one that was interrupted, too', async () => {
    const life = new AbortController();
    const {pairs, error} = await run(
      inSlices(three),
      async (_request, name) => {
        if (!name.startsWith('tcp')) await sleep(20);
        life.abort(new Error('enough'));
        return completed();
      },
      {signal: life.signal, warmUpsAtOnce: 3},
    );
    assert.match(String(error), /enough/);
    assert.equal(pairs.length, 3);
    assert.ok(pairs.every((pair) => pair.at(-1) === 'closed'));
  });

  it('ends with its pairs closed when it is interrupted', async () => {
    const life = new AbortController();
    let begun = 0;
    const {stored, pairs, error} = await run(
      inSlices(three),
      () => {
        begun += 1;
        if (begun === 5) life.abort(new Error('enough'));
        return completed();
      },
      {signal: life.signal},
    );
    assert.match(String(error), /enough/);
    assert.equal(stored.length, 3);
    assert.ok(pairs.every((pair) => pair.at(-1) === 'closed'));
  });
});
