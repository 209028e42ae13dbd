import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {Pace} from '../../src/battle/estimate.js';
import {nextRound, roundRules} from '../../src/battle/rounds.js';
import {progressOf} from '../../src/battle/state.js';
import {battleOf, completed, failed, run, settingsFor} from './scripted-trials.js';

/** @import {BattleState, TrialRequest} from '../../src/battle/types.js' */

/**
 * Runs a battle whose trials take as long as the test says, by a clock of its own.
 * @param {BattleState} state
 * @param {(request: TrialRequest) => {meanMs?: number, disturbed?: boolean, ms?: number, distanceNs?: number}} trialOf
 */
async function runTimed(state, trialOf) {
  let nowMs = 0;
  const pace = new Pace(state.values.budgetMs, () => nowMs);
  const {stored} = await run(
    state,
    (request) => {
      const {meanMs = 1, disturbed = false, ms = 1000, distanceNs = 60} = trialOf(request);
      nowMs += ms;
      return completed({meanMs, lostShare: disturbed ? 0.5 : 0, distanceNs});
    },
    {pace},
  );
  const names = stored.map(({cell, round}) => `${state.cells[cell - 1].transport} ${round}`);
  return {stored, names, nowMs, roundsOf: (/** @type {string} */ name) => roundsOf(names, name)};
}

/** @param {string[]} names @param {string} transport */
function roundsOf(names, transport) {
  return names.filter((name) => name.startsWith(`${transport} `)).map((name) => Number(name.split(' ')[1]));
}

/** @param {number} last */
const upTo = (last) => Array.from({length: last}, (_, index) => index + 1);

/** Means that stay more than 5 % apart. @param {number} round */
const unsteady = (round) => (round % 2 === 0 ? 1 : 1.5);

describe('the rules of the rounds', () => {
  for (const {flags, rules} of [
    {flags: {}, rules: {min: 5, planned: 5, max: 1000, precision: 0.05}},
    {flags: {precision: ['2%']}, rules: {min: 5, planned: 5, max: 1000, precision: 0.02}},
    {flags: {rounds: ['1']}, rules: {min: 1, planned: 1, max: 1, precision: null}},
    {flags: {rounds: ['5']}, rules: {min: 5, planned: 5, max: 6, precision: null}},
    {flags: {rounds: ['30']}, rules: {min: 30, planned: 30, max: 33, precision: null}},
    {flags: {rounds: ['30'], budget: ['1m']}, rules: {min: 5, planned: 30, max: 33, precision: null}},
    {flags: {quick: ['on']}, rules: {min: 3, planned: 3, max: 1000, precision: 0.1}},
    {flags: {quick: ['on'], rounds: ['1']}, rules: {min: 1, planned: 1, max: 1, precision: null}},
    {flags: {preset: ['endurox-01']}, rules: {min: 1, planned: 1, max: 1, precision: null}},
  ]) {
    it(`follow from ${JSON.stringify(flags)}`, () => {
      assert.deepEqual(roundRules(settingsFor(flags).values), rules);
    });
  }
});

