import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {CpuUse} from '../../../src/report/live/live-battle.js';

/** A core that has used and idled for so many ms. @param {number} user @param {number} idle */
function core(user, idle) {
  return {model: '', speed: 0, times: {user, nice: 0, sys: 0, idle, irq: 0}};
}

describe('the use of the CPU', () => {
  it('is that of all cores since the last question', () => {
    const readings = [
      [core(500, 500), core(0, 1000)],
      [core(600, 500), core(50, 1050)],
      [core(600, 600), core(50, 1150)],
    ];
    const use = new CpuUse(() => readings.shift() ?? []);
    assert.equal(use.sinceLast(), 0.75);
    assert.equal(use.sinceLast(), 0);
  });

  it('is unknown while no time has passed', () => {
    const use = new CpuUse(() => [core(1, 1)]);
    assert.equal(use.sinceLast(), null);
  });
});
