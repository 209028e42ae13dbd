import assert from 'node:assert/strict';
import {describe, it, test} from 'node:test';
import {sameVariants} from '../../overhead/verdict/battles.js';
import {exponentialTail, gamma, logNormal, twoModes} from '../../overhead/verdict/distributions.js';
import {falseAlarms, faultsFound} from '../../overhead/verdict/false-alarms.js';
import {
  comparePairs,
  countOff,
  floorRatioOf,
  idleFigures,
  isCovered,
  isSlowdownFound,
  levelRows,
  ratioRows,
  warningsOf,
} from '../../overhead/verdict/live.js';
import {checkEffects} from '../../src/battle/effects.js';
import {planCells} from '../../src/battle/plan.js';
import {readCommandLine} from '../../src/options/command-line.js';
import {resolveOptions} from '../../src/options/resolve.js';
import {randomSource} from '../../src/payload/random.js';
import {allOptions, optionsOfBattle} from '../../src/settings/index.js';
import {resolveBattle} from '../../src/settings/resolve-battle.js';

/**
 * @param {number} meanMs
 * @param {'valid' | 'wide' | 'suspect'} [status]
 * @param {string[]} [codes]
 * @returns {any}
 */
function cell(meanMs, status = 'valid', codes = []) {
  return {
    outcome: 'completed',
    transport: 'http',
    labels: {facilitator: 'HTTP', qualifier: null, settings: []},
    ...{workload: 'rtt', payloadBytes: 1024, comparedBy: 'latency'},
    rtt: {meanMs, ci95Ms: null},
    verdict: {status, warnings: codes.map((code) => ({code}))},
    trials: [0.99, 1, 1.01, 1.02, 0.98].map((factor, index) => ({
      round: index + 1,
      meanMs: factor * meanMs,
      used: true,
    })),
  };
}

/** @param {any[]} cells */
const battle = (...cells) => ({seconds: 100, cells});

describe('the judgement of real battles', () => {
  it('counts levels and warnings; a cell that failed counts among all', () => {
    const battles = [battle(cell(1), cell(1, 'wide', ['wide'])), battle(cell(1), {outcome: 'failed'})];
    assert.deepEqual(
      [...levelRows('idle', battles)].map(({what}) => what),
      ['idle: valid: 2/4', 'idle: wide: 1/4', 'idle: suspect: 0/4', 'idle: failed: 1/4'],
    );
    assert.equal(warningsOf(battles), 'wide 1');
    assert.equal(warningsOf([battle(cell(1))]), 'no warnings');
  });

  it('compares valid cells with the median of the idle ones, and no others', () => {
    const figures = idleFigures([battle(cell(1)), battle(cell(1.02)), battle(cell(5))]);
    const disturbed = [battle(cell(1.1), cell(1.2), cell(3, 'suspect'), cell(0.9), cell(2, 'wide'))];
    assert.deepEqual(countOff(disturbed, figures), {hits: 2, of: 3});
  });

  it('judges ratios to the floor by themselves: those of the floor, and of older records, are none', () => {
    const withRatio = (/** @type {number} */ ratio, /** @type {string} */ status) => ({
      ...cell(1, 'suspect'),
      floor: {ratio, ratioCi95: [ratio, ratio], verdict: {status, warnings: []}},
    });
    const floor = {...withRatio(1, 'valid'), transport: 'tcp'};
    const idle = [
      battle(floor, withRatio(2, 'valid')),
      battle(withRatio(2.02, 'wide')),
      battle(withRatio(9, 'valid')),
    ];
    assert.deepEqual(
      [...ratioRows('idle', idle)].map(({what}) => what),
      ['idle: valid ratios to the floor: 2/3', 'idle: suspect ones: 0/3'],
    );
    const disturbed = [
      battle(withRatio(2.1, 'valid'), withRatio(2.5, 'valid'), withRatio(3, 'suspect'), cell(1)),
    ];
    assert.deepEqual(countOff(disturbed, idleFigures(idle, floorRatioOf), floorRatioOf), {hits: 1, of: 2});
    assert.deepEqual([...ratioRows('idle', [battle(cell(1))])], []);
  });

  it('runs variants that are the same in a battle that allows their options', () => {
    const {flags} = readCommandLine(optionsOfBattle, sameVariants);
    const asked = resolveOptions(allOptions, {scope: 'battle', mine: optionsOfBattle, flags});
    const settings = resolveBattle(asked, {payloadFileBytes: null, seed: 7});
    const cells = planCells(settings);
    assert.deepEqual(checkEffects(settings, cells), []);
    assert.equal(cells.length, 1 + 4);
  });

  it('compares each two cells of a battle of the same, and the floor with none', () => {
    const floor = {...cell(0.5), transport: 'tcp'};
    const comparisons = comparePairs(battle(floor, cell(1), cell(1), cell(1.3)));
    assert.deepEqual(comparisons.map(isCovered), [true, false, false]);
    assert.deepEqual(comparisons.map(isSlowdownFound), [true, false, false]);
  });
});

describe('simulated trial means', () => {
  for (const [name, draw] of Object.entries({logNormal, gamma, exponentialTail, twoModes})) {
    it(`of ${name} have the mean 1 and the variation that is asked for`, () => {
      const random = randomSource(1, name);
      const values = Array.from({length: 40_000}, () => draw(random, 0.2));
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
      assert.ok(Math.abs(mean - 1) < 0.005, String(mean));
      assert.ok(Math.abs(Math.sqrt(variance) - 0.2) < 0.01, String(Math.sqrt(variance)));
    });
  }
});

test('the simulated battles have all that the verdict reads: few alarms without a fault, and many with one', () => {
  const bench = /** @type {any} */ ({length: 0.02});
  const rows = [...falseAlarms(bench), ...faultsFound(bench)].map(({what}) => what);
  const shareOf = (/** @type {string} */ start) => {
    const [hits, of] = (rows.find((row) => row.startsWith(start)) ?? '0/0').split(': ')[1].split('/');
    return Number(hits) / Number(of);
  };
  assert.ok(shareOf('neither wide nor suspect, CV 3 %') > 0.9, rows.join('\n'));
  assert.ok(shareOf('not-warm finds a fall of 20 %') > 0.9, rows.join('\n'));
});
