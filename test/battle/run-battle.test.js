import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import fc from 'fast-check';
import {groupsOf} from '../../src/battle/groups.js';
import {orderOfRound} from '../../src/battle/order.js';
import {runBattle} from '../../src/battle/run-battle.js';
import {progressOf} from '../../src/battle/state.js';
import {InterruptedError, RunError, UnavailableError} from '../../src/errors.js';
import {battleOf, completed, failed, memoryJournal, nameOf} from './scripted-trials.js';

/**
 * @import {Cell} from '../../src/battle/cell.js'
 * @import {BattleEvent, TrialRequest} from '../../src/battle/run-battle.js'
 * @import {BattleState} from '../../src/battle/state.js'
 * @import {TrialOutcome} from '../../src/battle/role-pair.js'
 */

/**
 * Runs a battle whose trials have the outcomes that a test gives.
 * @param {BattleState} state
 * @param {(request: TrialRequest, name: string) => TrialOutcome | Promise<TrialOutcome>} outcomeOf
 * @param {{signal?: AbortSignal, journal?: ReturnType<typeof memoryJournal>}} [deps]
 */
async function run(
  state,
  outcomeOf,
  {signal = new AbortController().signal, journal = memoryJournal()} = {},
) {
  /** @type {string[]} */
  const trials = [];
  /** The cells that each pair measured, and where it was closed. @type {(number | 'closed')[][]} */
  const pairs = [];
  /** @type {BattleEvent[]} */
  const events = [];
  const openPair = async (/** @type {TrialRequest} */ {round, repeat}) => {
    /** @type {(number | 'closed')[]} */
    const measured = [];
    pairs.push(measured);
    const pair = {
      isUsable: true,
      async measure(/** @type {Cell} */ cell) {
        const request = {cell, round, repeat};
        trials.push(nameOf(request));
        measured.push(cell.number);
        const outcome = await outcomeOf(request, nameOf(request));
        pair.isUsable = outcome.outcome === 'completed' && outcome.counts.lost === 0;
        return outcome;
      },
      close: async () => void (measured.at(-1) !== 'closed' && measured.push('closed')),
    };
    return pair;
  };
  const onEvent = (/** @type {BattleEvent} */ event) => void events.push(event);
  const error = await runBattle(state, {openPair, journal, onEvent, signal}).then(
    () => null,
    (reason) => reason,
  );
  return {trials, pairs, events, error, journal, stored: journal.of('trial')};
}

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

  it('is a new one for the repeat of a disturbed trial', async () => {
    const state = battleOf({...sizes, transport: ['tcp'], rounds: ['5']});
    const {pairs} = await run(state, ({cell, round, repeat}) =>
      completed({lostShare: cell.payloadBytes === 2048 && round === 1 && !repeat ? 0.5 : 0}),
    );
    assert.deepEqual(pairs[1], [2, 'closed']);
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
  const disturbed = completed({lostShare: 0.11});

  for (const {lostShare, isDisturbed} of [
    {lostShare: 0.1, isDisturbed: false},
    {lostShare: 0.1001, isDisturbed: true},
    {lostShare: null, isDisturbed: false},
  ]) {
    it(`has lost more than 10 % of the time in which a role was ready to run: ${lostShare} ${isDisturbed ? 'disturbs' : 'does not disturb'}`, async () => {
      const {stored} = await run(battleOf({rounds: ['1'], transport: ['tcp']}), () => completed({lostShare}));
      assert.equal(stored[0].disturbed, isDisturbed);
      assert.equal(stored.length, isDisturbed ? 2 : 1);
    });
  }

  it('is repeated once, at the end of its round', async () => {
    const state = battleOf({rounds: ['2'], payload: ['1kb']});
    const {trials, stored} = await run(state, (_, name) => (name === 'http 1' ? disturbed : completed()));
    assert.deepEqual(trials.slice(2), ['http 1 again', ...trials.slice(3)]);
    assert.equal(trials.length, 5);
    assert.deepEqual(
      stored.filter(({repeat}) => repeat).map(({round, disturbed: still}) => ({round, still})),
      [{round: 1, still: false}],
    );
    assert.equal(trialsOf(state, 'http').trials.length, 3);
  });

  it('is not repeated again when its repeat is disturbed too', async () => {
    const {trials} = await run(battleOf({rounds: ['1'], transport: ['tcp']}), () => disturbed);
    assert.deepEqual(trials, ['tcp 1', 'tcp 1 again']);
  });

  it('is kept when its repeat fails', async () => {
    const state = battleOf({rounds: ['2'], transport: ['tcp']});
    const {trials, stored} = await run(state, ({repeat, round}) => {
      if (repeat) return failed();
      return round === 1 ? disturbed : completed();
    });
    assert.deepEqual(trials, ['tcp 1', 'tcp 1 again', 'tcp 2']);
    assert.equal(trialsOf(state, 'tcp').error, null);
    assert.equal(stored.filter(({outcome}) => outcome === 'failed').length, 1);
  });

  for (const {cells, rounds, repeats} of [
    {cells: 2, rounds: 5, repeats: 1},
    {cells: 4, rounds: 5, repeats: 2},
    {cells: 4, rounds: 10, repeats: 4},
    {cells: 1, rounds: 30, repeats: 3},
  ]) {
    it(`is repeated at most ${repeats} times in ${cells} cells × ${rounds} rounds: a tenth, rounded up`, async () => {
      const payload = Array.from({length: cells}, (_, index) => `${index + 1}kb`).join();
      const state = battleOf({transport: ['tcp'], payload: [payload], rounds: [String(rounds)]});
      const {stored} = await run(state, () => disturbed);
      assert.equal(stored.filter(({repeat}) => repeat).length, repeats);
      assert.equal(stored.length, cells * rounds + repeats);
    });
  }
});

