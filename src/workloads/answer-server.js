import {performance} from 'node:perf_hooks';
import {MomentSums} from '../measure/clock.js';

/**
 * @import {Answer} from '../payload/message-check.js'
 * @import {Handler, MakeHandler} from './workload.js'
 */

/**
 * The server of every workload whose replies are computed from the request: its bytes, or each byte plus one.
 * @type {MakeHandler<{answer: Answer, anatomy?: boolean}>}
 */
export async function makeAnswerHandler({options: {answer, anatomy = false}}) {
  const answerTo = answer === 'increment' ? increment : echo;
  return anatomy ? timed(answerTo) : {onRequest: (request, reply) => reply.end(answerTo(request))};
}

/**
 * Returns a handler that also records the time from each request to its reply.
 * @param {(request: Buffer) => Buffer} answerTo @returns {Handler}
 */
function timed(answerTo) {
  const moments = new MomentSums();
  return {
    onRequest: (request, reply) => {
      const begin = performance.now();
      const answer = answerTo(request);
      moments.add(begin, performance.now());
      reply.end(answer);
    },
    reset: () => moments.reset(),
    moments: () => moments.sums(),
  };
}

/** @param {Buffer} request */
function echo(request) {
  return request;
}

/** @param {Buffer} request */
function increment(request) {
  const answer = Buffer.allocUnsafe(request.length);
  for (let index = 0; index < request.length; index += 1) answer[index] = request[index] + 1;
  return answer;
}