describe('without --rounds', () => {
  it('five rounds are enough when all means are precise', async () => {
    const state = battleOf();
    const {roundsOf: rounds} = await runTimed(state, () => ({}));
    assert.deepEqual([rounds('tcp'), rounds('http')], [upTo(5), upTo(5)]);
    assert.equal(state.stoppedBy, 'precision');
  });

  it('rounds are added until five trials of one distance of the cores count', async () => {
    const state = battleOf();
    const {roundsOf: rounds} = await runTimed(state, ({round}) => ({
      meanMs: round === 2 || round === 4 ? 2 : 1,
      distanceNs: round === 2 || round === 4 ? 310 : 60,
    }));
    assert.deepEqual([rounds('tcp'), rounds('http')], [upTo(7), upTo(7)]);
    assert.equal(state.stoppedBy, 'precision');
  });

  it('rounds are added for a variant with a wide interval and its floor, until it is narrow enough', async () => {
    const state = battleOf({transport: ['http,websocket']});
    const {roundsOf: rounds} = await runTimed(state, ({cell, round}) => ({
      meanMs: cell.transport === 'http' && round === 1 ? 1.2 : 1,
    }));
    const {length} = rounds('http');
    assert.ok(length > 5 && length < 40, `${length} rounds`);
    assert.deepEqual(rounds('http'), upTo(length));
    assert.deepEqual(rounds('tcp'), upTo(length), 'the floor takes part in each of them');
    assert.deepEqual(rounds('websocket'), upTo(5), 'a precise variant takes part in none of them');
    assert.equal(state.stoppedBy, 'precision');
  });

  it('all sizes of a variant take part, also if only one of them is wide', async () => {
    const state = battleOf({transport: ['tcp'], payload: ['1kb,2kb']});
    const {stored} = await runTimed(state, ({cell, round}) => ({
      meanMs: cell.payloadBytes === 2048 && round === 1 ? 1.2 : 1,
    }));
    const ofCell = (/** @type {number} */ number) => stored.filter(({cell}) => cell === number).length;
    assert.ok(ofCell(1) > 5);
    assert.equal(ofCell(1), ofCell(2));
  });

  it('no round begins that is expected to end after the budget', async () => {
    const state = battleOf({budget: ['19s']});
    const {nowMs, roundsOf: rounds} = await runTimed(state, ({round}) => ({
      meanMs: unsteady(round),
      ms: 1500,
    }));
    assert.deepEqual([rounds('tcp'), rounds('http')], [upTo(6), upTo(6)], 'six rounds of 3 s');
    assert.equal(nowMs, 18_000);
    assert.equal(state.stoppedBy, 'budget');
  });

  it('the widest variant comes first when there is no time for all', async () => {
    const state = battleOf({transport: ['http,websocket'], budget: ['17s']});
    const {roundsOf: rounds} = await runTimed(state, ({cell, round}) => ({
      meanMs: cell.transport === 'websocket' ? unsteady(round) ** 2 : unsteady(round),
    }));
    assert.deepEqual([rounds('websocket'), rounds('tcp'), rounds('http')], [upTo(6), upTo(6), upTo(5)]);
    assert.equal(state.stoppedBy, 'budget');
  });

  it('five rounds are run also when they take longer than the budget', async () => {
    const state = battleOf({budget: ['1s']});
    const {roundsOf: rounds} = await runTimed(state, ({round}) => ({meanMs: unsteady(round)}));
    assert.deepEqual([rounds('tcp'), rounds('http')], [upTo(5), upTo(5)]);
    assert.equal(state.stoppedBy, 'budget');
  });

  it('a failed cell needs no further rounds', async () => {
    const state = battleOf({transport: ['http,websocket']});
    const {trials} = await run(state, ({cell, round}) => {
      if (cell.transport !== 'http') return completed();
      return round < 3 ? completed({meanMs: round}) : failed();
    });
    assert.equal(trials.filter((name) => name.startsWith('tcp')).length, 5);
    assert.equal(state.stoppedBy, 'precision');
  });

  it('there is an end, whatever the clock says', () => {
    const state = battleOf({transport: ['tcp']});
    const {trials} = progressOf(state, 1);
    for (const round of upTo(1000))
      trials.push(/** @type {any} */ ({round, figureMs: unsteady(round) ** 4, disturbed: false}));
    const groups = [[state.cells[0]]];
    const time = {remainingMs: () => 1, expectedMs: () => 0};
    assert.deepEqual(nextRound(state, 1000, groups, time), {groups: [], stoppedBy: null});
    assert.deepEqual(nextRound(state, 1001, groups, time), {groups: null, stoppedBy: 'rounds'});
  });
});

