import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import fc from 'fast-check';
import {groupsOf, orderOfRound} from '../../src/battle/groups.js';
import {progressOf} from '../../src/battle/state.js';
import {InterruptedError, RunError, UnavailableError} from '../../src/errors.js';
import {runsOf} from '../support/effort.js';
import {battleOf, completed, failed, memoryJournal, run} from './scripted-trials.js';

/** @import {BattleState} from '../../src/battle/types.js' */

/** @param {BattleState} state @param {string} transport */
function trialsOf(state, transport) {
  const cell = state.cells.find((one) => one.transport === transport);
  assert.ok(cell);
  return progressOf(state, cell.number);
}

describe('the rounds of a battle', () => {
  it('run every cell once each, in the planned order', async () => {
    const state = battleOf({rounds: ['3'], payload: ['1kb,2kb']});
    const {stored, error} = await run(state, () => completed());
    assert.equal(error, null);
    const planned = [1, 2, 3].flatMap((round) =>
      orderOfRound(groupsOf(state.cells, state.values), round, 7)
        .flat()
        .map(({number}) => `${number} in ${round}`),
    );
    assert.deepEqual(
      stored.map(({cell, round}) => `${cell} in ${round}`),
      planned,
    );
  });

  it('store each trial before the next begins', async () => {
    const journal = memoryJournal();
    /** @type {number[]} */
    const storedBefore = [];
    await run(
      battleOf({rounds: ['2']}),
      () => {
        storedBefore.push(journal.entries.length);
        return completed();
      },
      {journal},
    );
    assert.deepEqual(storedBefore, [0, 1, 2, 3]);
  });

  it('report each trial when it begins and when it is done', async () => {
    const {events} = await run(battleOf({transport: ['tcp'], rounds: ['1']}), () => completed({meanMs: 2}));
    assert.deepEqual(
      events.map(({type, ...rest}) => [type, 'figureMs' in rest ? rest.figureMs : null]),
      [
        ['round', null],
        ['trial', null],
        ['trial-done', 2],
      ],
    );
  });

  it('end when a trial cannot be stored', async () => {
    const full = new RunError('There is no space left.');
    const journal = {...memoryJournal(), append: () => Promise.reject(full)};
    const {error, trials} = await run(battleOf(), () => completed(), {journal});
    assert.equal(error, full);
    assert.equal(trials.length, 1);
  });
});

describe('one pair of processes', () => {
  const sizes = {payload: ['1kb,2kb,3kb,4kb']};

  it('measures all sizes of a variant in a round, each in the journal before the next begins', async () => {
    const journal = memoryJournal();
    const state = battleOf({...sizes, rounds: ['2']});
    /** @type {number[]} */
    const storedBefore = [];
    const {pairs} = await run(
      state,
      () => {
        storedBefore.push(journal.of('trial').length);
        return completed();
      },
      {journal},
    );
    assert.deepEqual(
      pairs.map((pair) => pair.length),
      [5, 5, 5, 5],
      'four sizes and the end, for two variants in two rounds',
    );
    assert.ok(pairs.every((pair) => pair.at(-1) === 'closed'));
    assert.deepEqual(
      storedBefore,
      Array.from({length: 16}, (_, index) => index),
    );
  });

  it('measures one cell, where that is asked for', async () => {
    const {pairs} = await run(battleOf({...sizes, 'pair-per': ['cell'], rounds: ['1']}), () => completed());
    assert.deepEqual(
      pairs.map((pair) => pair.length),
      Array.from({length: 8}, () => 2),
    );
  });

  it('ends when a size fails: the sizes that follow get a new pair, and only that cell has failed', async () => {
    const state = battleOf({...sizes, transport: ['tcp'], rounds: ['2']});
    let count = 0;
    const {pairs, stored} = await run(state, () => {
      count += 1;
      return count === 2 ? failed() : completed();
    });
    const [first, second, third] = pairs;
    assert.deepEqual([first.length, second.length, third.length], [3, 3, 4]);
    const broken = first[1];
    assert.deepEqual(
      state.cells.filter(({number}) => progressOf(state, number).error).map(({number}) => number),
      [broken],
    );
    assert.equal(stored.filter(({outcome}) => outcome === 'completed').length, 6);
    assert.ok(!third.includes(broken));
  });

  it('measures no further size after a lost message, which could still arrive', async () => {
    const lossy = completed();
    if (lossy.outcome === 'completed') lossy.counts = {...lossy.counts, lost: 1};
    const {pairs} = await run(battleOf({...sizes, transport: ['tcp'], rounds: ['1']}), ({cell}) =>
      cell.payloadBytes === 2048 ? lossy : completed(),
    );
    assert.equal(pairs.length, pairs[0].at(-2) === 2 && pairs[0].length === 5 ? 1 : 2);
    assert.equal(pairs[0].at(-2), 2, 'the cell of 2 KB is the last one of its pair');
  });

  it('measures only the missing sizes when a battle is resumed', async () => {
    const flags = {...sizes, transport: ['tcp'], rounds: ['1']};
    const whole = await run(battleOf(flags), () => completed());
    const state = battleOf(flags);
    let count = 0;
    const first = await run(state, () => {
      count += 1;
      return count === 3 ? Promise.reject(new Error('killed')) : completed();
    });
    assert.equal(first.pairs[0].at(-1), 'closed', 'the pair is closed also when the battle ends');
    const rest = await run(state, () => completed());
    assert.deepEqual(rest.pairs, [whole.pairs[0].slice(2)]);
  });
});

