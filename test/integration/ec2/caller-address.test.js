import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {test} from 'node:test';
import {findCallerAddress} from '../../../src/ec2/prepare.js';
import {listenHere} from '../support/listen.js';

/** @param {string} answer @param {number} [status] */
async function askOneThatSays(answer, status = 200) {
  const {port, close} = await listenHere(
    createServer((_, response) => response.writeHead(status).end(answer)),
  );
  try {
    return await findCallerAddress(`http://127.0.0.1:${port}`);
  } finally {
    close();
  }
}

test("the address is the service's answer", async () => {
  assert.equal(await askOneThatSays('203.0.113.7\n'), '203.0.113.7');
});

test('an answer that is not an address is refused, with advice', async () => {
  await assert.rejects(askOneThatSays('<html>'), /--ssh-from/);
  await assert.rejects(askOneThatSays('203.0.113.7', 500), /--ssh-from/);
  await assert.rejects(findCallerAddress('http://127.0.0.1:9'), /--ssh-from/);
});
