import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {it} from 'node:test';
import * as program from '../../src/api/index.js';

/**
 * The types that other programs see are those of this one: types/index.d.ts has nothing that the program lacks, and lacks nothing that the program has.
 *
 * @import * as Declared from '../../types/index.js'
 * @import * as Program from '../../src/api/index.js'
 */

/** @type {typeof Declared} */
export const declared = program;

/** @type {(one: Program.BattleDocument) => Declared.BattleDocument} */
export const battles = (one) => one;
/** @type {(one: Declared.BattleDocument) => Program.BattleDocument} */
export const battlesBack = (one) => one;
/** @type {(one: Declared.CellRecord) => Program.CellRecord} */
export const records = (one) => one;
/** @type {(one: Program.FaultsDocument) => Declared.FaultsDocument} */
export const runsOfFaults = (one) => one;
/** @type {(one: Declared.ComparisonDocument) => Program.ComparisonDocument} */
export const comparisons = (one) => one;
/** @type {(one: Program.ProgressEvent) => Declared.ProgressEvent} */
export const events = (one) => one;
/** @type {(one: Declared.ProgressEvent) => Program.ProgressEvent} */
export const eventsBack = (one) => one;
/** @type {(one: Program.BattleSettings) => Declared.BattleSettings} */
export const settings = (one) => one;
/** @type {Record<keyof typeof program, true>} */
export const names = /** @type {Record<keyof typeof Declared, true>} */ ({});
/** @type {Record<keyof Program.BattleSettings, true>} */
export const keys = /** @type {Record<keyof Declared.BattleSettings, true>} */ ({});

for (const entry of ['transport', 'testing'])
  it(`the types of perf-battle/${entry} have what it exports`, async () => {
    const text = readFileSync(new URL(`../../types/${entry}.d.ts`, import.meta.url), 'utf8');
    const exported = [...text.matchAll(/^export declare (?:function|class|const) (\w+)/gm)].map(
      ([, name]) => name,
    );
    const file = entry === 'testing' ? '../../src/conformance/index.js' : '../../src/transport.js';
    assert.deepEqual(exported.toSorted(), Object.keys(await import(file)).toSorted());
  });

it('the types that other programs see have what the program exports, and import no other package', () => {
  const text = readFileSync(new URL('../../types/index.d.ts', import.meta.url), 'utf8');
  const exported = [...text.matchAll(/^export declare (?:function|class) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(exported.toSorted(), Object.keys(program).toSorted());
  assert.deepEqual(
    [...text.matchAll(/from '(.+)'/g)].map(([, from]) => from),
    ['perf-battle', './declared.js', './transport.js'],
  );
});