describe('a trial that fails', () => {
  it('ends its cell, and the others continue', async () => {
    const state = battleOf({rounds: ['3']});
    const {trials, events, stored} = await run(state, (_, name) =>
      name === 'http 2' ? failed({code: 'PB_LOST', message: 'One was lost.'}) : completed(),
    );
    assert.deepEqual(trials.toSorted(), ['http 1', 'http 2', 'tcp 1', 'tcp 2', 'tcp 3']);
    assert.deepEqual(trialsOf(state, 'http').error, {code: 'PB_LOST', message: 'One was lost.', exitCode: 1});
    assert.equal(stored.find(({outcome}) => outcome === 'failed')?.error.code, 'PB_LOST');
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'cell-failed' ? [event.message] : [])),
      ['One was lost.'],
    );
  });

  it('ends the battle when it was the last cell that had not failed', async () => {
    const {trials, error} = await run(battleOf({rounds: ['5']}), () => failed());
    assert.deepEqual(trials.toSorted(), ['http 1', 'tcp 1']);
    assert.equal(error, null);
  });

  it('because no broker is available has exit code 3, and the cells that need none continue', async () => {
    const state = battleOf({transport: ['rabbitmq'], rounds: ['2']});
    const {trials, stored} = await run(state, ({cell}) => {
      if (cell.transport === 'tcp') return completed();
      throw new UnavailableError('There is no RabbitMQ.', {code: 'PB_BROKER_UNAVAILABLE'});
    });
    assert.deepEqual(trials.toSorted(), ['rabbitmq 1', 'tcp 1', 'tcp 2']);
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

describe('with a precision', () => {
  const precise = {precision: ['5%'], transport: ['tcp']};

  it('there are at least 5 rounds, also when all trials agree', async () => {
    const {trials} = await run(battleOf(precise), () => completed());
    assert.equal(trials.length, 5);
  });

  it('there are at most 30 rounds, also when the interval stays wide', async () => {
    const {trials} = await run(battleOf(precise), ({round}) => completed({meanMs: round % 2 === 0 ? 1 : 3}));
    assert.equal(trials.length, 30);
  });

  it('rounds are added until every interval is narrow enough', async () => {
    const state = battleOf({...precise, transport: ['http']});
    const {trials} = await run(state, ({cell, round}) =>
      completed({meanMs: cell.transport === 'http' && round === 1 ? 1.6 : 1}),
    );
    const rounds = trials.length / 2;
    assert.ok(rounds > 5 && rounds < 30, `${rounds} rounds`);
    assert.equal(trials.filter((name) => name.startsWith('tcp')).length, rounds, 'all cells take part');
  });

  it('a failed cell needs no further rounds', async () => {
    const state = battleOf({...precise, transport: ['http']});
    const {trials} = await run(state, ({cell, round}) => {
      if (cell.transport === 'tcp') return completed();
      return round < 3 ? completed({meanMs: round}) : failed();
    });
    assert.equal(trials.filter((name) => name.startsWith('tcp')).length, 5);
  });

  it('the limit of repeats is a tenth of the 5 planned rounds, even when rounds are added', async () => {
    const {stored} = await run(battleOf(precise), ({round}) =>
      completed({meanMs: round % 2 === 0 ? 1 : 3, lostShare: 0.5}),
    );
    assert.equal(stored.filter(({repeat}) => repeat).length, 1);
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

  it('counts the repeats before the interruption', async () => {
    const state = battleOf({rounds: ['2'], transport: ['tcp']});
    await run(state, ({round}) =>
      round === 1 ? completed({lostShare: 0.5}) : Promise.reject(new Error('killed')),
    );
    const {trials} = await run(state, () => completed({lostShare: 0.5}));
    assert.deepEqual(trials, ['tcp 2'], 'the one repeat was used up');
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

it('for any outcomes, a cell has at most one trial per round, and repeats stay within the limit', async () => {
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
        const firsts = stored.filter(({repeat}) => !repeat);
        assert.equal(new Set(firsts.map(({cell, round}) => `${cell}/${round}`)).size, firsts.length);
        const repeats = stored.filter(({repeat, outcome}) => repeat && outcome === 'completed').length;
        assert.ok(repeats <= Math.max(1, Math.ceil(cells * rounds * 0.1)));
        for (const {number} of state.cells) {
          const {trials, error} = progressOf(state, number);
          const had = new Set(trials.map(({round}) => round)).size;
          assert.ok(error !== null || had === rounds);
        }
      },
    ),
    {numRuns: 100},
  );
});
