import {RunError} from '../errors.js';

/**
 * Compares a reply with the request that it must echo, every byte of it.
 * @param {Buffer} reply
 * @param {Buffer} expected
 * @throws {RunError} code PB_WRONG_REPLY, naming the first offset that differs, what was expected and what came
 */
export function checkReply(reply, expected) {
  if (expected.equals(reply)) return;
  throw new RunError(describeDifference(reply, expected), {code: 'PB_WRONG_REPLY'});
}

/** @param {Buffer} reply @param {Buffer} expected */
function describeDifference(reply, expected) {
  if (reply.length !== expected.length) {
    return `A reply has ${reply.length} bytes where ${expected.length} were expected.`;
  }
  const offset = expected.findIndex((byte, index) => reply[index] !== byte);
  return `A reply differs from its request at offset ${offset}: expected ${hex(expected[offset])}, came ${hex(reply[offset])}.`;
}

/** @param {number} byte */
function hex(byte) {
  return `0x${byte.toString(16).padStart(2, '0')}`;
}
