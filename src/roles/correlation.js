import {sequenceBytes, sequenceOf} from '../payload/stamp.js';

/**
 * @import {PayloadRing} from '../payload/ring.js'
 * @import {Correlation} from '../transports/transport.js'
 */

/**
 * How a client matches replies with requests if several are in flight and the protocol has no ids: by the sequence numbers in the payloads.
 * Payloads that are too short for one are answered in the order of the requests.
 *
 * @param {{ring: PayloadRing, concurrency: number, answer: 'echo' | 'increment' | undefined,
 *   strays: {count: number}}} client strays: counts the replies to no outstanding request
 * @returns {Correlation | null}
 */
export function makeCorrelation({ring, concurrency, answer, strays}) {
  if (concurrency === 1 || !ring.numbered || answer === undefined) return null;
  const onStray = () => {
    strays.count += 1;
  };
  const ofReply = answer === 'increment' ? sequenceOfIncremented : sequenceOfEcho;
  return {ofRequest: sequenceOf, ofReply, onStray};
}

/** @param {Buffer} reply */
function sequenceOfEcho(reply) {
  return reply.length < sequenceBytes ? Number.NaN : sequenceOf(reply);
}

const stamp = Buffer.alloc(sequenceBytes);

/** @param {Buffer} reply each byte of it is one more than the request's */
function sequenceOfIncremented(reply) {
  if (reply.length < sequenceBytes) return Number.NaN;
  for (let offset = 0; offset < sequenceBytes; offset += 1) stamp[offset] = reply[offset] - 1;
  return sequenceOf(stamp);
}
