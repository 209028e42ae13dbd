/**
 * @import {OnRequest} from '../transports/transport.js'
 * @import {MakeHandler} from './workload.js'
 */

/**
 * The server of every workload whose replies are computed from the request: its bytes, or each of them plus one.
 * @type {MakeHandler<{answer: 'echo' | 'increment'}>}
 */
export async function makeAnswerHandler({options: {answer}}) {
  return {onRequest: answer === 'increment' ? increment : echo};
}

/** @type {OnRequest} */
function echo(request, reply) {
  reply.end(request);
}

/** @type {OnRequest} */
function increment(request, reply) {
  const answer = Buffer.allocUnsafe(request.length);
  for (let index = 0; index < request.length; index += 1) answer[index] = request[index] + 1;
  reply.end(answer);
}
