import assert from 'node:assert/strict';
import {test} from 'node:test';
import {deviceOf} from '../../src/brokers/disk.js';

test('a device is named by its numbers, as the kernel packs them', () => {
  assert.equal(deviceOf(0x0700), '7:0');
  assert.equal(deviceOf(0x0703), '7:3');
  assert.equal(deviceOf(0x10_0803), '8:259');
});