describe('with --rounds', () => {
  it('each variant has as many, however wide its interval', async () => {
    const state = battleOf({rounds: ['4']});
    const {roundsOf: rounds} = await runTimed(state, ({round}) => ({meanMs: unsteady(round), ms: 1e6}));
    assert.deepEqual([rounds('tcp'), rounds('http')], [upTo(4), upTo(4)]);
    assert.equal(state.stoppedBy, 'rounds');
  });

  it('a budget that is given, too, ends the battle earlier, but not before five rounds', async () => {
    for (const {budget, last} of [
      {budget: '14s', last: 7},
      {budget: '3s', last: 5},
      {budget: '1m', last: 20},
    ]) {
      const state = battleOf({rounds: ['20'], budget: [budget]});
      const {roundsOf: rounds} = await runTimed(state, () => ({}));
      assert.deepEqual([rounds('tcp'), rounds('http')], [upTo(last), upTo(last)], budget);
      assert.equal(state.stoppedBy, last === 20 ? 'rounds' : 'budget');
    }
  });
});

describe('a disturbed trial', () => {
  it('is repeated after the planned rounds, with the floor, in processes of its own', async () => {
    const state = battleOf({transport: ['http,websocket']});
    const {
      names,
      stored,
      roundsOf: rounds,
    } = await runTimed(state, ({cell, round}) => ({
      disturbed: cell.transport === 'http' && round === 1,
    }));
    assert.deepEqual(names.slice(15).toSorted(), ['http 6', 'tcp 6']);
    assert.deepEqual(rounds('http'), upTo(6));
    assert.deepEqual(
      stored.filter(({disturbed}) => disturbed).map(({round}) => round),
      [1],
      'it stays in the journal',
    );
    assert.equal(state.stoppedBy, 'precision');
  });

  it('is repeated once: a repeat that is disturbed, too, is the last', async () => {
    const state = battleOf({transport: ['tcp']});
    const {roundsOf: rounds} = await runTimed(state, () => ({disturbed: true}));
    assert.deepEqual(rounds('tcp'), upTo(10));
  });

  it('of the variant with the most of them comes first when there is no time for all', async () => {
    const state = battleOf({transport: ['http,websocket'], budget: ['17s']});
    const {roundsOf: rounds} = await runTimed(state, ({cell, round}) => ({
      disturbed: round <= ['tcp', 'http', 'websocket'].indexOf(cell.transport),
    }));
    assert.deepEqual([rounds('websocket'), rounds('tcp'), rounds('http')], [upTo(6), upTo(6), upTo(5)]);
    assert.equal(state.stoppedBy, 'budget');
  });

  it('is repeated with --quick, too, so that three undisturbed ones can count', async () => {
    const state = battleOf({transport: ['http'], quick: ['on']});
    const {roundsOf: rounds} = await runTimed(state, ({cell, round}) => ({
      disturbed: cell.transport === 'http' && round === 2,
    }));
    assert.deepEqual([rounds('tcp'), rounds('http')], [upTo(4), upTo(4)]);
  });

  it('is not repeated with --quick where that would take more than 23 s', async () => {
    const state = battleOf({transport: ['http'], quick: ['on']});
    const {roundsOf: rounds} = await runTimed(state, () => ({disturbed: true, ms: 8000}));
    assert.deepEqual([rounds('tcp'), rounds('http')], [upTo(3), upTo(3)]);
    assert.equal(state.stoppedBy, 'budget');
  });

  for (const {rounds, last} of [
    {rounds: 1, last: 1},
    {rounds: 4, last: 4},
    {rounds: 5, last: 6},
    {rounds: 10, last: 11},
    {rounds: 30, last: 33},
  ]) {
    it(`adds ${last - rounds} rounds at most to --rounds ${rounds}: a tenth`, async () => {
      const state = battleOf({transport: ['tcp'], rounds: [String(rounds)]});
      const {roundsOf: all} = await runTimed(state, () => ({disturbed: true}));
      assert.deepEqual(all('tcp'), upTo(last));
      assert.equal(state.stoppedBy, 'rounds');
    });
  }

  it('that was repeated in its own round, as version 0.1.0 did, is not repeated again', async () => {
    const state = battleOf({transport: ['tcp'], rounds: ['5']});
    const {trials} = progressOf(state, 1);
    const old = (/** @type {object} */ trial) => trials.push(/** @type {any} */ ({...completed(), ...trial}));
    old({round: 1, repeat: false, disturbed: true});
    old({round: 1, repeat: true, disturbed: false});
    const {roundsOf: all} = await runTimed(state, () => ({}));
    assert.deepEqual(all('tcp'), [2, 3, 4, 5]);
  });
});

