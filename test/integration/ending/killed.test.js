import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {sharedBroker} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {assertComplete, assertGoesOn, interruptedBattle} from '../support/interruptions.js';

/** @import {Workplace} from '../support/workplace.js' */

/** What a killed battle started is gone by then. */
const goneWithinMs = 8000;

const moments = [...[500, 1000, 1600].map((ms) => ({ms, isPrivate: false})), {ms: 1500, isPrivate: true}].map(
  ({ms, isPrivate}) => ({afterMs: Math.round(ms * (0.8 + 0.4 * Math.random())), isPrivate}),
);

describe('a battle that is killed', {timeout: 1_200_000}, () => {
  const broker = sharedBroker();

  for (const [index, {afterMs, isPrivate}] of moments.entries()) {
    const goesOn = index % 2 === 0 && !isPrivate;
    const next = goesOn ? 'goes on later' : 'makes way for a new one';
    const where = isPrivate ? 'with a private broker' : 'with a given broker';
    it(
      `after ${afterMs} ms ${where} leaves nothing running, and ${next}`,
      inAWorkplace(async (workplace) => {
        const place = isPrivate ? {PB_BROKER: 'private'} : broker().environment;
        const battle = workplace.start('battle', interruptedBattle, place);
        await sleep(afterMs);
        battle.child.kill('SIGKILL');
        await battle.ended;
        assert.deepEqual(await workplace.leftoversWithin(goneWithinMs), []);
        if (goesOn) await assertGoesOn(workplace, broker().environment);
        else await assertMakesWay(workplace);
      }),
    );
  }

  it(
    'leaves what a given broker holds for it to that broker: nothing lasts',
    inAWorkplace(async (workplace) => {
      const battle = workplace.start('battle', interruptedBattle, broker().environment);
      await sleep(900);
      battle.child.kill('SIGKILL');
      await battle.ended;
      await workplace.leftoversWithin(goneWithinMs);
      const id = existsSync(workplace.file('results.ndjson')) ? (await workplace.journal())[0].id : 'none';
      // Whoever died before it could delete its queue has told the broker when to do it.
      const mine = (await broker().list('queues', ['name', 'arguments'])).filter(([name]) =>
        name.includes(id),
      );
      for (const [name, given] of mine) assert.match(given, /x-expires/, name);
    }),
  );

  /** @param {Workplace} workplace */
  async function assertMakesWay(workplace) {
    const began = existsSync(workplace.file('results.ndjson')) && (await workplace.journal()).length > 0;
    const {code, stdout, stderr} = await workplace.battle(
      [...interruptedBattle, '--json', '--quiet'],
      broker().environment,
    );
    assert.deepEqual({code, stderr}, {code: 0, stderr: ''});
    const {battle, cells} = JSON.parse(stdout);
    assertComplete(cells);
    const earlier = (await workplace.cells()).filter(({battleId}) => battleId !== battle.id);
    if (!began) return assert.deepEqual(earlier, []);
    assert.equal(new Set(earlier.map(({id}) => id)).size, 2);
    const outcomes = new Set(earlier.map(({outcome}) => outcome));
    assert.equal(outcomes.size, 1);
    assert.ok(outcomes.has('aborted') || outcomes.has('completed'));
    for (const cell of earlier) assert.equal('rtt' in cell, cell.outcome === 'completed');
  }
});
