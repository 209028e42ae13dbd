import assert from 'node:assert/strict';
import {test} from 'node:test';
import {readInstance} from '../../../src/results/fingerprint.js';
import {withMetadataService} from './metadata-service.js';

test('an instance says its type, zone and placement', async () => {
  const data = {
    'instance-type': 't2.micro',
    'placement/availability-zone': 'eu-central-1a',
    'placement/group-name': 'near',
  };
  await withMetadataService(data, async (endpoint) => {
    assert.deepEqual(await readInstance({AWS_EC2_METADATA_SERVICE_ENDPOINT: endpoint}), {
      type: 't2.micro',
      zone: 'eu-central-1a',
      placementGroup: 'near',
    });
    assert.equal(
      await readInstance({AWS_EC2_METADATA_SERVICE_ENDPOINT: endpoint, AWS_EC2_METADATA_DISABLED: 'true'}),
      null,
    );
  });
});

test('what it is not told is null', async () => {
  await withMetadataService({'instance-type': 'm4.xlarge'}, async (endpoint) => {
    assert.deepEqual(await readInstance({AWS_EC2_METADATA_SERVICE_ENDPOINT: endpoint}), {
      type: 'm4.xlarge',
      zone: null,
      placementGroup: null,
    });
  });
});

test('where nothing answers there is no instance', async () => {
  assert.equal(await readInstance({AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:9'}), null);
  await withMetadataService({}, async (endpoint) => {
    assert.equal(await readInstance({AWS_EC2_METADATA_SERVICE_ENDPOINT: endpoint}), null);
  });
});
