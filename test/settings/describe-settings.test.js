import assert from 'node:assert/strict';
import {test} from 'node:test';
import {settingAsGiven} from '../../src/settings/describe-settings.js';

test('a stored setting is shown as a person gives it', () => {
  assert.deepEqual(settingAsGiven('durationMs', 250), {name: '--duration', text: '250ms'});
  assert.deepEqual(settingAsGiven('warmUp', {kind: 'auto'}), {name: '--warmup', text: 'auto'});
  assert.deepEqual(settingAsGiven('tls', [false]), {name: '--tls', text: 'off'});
  assert.deepEqual(settingAsGiven('payloadBytes', [1024, 500]).text, '1kb,500b');
  assert.deepEqual(settingAsGiven('samples', 'none'), {name: '--samples', text: 'none'});
  assert.deepEqual(settingAsGiven('version of ws', '8.18.0'), {name: 'version of ws', text: '8.18.0'});
});

test('a stored setting of a form that this version does not know is shown as it is', () => {
  assert.deepEqual(settingAsGiven('expect', 5).text, '5');
  assert.deepEqual(settingAsGiven('warmUp', null), {name: '--warmup', text: null});
});
