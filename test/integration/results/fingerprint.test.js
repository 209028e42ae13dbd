import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {test} from 'node:test';
import {readFingerprint} from '../../../src/results/fingerprint.js';

test('a fingerprint names the system and the hypervisor as the system does', async () => {
  const {os, kernel, cores, hostCores, virtualization} = await readFingerprint();
  const shell = (/** @type {string} */ script) =>
    execFileSync('sh', ['-c', script], {encoding: 'utf8'}).trim();
  assert.equal(os, shell('. /etc/os-release && echo $NAME $VERSION_ID'));
  assert.equal(kernel, shell('uname -r'));
  assert.ok(cores >= 1);
  assert.equal(hostCores, Number(shell("grep -c '^cpu[0-9]' /proc/stat")));
  const vendor = shell("LC_ALL=C lscpu | sed -n 's/^Hypervisor vendor: *//p'");
  assert.equal(virtualization, vendor || null);
});
