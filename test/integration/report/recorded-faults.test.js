import assert from 'node:assert/strict';
import {readFile, writeFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

const counts = {
  ...{sent: 100, confirmed: 93, refused: 0, open: 7, received: 93, acknowledged: null, lost: 7},
  ...{confirmedLost: 0, unconfirmedReceived: 0},
};
const fault = {
  ...{
    kind: 'fault',
    runId: 'aaaa1111',
    startedAt: '2026-11-27T21:55:17.995Z',
    seed: 7,
    rate: 500,
    window: 64,
  },
  row: {
    ...{number: 1, transport: 'tcp', variant: {}, payloadBytes: 1024, stores: false, broker: null},
    ...{brokerNodes: 1, brokerSettings: {}, labels: {facilitator: 'TCP', qualifier: null, settings: []}},
  },
  found: {
    fault: 'kill-server',
    tries: [{account: counts, atRisk: counts, outage: null, unavailable: null, arrival: null}],
    timeline: {partMs: 100, isConfirmed: true, goodPerSecond: [500], worstMs: [1], faults: []},
  },
};

describe('a run of faults in a journal', {timeout: 180_000}, () => {
  it(
    'is the latest result, and hides no newer battle without results',
    inAWorkplace(async (workplace) => {
      const battle = [
        {kind: 'battle', id: '0123abcd', cells: [{}, {}]},
        {kind: 'trial', battleId: '0123abcd', cell: 1},
      ];
      for (const [lines, note] of /** @type {const} */ ([
        [[...battle, fault], /^$/],
        [[fault, ...battle], /the battle 0123abcd was interrupted, or still runs\..*--resume$/m],
      ])) {
        await writeFile(
          workplace.file('results.ndjson'),
          lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
        );
        for (const words of [['table'], ['report'], ['report', 'latest']]) {
          const {code, stderr} = await workplace.battle(words);
          assert.equal(code, 0, stderr);
          assert.match(stderr, note, words.join(' '));
        }
        assert.match(await readFile(workplace.file('report.html'), 'utf8'), /7 of 100 requests had no reply/);
      }
    }),
  );

  it(
    'needs a journal that can be written, and the error names the option of its file',
    inAWorkplace(async (workplace) => {
      const words = ['faults', '--transport', 'tcp', '--results', 'no/such/results.md'];
      const {code, stderr} = await workplace.battle(words);
      assert.equal(code, 1);
      assert.match(stderr, / --results names the file\.\n$/);
    }),
  );
});