describe('a disturbed trial', () => {
  const placement = {client: [2, 3], server: [0, 1], broker: null};
  for (const {isDisturbed, ...found} of [
    {lostShare: 0.1, isDisturbed: false},
    {lostShare: 0.1001, isDisturbed: true},
    {lostShare: null, isDisturbed: false},
    {foreignShare: 0.05, isDisturbed: false},
    {foreignShare: 0.0501, isDisturbed: true},
    {foreignShare: 0.0501, placement, isDisturbed: false},
  ]) {
    it(`has lost more than 10 % of the time in which a role was ready to run, or, unpinned, shared its host: ${JSON.stringify(found)} ${isDisturbed ? 'disturbs' : 'does not disturb'}`, async () => {
      const {stored} = await run(battleOf({rounds: ['1'], transport: ['tcp']}), () => completed(found));
      assert.equal(stored[0].disturbed, isDisturbed);
    });
  }
});

describe('a trial that fails', () => {
  it('ends its cell, and the others continue', async () => {
    const state = battleOf({transport: ['http,websocket'], rounds: ['3']});
    const {trials, events, stored} = await run(state, (_, name) =>
      name === 'http 2' ? failed({code: 'PB_LOST', message: 'One was lost.'}) : completed(),
    );
    const going = ['tcp', 'websocket'].flatMap((name) => [1, 2, 3].map((round) => `${name} ${round}`));
    assert.deepEqual(trials.toSorted(), ['http 1', 'http 2', ...going]);
    assert.deepEqual(trialsOf(state, 'http').error, {code: 'PB_LOST', message: 'One was lost.', exitCode: 1});
    assert.equal(stored.find(({outcome}) => outcome === 'failed')?.error.code, 'PB_LOST');
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'cell-failed' ? [event.message] : [])),
      ['One was lost.'],
    );
  });

  it('ends the battle after the round when no cell but the floor is left', async () => {
    const state = battleOf({transport: ['http,websocket']});
    const {trials} = await run(state, (_, name) =>
      ['http 1', 'websocket 3'].includes(name) ? failed() : completed(),
    );
    assert.deepEqual(trials.toSorted(), [
      'http 1',
      ...['tcp', 'websocket'].flatMap((name) => [1, 2, 3].map((round) => `${name} ${round}`)),
    ]);
    assert.equal(state.stoppedBy, 'failures');
  });

  it('does not take the rounds that were asked for from the floor', async () => {
    const state = battleOf({rounds: ['3']});
    const {trials} = await run(state, (_, name) => (name === 'http 1' ? failed() : completed()));
    assert.deepEqual(trials.toSorted(), ['http 1', 'tcp 1', 'tcp 2', 'tcp 3']);
    assert.equal(state.stoppedBy, 'rounds');
  });

  it('of the floor does not end a battle of the floor alone while other cells are left', async () => {
    const state = battleOf({transport: ['tcp'], payload: ['1kb,2kb'], rounds: ['2']});
    const {trials} = await run(state, ({cell}) => (cell.payloadBytes === 2048 ? failed() : completed()));
    assert.deepEqual(trials.toSorted(), ['tcp 1', 'tcp 1', 'tcp 2']);
    assert.equal(state.stoppedBy, 'rounds');
  });

  it('ends the battle when it was the last cell that had not failed', async () => {
    const {trials, error} = await run(battleOf({rounds: ['5']}), () => failed());
    assert.deepEqual(trials.toSorted(), ['http 1', 'tcp 1']);
    assert.equal(error, null);
  });

  it('because no broker is available has exit code 3, and the cells that need none continue', async () => {
    const state = battleOf({transport: ['http,rabbitmq'], rounds: ['2']});
    const {trials, stored} = await run(state, ({cell}) => {
      if (cell.transport !== 'rabbitmq') return completed();
      throw new UnavailableError('There is no RabbitMQ.', {code: 'PB_BROKER_UNAVAILABLE'});
    });
    assert.deepEqual(trials.toSorted(), ['http 1', 'http 2', 'rabbitmq 1', 'tcp 1', 'tcp 2']);
    const {code, exitCode} = trialsOf(state, 'rabbitmq').error ?? {};
    assert.deepEqual({code, exitCode}, {code: 'PB_BROKER_UNAVAILABLE', exitCode: 3});
    assert.match(stored.find(({outcome}) => outcome === 'failed')?.startedAt, /^\d{4}-\d\d-\d\dT/);
  });

  it('with an unexpected error ends the battle', async () => {
    const {error, trials} = await run(battleOf(), () => {
      throw new TypeError('a defect');
    });
    assert.match(String(error), /a defect/);
    assert.equal(trials.length, 1);
  });
});

