import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Secrets} from '../../../src/roles/programs/program.js';

const password = 'p/"s: 7ü';

/** @param {string} secret */
function secretsWith(secret) {
  const secrets = new Secrets();
  secrets.add(secret);
  return secrets;
}

for (const [how, form] of [
  ['as it is', password],
  ['in JSON', JSON.stringify(password).slice(1, -1)],
  ['in a URL', encodeURIComponent(password)],
  ['in base64', Buffer.from(password).toString('base64')],
])
  test(`a password that a program wrote ${how} is masked`, () => {
    assert.equal(secretsWith(password).conceal(`it is ${form}, twice: ${form}`), 'it is ***, twice: ***');
  });

test('the texts of an event have no password, and its figures stay', () => {
  const secrets = secretsWith('12345');
  const event = {
    ...{event: 'result', received: 12345, samplesNs: [12345], mismatch: 'not 12345'},
    ...{
      message: 'is 12345',
      details: {12345: 'x12345', port: 12345, on: true},
      arrived: {messages: 12345, mismatch: '12345'},
    },
  };
  assert.deepEqual(secrets.concealIn(event), {
    ...{event: 'result', received: 12345, samplesNs: [12345], mismatch: 'not ***'},
    ...{
      message: 'is ***',
      details: {'***': 'x***', port: '***', on: true},
      arrived: {messages: 12345, mismatch: '***'},
    },
  });
});

test('without a password nothing is masked', () => {
  const event = {event: 'error', message: 'it broke'};
  assert.equal(new Secrets().concealIn(event), event);
  assert.equal(secretsWith('').conceal('it broke'), 'it broke');
});
