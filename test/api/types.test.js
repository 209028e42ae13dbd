import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {it} from 'node:test';
import * as program from '../../src/api/index.js';

/**
 * The types that other programs see are those of this one: types/index.d.ts has nothing that the program lacks, and lacks nothing that the program has.
 *
 * @import * as Declared from '../../types/index.js'
 * @import * as Program from '../../src/api/index.js'
 * @import {ServerDriver} from '../../src/brokers/one-server.js'
 * @import {Broadcast, Client, ConnectSettings, Declaration, ServeSettings, Server, Store} from '../../src/transports/transport.js'
 * @import * as Seam from '../../types/transport.js'
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

/** @type {(one: Client) => Seam.Client} */
export const clients = (one) => one;
/** @type {(one: Seam.Client) => Client} */
export const clientsBack = (one) => one;
/** @type {(one: Server) => Seam.Server} */
export const servers = (one) => one;
/** @type {(one: Seam.Server) => Server} */
export const serversBack = (one) => one;
/** @type {(one: Store) => Seam.Store} */
export const stores = (one) => one;
/** @type {(one: Seam.Store) => Store} */
export const storesBack = (one) => one;
/** @type {(one: Broadcast) => Seam.Broadcast} */
export const broadcasts = (one) => one;
/** @type {(one: ConnectSettings) => Seam.ConnectOptions} */
export const connectSettings = (one) => one;
/** @type {(one: ServeSettings) => Seam.ServeOptions} */
export const serveSettings = (one) => one;
/** @type {Record<keyof ConnectSettings, true>} */
export const connectKeys = /** @type {Record<keyof Seam.ConnectOptions, true>} */ ({});
/** @type {Record<keyof ServeSettings, true>} */
export const serveKeys = /** @type {Record<keyof Seam.ServeOptions, true>} */ ({});
/** @type {Record<keyof Seam.Declaration, true>} */
export const declarationKeys = /** @type {Record<keyof Declaration, true>} */ ({});
/** @type {Record<keyof ServerDriver, true>} */
export const driverKeys = /** @type {Record<keyof Seam.BrokerDriver, true>} */ ({});
/** @type {(one: Seam.BrokerDriver) => ServerDriver<any>} */
export const drivers = (one) => one;

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
  // A function may have several signatures.
  const exported = new Set(
    [...text.matchAll(/^export declare (?:function|class) (\w+)/gm)].map(([, name]) => name),
  );
  assert.deepEqual([...exported].toSorted(), Object.keys(program).toSorted());
  assert.deepEqual(
    [...text.matchAll(/from '(.+)'/g)].map(([, from]) => from),
    ['perf-battle', './declared.js', './transport.js'],
  );
});