describe('a battle that is resumed', () => {
  it('runs only the missing trials, in the planned order', async () => {
    const whole = await run(battleOf({rounds: ['3']}), () => completed());
    const state = battleOf({rounds: ['3']});
    const first = await run(state, (_, name) =>
      name === whole.trials[3] ? Promise.reject(new Error('killed')) : completed(),
    );
    assert.deepEqual(first.trials, whole.trials.slice(0, 4));
    const rest = await run(state, () => completed());
    assert.deepEqual(rest.trials, whole.trials.slice(3));
  });

  it('runs nothing when all trials are done', async () => {
    const state = battleOf({rounds: ['2']});
    await run(state, () => completed());
    assert.deepEqual((await run(state, () => completed())).trials, []);
  });
});

describe('an interruption', () => {
  it('ends the battle with its reason; finished trials are stored, the running one is not', async () => {
    const life = new AbortController();
    const state = battleOf({rounds: ['3']});
    const {error, stored, trials} = await run(
      state,
      () => {
        if (trialCount(state) < 3) return completed();
        life.abort(new InterruptedError('SIGINT'));
        throw new Error('a role that was stopped');
      },
      {signal: life.signal},
    );
    assert.equal(error.code, 'PB_INTERRUPTED');
    assert.equal(trials.length, 4);
    assert.equal(stored.length, 3);
  });

  it('between two trials starts no further one', async () => {
    const life = new AbortController();
    const {error, stored, trials} = await run(
      battleOf(),
      () => {
        life.abort(new InterruptedError('SIGTERM'));
        return completed();
      },
      {signal: life.signal},
    );
    assert.equal(error.exitCode, 143);
    assert.deepEqual({stored: stored.length, trials: trials.length}, {stored: 1, trials: 1});
  });
});

/** @param {BattleState} state */
function trialCount({progress}) {
  return [...progress.values()].reduce((total, {trials}) => total + trials.length, 0);
}