describe('a battle that is resumed in an added round', () => {
  it('completes that round, with the variants that had been chosen for it', async () => {
    const flags = {transport: ['http,websocket']};
    const meanMs = (/** @type {TrialRequest} */ {cell, round}) =>
      cell.transport === 'tcp' ? 1 : unsteady(round);
    const whole = await run(
      battleOf({...flags, budget: ['1h']}),
      (request) => completed({meanMs: meanMs(request)}),
      {
        pace: new Pace(null, () => 0),
      },
    );
    const sixth = whole.trials.filter((name) => name.endsWith(' 6'));
    assert.equal(sixth.length, 3);
    const state = battleOf(flags);
    await run(state, (request, name) =>
      name === sixth[1] ? Promise.reject(new Error('killed')) : completed({meanMs: meanMs(request)}),
    );
    const rest = await run(state, (request) => completed({meanMs: meanMs(request)}));
    assert.deepEqual(rest.trials, whole.trials.slice(whole.trials.indexOf(sixth[1])));
  });

  it('has its budget anew', async () => {
    const state = battleOf({transport: ['tcp'], budget: ['10s']});
    const wide = (/** @type {TrialRequest} */ {round}) => ({meanMs: unsteady(round)});
    assert.deepEqual((await runTimed(state, wide)).roundsOf('tcp'), upTo(10));
    assert.deepEqual((await runTimed(state, wide)).roundsOf('tcp'), upTo(20).slice(10));
  });
});

describe('the pace of a battle', () => {
  const {cells} = battleOf({payload: ['1kb,2kb']});
  const [tcp, http] = ['tcp', 'http'].map((name) => cells.filter(({transport}) => transport === name));

  it('is estimated, then measured; what was not measured is expected to differ as the rest did', () => {
    const pace = new Pace(null, () => 0);
    const [ofTcp, ofHttp] = [tcp, http].map((group) => pace.expectedMs([group]));
    assert.ok(ofTcp > 2000 && ofHttp > ofTcp, 'two sizes of a second each');
    assert.equal(pace.expectedMs([tcp, http]), ofTcp + ofHttp);
    pace.add(tcp, ofTcp);
    pace.add(tcp.toReversed(), 3 * ofTcp);
    assert.equal(pace.expectedMs([tcp]), 2 * ofTcp, 'the mean, whatever the order of the sizes');
    assert.equal(pace.expectedMs([http]), 2 * ofHttp);
    pace.add(http, 500);
    assert.equal(pace.expectedMs([http]), 500);
  });

  it('follows how long a cell is measured', () => {
    const pace = new Pace(null, () => 0);
    const longer = tcp.map((cell) => ({...cell, length: {...cell.length, durationMs: 5000}}));
    const more = pace.expectedMs([longer]) - pace.expectedMs([tcp]);
    assert.equal(more, 8000);
    pace.add(tcp, 2 * pace.expectedMs([tcp]));
    assert.equal(pace.expectedMs([longer]) - pace.expectedMs([tcp]), 2 * more);
  });

  it('has what is left of a budget, or no end', () => {
    let nowMs = 50;
    const pace = new Pace(1000, () => nowMs);
    nowMs = 350;
    assert.equal(pace.remainingMs(), 700);
    assert.equal(new Pace(null, () => nowMs).remainingMs(), Number.POSITIVE_INFINITY);
  });
});
