import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Fleet, zonesSuggestedBy} from '../../src/ec2/fleet.js';
import {InterruptedError} from '../../src/errors.js';

test('Ctrl-C while a stack is created is the reason that is reported, not the deletion that follows from it', async () => {
  const life = new AbortController();
  const interrupted = new InterruptedError('SIGINT');
  let looks = 0;
  const cloud = {
    region: 'us-east-1',
    create: async () => {},
    // There is none; then it is created, and deleted after Ctrl-C while this waits for it.
    waitUntilSettled: async () => {
      looks += 1;
      if (looks === 2) life.abort(interrupted);
      return null;
    },
  };
  const fleet = new Fleet(/** @type {any} */ (cloud), /** @type {any} */ ({name: 'me'}), () => {});
  const key = {pairName: 'key', publicKey: 'ssh-ed25519 A', privateKey: 'B'};
  const request = {
    zone: '',
    sshFrom: '203.0.113.7/32',
    ttlMs: 60_000,
    credits: 'standard',
    key,
    hostKey: key,
  };
  await assert.rejects(
    fleet.ensureHosts('t2.micro', /** @type {any} */ (request), {madeBy: 'run', signal: life.signal}),
    (error) => error === interrupted,
  );
  assert.match(
    fleet.removal.remaining.describe(),
    /^The stack perf-battle-me-t2-micro in us-east-1 may be up/,
  );
  // Else this process would say so at its end.
  fleet.removal.keepAll();
});

for (const {reason, zones} of [
  {
    reason:
      'Client: Your requested instance type (t2.micro) is not supported in your requested Availability Zone (us-east-1e). Please retry your request by not specifying an Availability Zone or choosing us-east-1a, us-east-1b. (Service: Ec2, Status Code: 400)',
    zones: ['us-east-1a', 'us-east-1b'],
  },
  {
    reason:
      'We currently do not have sufficient m4.xlarge capacity in the Availability Zone you requested (us-gov-west-1a). Our system will be working on provisioning additional capacity. You can currently get m4.xlarge capacity by not specifying an Availability Zone in your request or choosing us-gov-west-1b.',
    zones: ['us-gov-west-1b'],
  },
  {reason: 'InsufficientInstanceCapacity', zones: []},
  {reason: 'The vCPU limit is exceeded. Ask for more, or choosing us-east-1a', zones: []},
]) {
  test(`zones to try after: ${reason.slice(0, 60)}`, () => assert.deepEqual(zonesSuggestedBy(reason), zones));
}
