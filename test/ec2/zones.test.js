import assert from 'node:assert/strict';
import {test} from 'node:test';
import {zonesSuggestedBy} from '../../src/ec2/fleet.js';

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
