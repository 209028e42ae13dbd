import assert from 'node:assert/strict';
import {test} from 'node:test';
import {beginsMessage} from '../../../src/brokers/nats/driver.js';

test('PUB, HPUB, MSG and HMSG begin a message, and nothing else does', () => {
  for (const text of [
    'PUB a 5\r\nhello\r\n',
    'HPUB a b 12 17\r\n',
    'MSG a 1 5\r\nhello',
    'HMSG a 1 12 17\r\n',
    'PING\r\nMSG a 1 5\r\n',
  ])
    assert.ok(beginsMessage(Buffer.from(text)), text);
  for (const text of ['', 'PING\r\n', '+OK\r\n', 'SUB a 1\r\n', 'PUBLIC', 'hello PUB '])
    assert.ok(!beginsMessage(Buffer.from(text)), text);
});
