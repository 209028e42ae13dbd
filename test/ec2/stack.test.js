import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {ownerOf} from '../../src/ec2/stack.js';

const account = 'arn:aws:iam::123456789012:user';
const role = 'arn:aws:sts::123456789012:assumed-role/Admin';

describe('the owner of stacks', () => {
  it('is the identity that AWS sees, whatever the user is called here', () => {
    assert.deepEqual(ownerOf(`${account}/ann`, 'ubuntu@a'), ownerOf(`${account}/ann`, 'root@b'));
    assert.equal(ownerOf(`${account}/ann`, 'ubuntu@a').tag, `${account}/ann`);
    assert.match(ownerOf(`${account}/ann`, 'ubuntu@a').name, /^ann-[0-9a-f]{8}$/);
    assert.match(ownerOf(`${role}/Ann.Marie@example.com`, 'a@b').name, /^ann-marie-example-com-[0-9a-f]{8}$/);
  });

  for (const [one, other] of [
    [`${account}/ann`, `${account}/ann-marie`],
    [`${account}/team/ubuntu`, `${account}/ubuntu`],
    [`${role}/ann`, 'arn:aws:sts::123456789012:assumed-role/Other/ann'],
    [`${account}/ann`, 'arn:aws:iam::210987654321:user/ann'],
  ]) {
    it(`differs between ${one} and ${other}`, () => {
      const [first, second] = [ownerOf(one, 'ubuntu@a'), ownerOf(other, 'ubuntu@a')];
      assert.notEqual(first.tag, second.tag);
      assert.notEqual(first.name, second.name);
      assert.equal(second.name.startsWith(`${first.name}-`), false);
    });
  }

  for (const session of [
    'aws-sdk-js-1761234567890',
    'aws-sdk-js-session-1761234567890',
    'botocore-session-1761234567',
    'aws-go-sdk-1761234567890123456',
  ]) {
    it(`is the role with the user and the host, when the session is called ${session}`, () => {
      const owner = ownerOf(`${role}/${session}`, 'ann@laptop');
      assert.equal(owner.tag, `${role}/ann@laptop`);
      assert.deepEqual(owner, ownerOf(`${role}/${session.replace(/1761/, '1799')}`, 'ann@laptop'));
      assert.notDeepEqual(owner, ownerOf(`${role}/${session}`, 'bob@laptop'));
    });
  }

  it('keeps a session that is named like a host or a job', () => {
    for (const session of ['i-0123456789abcdef0', 'GitHubActions', 'build-20261122', 'ann-1234567'])
      assert.equal(ownerOf(`${role}/${session}`, 'ann@laptop').tag, `${role}/${session}`);
  });

  it('fits a tag and a name, whatever its characters', () => {
    const owner = ownerOf(`${account}/${'x,'.repeat(200)}`, 'a@b');
    assert.equal(owner.tag.length, 256);
    assert.doesNotMatch(owner.tag, /,/);
    assert.match(owner.name, /^[a-z0-9-]{1,41}$/);
  });
});
