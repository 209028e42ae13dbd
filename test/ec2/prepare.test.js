import assert from 'node:assert/strict';
import {test} from 'node:test';
import {refuseUnusedCredits} from '../../src/ec2/prepare.js';
import {UsageError} from '../../src/errors.js';

test('unlimited credits are refused where no host has any', () => {
  assert.throws(
    () => refuseUnusedCredits(['m4.xlarge', 'c5.large'], {credits: 'unlimited'}),
    (error) =>
      error instanceof UsageError && /--credits unlimited .* m4\.xlarge and c5\.large/.test(error.message),
  );
});

test('one burstable host is enough, and standard credits are the default of all', () => {
  refuseUnusedCredits(['t2.micro', 'm4.xlarge'], {credits: 'unlimited'});
  refuseUnusedCredits(['m4.xlarge'], {credits: 'standard'});
});