it('for any outcomes, a cell has at most one trial per round and all planned rounds unless it fails, and few rounds are added', async () => {
  const outcomes = fc.constantFrom('fine', 'disturbed', 'failed');
  await fc.assert(
    fc.asyncProperty(
      fc.infiniteStream(outcomes),
      fc.integer({min: 1, max: 4}),
      fc.integer({min: 1, max: 8}),
      async (stream, cells, rounds) => {
        const payload = Array.from({length: cells}, (_, index) => `${index + 1}kb`).join();
        const state = battleOf({transport: ['tcp'], payload: [payload], rounds: [String(rounds)]});
        const {stored} = await run(state, () => {
          const kind = stream.next().value;
          if (kind === 'failed') return failed();
          return completed({lostShare: kind === 'disturbed' ? 0.2 : 0});
        });
        assert.equal(new Set(stored.map(({cell, round}) => `${cell}/${round}`)).size, stored.length);
        assert.ok(stored.every(({round}) => round <= Math.round(rounds * 1.1)));
        for (const {number} of state.cells) {
          const {trials, error} = progressOf(state, number);
          assert.ok(error !== null || trials.length >= rounds);
        }
      },
    ),
    {numRuns: runsOf(100)},
  );
});

describe('a battle in slices', () => {
  it('stores a failed preparation before it measures the others', async () => {
    const abort = new AbortController();
    const journal = memoryJournal();
    const distance = async () => {
      abort.abort(new InterruptedError('SIGINT'));
      return null;
    };
    const {error} = await run(
      battleOf({slices: ['on'], rounds: ['1']}),
      (_, name) => (name === 'http 1' ? failed() : completed()),
      {signal: abort.signal, journal, distance},
    );
    assert.ok(error instanceof InterruptedError);
    assert.deepEqual(
      journal.of('trial').map(({outcome}) => outcome),
      ['failed'],
    );
  });
});

describe('a battle in slices whose cores are moved', () => {
  /**
   * @param {number[]} distances @param {Record<string, string[]>} [flags]
   * @returns how often each trial of a round began, and their slices and distances
   */
  async function roundWith(distances, flags = {}) {
    const state = battleOf({slices: ['on'], rounds: ['1'], ...flags});
    const {stored, events, error} = await run(state, () => completed(), {distances});
    assert.equal(error, null);
    return {
      begun: events.filter(({type}) => type === 'trial').length / state.cells.length,
      slices: [...new Set(stored.map(({slices}) => slices))],
      distances: [...new Set(stored.map(({coreDistance: {p10Ns, p90Ns}}) => `${p10Ns} to ${p90Ns}`))],
    };
  }
  const near = (/** @type {number} */ count) => Array.from({length: count}, () => 60);
  const wholeTrial = async () => (await roundWith([60])).slices[0];

  it('begins its trials again if they are moved early', async () => {
    const slices = [await wholeTrial()];
    assert.ok(slices[0] >= 6);
    assert.deepEqual(await roundWith([...near(2), 310]), {begun: 2, slices, distances: ['310 to 310']});
  });

  it('stores what was lost before an early move, and does not use that pair again', async () => {
    const state = battleOf({slices: ['on'], rounds: ['1']});
    const lossy = completed();
    if (lossy.outcome === 'completed') lossy.counts.lost = 1;
    const {stored, events} = await run(state, (_, name) => (name === 'http 1' ? lossy : completed()), {
      distances: [...near(2), 310],
    });
    const begun = events.flatMap((event) => (event.type === 'trial' ? event.cell.transport : []));
    assert.deepEqual(begun.toSorted(), ['http', 'tcp', 'tcp']);
    assert.deepEqual(
      stored.map(({counts}) => counts.lost),
      [1, 0],
    );
  });

  it('keeps the slices before a late move', async () => {
    const kept = (await wholeTrial()) - 1;
    const found = await roundWith([...near(kept), 310]);
    assert.deepEqual(found, {begun: 1, slices: [kept], distances: ['60 to 60']});
  });

  it('measures on if they are moved early once more', async () => {
    const slices = [await wholeTrial()];
    const found = await roundWith([...near(1), 310, 310, 310, 310, 60]);
    assert.deepEqual(found, {begun: 2, slices, distances: ['60 to 310']});
  });

  it('has the number of samples that was asked for', async () => {
    const {begun, distances} = await roundWith([...near(4), 310], {samples: ['3000']});
    assert.deepEqual([begun, distances], [1, ['60 to 310']]);
  });
});
