import {isRight, MessageCheck} from '../../../payload/message-check.js';
import {sequenceOf} from '../../../payload/stamp.js';
import {sendSteadily} from '../steady-load.js';

/**
 * @import {Answer} from '../../../payload/message-check.js'
 * @import {WorkloadContext, WorkloadRole} from '../../workload.js'
 * @import {SteadySettings} from '../steady-load.js'
 */

/** A steady load of requests that records the outcome of each request. @satisfies {WorkloadRole<SteadySettings & {answer: Answer}>} */
export const role = {
  needs: ['request'],
  hasServer: true,
  concurrency: ({window}) => window,
  client: async () => requestSteadily,
  server: async () => (await import('../../answer-server.js')).makeAnswerHandler,
};

/** @param {WorkloadContext<SteadySettings>} context */
export function requestSteadily(context) {
  const check = new MessageCheck(context.ring, {answer: 'echo', every: 1});
  return sendSteadily(context, (client) => ({
    send: (payload, {taken, refused, failed}) => {
      client.ask(payload, {
        resolve: (reply) => (isRight(check, reply, sequenceOf(payload)) ? taken() : refused()),
        reject: failed,
        onChunk: null,
      });
      return true;
    },
    drained: async () => {},
    settles: true,
  }));
}
