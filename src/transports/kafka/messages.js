/** Of Spring's template of requests and replies, which others use too. */
const correlationHeader = Buffer.from('kafka_correlationId');
const replyTopicHeader = Buffer.from('kafka_replyTopic');

/** @type {Map<Buffer, Buffer>} of a message that expects no reply */
export const noHeaders = new Map();

/**
 * @param {string} number of the request
 * @param {Buffer} replyTopic
 * @returns {Map<Buffer, Buffer>}
 */
export function requestHeaders(number, replyTopic) {
  return new Map([
    [correlationHeader, Buffer.from(number, 'latin1')],
    [replyTopicHeader, replyTopic],
  ]);
}

/** @param {Buffer} number of the request @returns {Map<Buffer, Buffer>} */
export function replyHeaders(number) {
  return new Map([[correlationHeader, number]]);
}

/**
 * @param {Iterable<readonly [unknown, unknown]>} headers of a request
 * @returns {{number: Buffer, replyTopic: string} | null} null: it expects no reply
 */
export function readRequest(headers) {
  const number = headerIn(headers, correlationHeader);
  const replyTopic = headerIn(headers, replyTopicHeader);
  return number && replyTopic ? {number, replyTopic: replyTopic.toString('latin1')} : null;
}

/** @param {Iterable<readonly [unknown, unknown]>} headers of a reply @returns {string} the number of its request */
export function readReply(headers) {
  return headerIn(headers, correlationHeader)?.toString('latin1') ?? '';
}

/** @param {Iterable<readonly [unknown, unknown]>} headers @param {Buffer} wanted */
function headerIn(headers, wanted) {
  for (const [name, value] of headers) {
    if (wanted.equals(/** @type {Buffer} */ (name))) return /** @type {Buffer} */ (value);
  }
  return null;
}
