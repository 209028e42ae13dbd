import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {test} from 'node:test';
import {allowsCluster, costPerHour, imageParameterFor, isBurstable} from '../../src/ec2/stack.js';

test('burstable types are those of the t families', () => {
  for (const type of ['t2.micro', 't3.small', 't3a.large', 't4g.nano'])
    assert.equal(isBurstable(type), true, type);
  for (const type of ['m4.xlarge', 'trn1.2xlarge', 'c7g.large']) assert.equal(isBurstable(type), false, type);
});

test('cluster placement supports current types and m4, but no burstable, flex, Mac or m3 type', () => {
  for (const type of ['m4.xlarge', 'c5.large', 'm7i.large', 'c7gn.medium', 'r8g.large'])
    assert.equal(allowsCluster(type), true, type);
  for (const type of [
    't2.micro',
    't4g.nano',
    'm7i-flex.large',
    'c7i-flex.large',
    'mac1.metal',
    'mac2-m2.metal',
    'm3.large',
  ])
    assert.equal(allowsCluster(type), false, type);
});

test("the image matches the type's processor", () => {
  for (const type of [
    't4g.micro',
    'm6g.large',
    'c7gn.medium',
    'r8gd.large',
    'x2gd.medium',
    'a1.large',
    'im4gn.large',
    'g5g.xlarge',
    'hpc7g.4xlarge',
  ])
    assert.match(imageParameterFor(type), /-arm64$/, type);
  for (const type of [
    't2.micro',
    'm4.xlarge',
    'g4dn.xlarge',
    'm6i.large',
    'gr6.4xlarge',
    'c5ad.large',
    'u7i-6tb.112xlarge',
  ])
    assert.match(imageParameterFor(type), /-x86_64$/, type);
});

test('the page has the prices that the prompt shows', async () => {
  const page = await readFile(new URL('../../docs/ec2.md', import.meta.url), 'utf8');
  const [, micro, xlarge] =
    page.match(/three `t2\.micro` cost about \$([\d.]+) an hour and three `m4\.xlarge` \$([\d.]+),/) ?? [];
  assert.deepEqual(
    [micro, xlarge],
    ['t2.micro', 'm4.xlarge'].map((type) => costPerHour(type, 3)?.toFixed(2)),
  );
  assert.equal(costPerHour('c5.large', 3), null);
});
