import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {floorOf} from '../../src/verdict/compare-cells.js';

/**
 * @param {string} name
 * @param {Record<string, unknown>} variant
 */
function cell(name, variant) {
  return {name, workload: 'rtt', payloadBytes: 1024, isFloor: name.startsWith('tcp'), variant};
}

describe('the floor of a cell', () => {
  const [plain, profiled] = [
    cell('tcp', {noDelay: true}),
    cell('tcp, profiled', {noDelay: true, profile: true}),
  ];

  it('has the same settings, also where one has no value because it is implied', () => {
    for (const cells of [
      [plain, profiled],
      [profiled, plain],
    ]) {
      const nameOf = (/** @type {Record<string, unknown>} */ variant) =>
        floorOf(cell('websocket', variant), cells)?.name;
      assert.equal(nameOf({noDelay: true, deflate: false}), 'tcp');
      assert.equal(nameOf({noDelay: true, deflate: false, profile: true}), 'tcp, profiled');
      assert.equal(floorOf(plain, cells), plain);
      assert.equal(floorOf(profiled, cells), profiled);
    }
  });

  it('may have settings that the cell does not know', () => {
    assert.equal(floorOf(cell('a program', {}), [profiled]), profiled);
  });

  it('is none with another value, size or workload', () => {
    const websocket = cell('websocket', {noDelay: false});
    assert.equal(floorOf(websocket, [plain, profiled]), undefined);
    assert.equal(floorOf({...plain, payloadBytes: 1}, [plain]), undefined);
    assert.equal(floorOf({...plain, workload: 'stream'}, [plain]), undefined);
  });
});
