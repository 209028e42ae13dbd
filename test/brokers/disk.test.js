import assert from 'node:assert/strict';
import {test} from 'node:test';
import {deviceAt} from '../../src/brokers/disk.js';

const mounts = `22 1 0:21 / / rw,relatime - overlay overlay rw
90 22 7:0 / /tmp/a/disk rw,relatime - ext4 /dev/loop0 rw
91 22 7:3 / /tmp/b/disk rw,relatime shared:1 master:2 - ext4 /dev/loop3 rw
92 90 7:4 / /tmp/a/disk rw,relatime - ext4 /dev/loop4 rw
`;

test('the device of a disk is the one that was mounted last at its place', () => {
  assert.equal(deviceAt('/tmp/b/disk', mounts), 'loop3');
  assert.equal(deviceAt('/tmp/a/disk', mounts), 'loop4');
});

test('a place where nothing is mounted has no device', () => {
  assert.throws(() => deviceAt('/tmp/c/disk', mounts), {code: 'PB_NO_DISK'});
});
